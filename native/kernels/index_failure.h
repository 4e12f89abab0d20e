// The message for an index outside its plane. It is found again, serially, so that it does not depend on the threads.
#pragma once

#include <cstdint>

#include "core/failure.h"
#include "core/tensor.h"

namespace acltwin {

struct IndexedPlanes {
    DType index_dtype;
    const int64_t* dims;        // of the indices: N, C, D, H, W
    const int64_t* strides;     // of the indices
    int missing_axis;           // the axis that the caller's tensors do not have, or -1: left out of the position
    bool channels_last;         // whether the caller's tensors have C last
    const int64_t* plane_dims;  // D, H, W that an index counts
    const char* plane_owner;    // the argument that says them, documented and in braces: the doors spell it
};

// Names the first bad index in C order.
Failure index_failure(const IndexedPlanes& planes, const void* indices);

}  // namespace acltwin
