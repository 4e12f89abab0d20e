// What elements are and where they lie, whichever library says so.
#pragma once

#include "python/array_view.h"

namespace acltwin {

// By the letter that numpy has for a kind, and the bytes of an element; undefined if the core has no such type.
DType dtype_of_kind(char kind, int bytes);

// The last step of a look: given data, dtype, rank and dims, sets the strides (in bytes here) and finds out whether the
// elements can be used where they are. False with a Python exception set.
bool place_elements(const Argument& argument, const int64_t* byte_strides, ArrayView& view);

}  // namespace acltwin
