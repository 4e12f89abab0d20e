// PyTorch's threads for PyTorch's tensors. Its workers spin for a while after each of its operators, so threads of our
// own would share their cores with them; and torch.set_num_threads is what its users set.
#pragma once

#include "core/team.h"
#include "python/dlpack.h"

namespace acltwin {

// The threads of the library that has made a tensor type's function table. They are found in its stable C interface,
// without being linked to it; null where there is none (other libraries, PyTorch before 2.10).
const Team* torch_team(const dlpack::ExchangeApi& api);

}  // namespace acltwin
