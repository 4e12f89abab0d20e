// What a call would give, without its data: for tracers, which know only shapes and dtypes.
#pragma once

#include "python/python.h"

namespace acltwin {

// Arguments: the operator's name, then those of the operator, with a pair (dtype name, shape) for each input tensor.
// A list of such pairs, one per result; or null with the same Python exception that the call itself would give.
PyObject* infer_results(PyObject* module, PyObject* const* arguments, Py_ssize_t count);

}  // namespace acltwin
