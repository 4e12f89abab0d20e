// Tensors that come through DLPack: by the function table of their type, or as capsules.
#pragma once

#include "python/array_view.h"

namespace acltwin {

// The function table of a tensor type, looked up once per type; null if it has none.
const dlpack::ExchangeApi* exchange_api(PyTypeObject* type);

bool prepare_exchange(const Argument& argument, ArrayView& view);
Look look_at_exchange(const Argument& argument, ArrayView& view);

bool prepare_capsule(const Argument& argument, ArrayView& view);
Look look_at_capsule(const Argument& argument, ArrayView& view);

}  // namespace acltwin
