// Tensors that come through DLPack: by the function table of their type, or as capsules.
#pragma once

#include "python/array_view.h"
#include "python/question.h"

namespace acltwin {

// What a tensor type's library offers, looked up once per type.
struct ExchangeType {
    const dlpack::ExchangeApi* api = nullptr;  // the function table; null if it has none
    const Team* team = nullptr;                // the library's threads; null if it lends none
    Question records_gradients, negation_pending;
    PyObject* count_write = nullptr;  // PyTorch's function that tells autograd of a tensor that was written, or null
};
ExchangeType exchange_type(PyObject* object);

bool prepare_exchange(const Argument& argument, const ExchangeType& type, ArrayView& view);
Look look_at_exchange(const Argument& argument, ArrayView& view);

bool prepare_capsule(const Argument& argument, ArrayView& view);
Look look_at_capsule(const Argument& argument, ArrayView& view);

}  // namespace acltwin
