// Whether writing a result could change an input, or write one place twice.
#pragma once

#include "core/export.h"
#include "core/tensor.h"

namespace acltwin {

// True if the two could share a byte: their address ranges meet. Interleaved views of one array count as sharing.
ACLTWIN_API bool share_memory(const Tensor& a, const Tensor& b);

// True if two elements of the tensor could lie at one address.
ACLTWIN_API bool overlaps_itself(const Tensor& tensor);

}  // namespace acltwin
