// NumPy's arrays and dtypes.
#pragma once

#include "python/array_view.h"

namespace acltwin {

bool is_numpy_array(PyObject* object);  // of its type or one below it, whatever it says about its class
PyObject* numpy_ndarray_type();         // borrowed, or null with a Python exception set

// The numpy.dtype of a core type (borrowed), or null with a Python exception set.
PyObject* numpy_dtype(DType dtype);

// Finds NumPy, so that looking at its arrays runs no Python code. False with a Python exception set.
bool prepare_numpy();
Look look_at_numpy(const Argument& argument, ArrayView& view);

}  // namespace acltwin
