// The message for an index outside its plane. It is found again, serially, so that it does not depend on the threads.
#pragma once

#include "core/failure.h"
#include "kernels/plans.h"

namespace acltwin {

// Names the first bad index in C order. Dims and strides are those of the indices, along N, C, D, H, W; `plane` are the
// D, H, W that an index counts.
Failure index_failure(const Indexed& caller, DType index_dtype, const int64_t* dims, const int64_t* strides,
                      const int64_t* plane, const void* indices);

}  // namespace acltwin
