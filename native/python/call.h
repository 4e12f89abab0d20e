// One call of an operator through the array door.
#pragma once

#include "ops/operator.h"
#include "python/python.h"

namespace acltwin {

// Arguments as read_arguments has them.
// The result array, or null with a Python exception set.
PyObject* call_operator(const Operator& op, PyObject* const* arguments, Py_ssize_t count);

// The same for PyTorch's tensors below autograd, which may record gradients: the caller deals with them. The rule
// "torch" then is PyTorch's for tensors of their layout and dtype.
PyObject* call_below_autograd(const Operator& op, PyObject* const* arguments, Py_ssize_t count);

// The same for a call that PyTorch would answer alike, strides and all; NotImplemented if that must be examined first.
PyObject* call_if_usual(const Operator& op, PyObject* const* arguments, Py_ssize_t count);

// The same for a call that `infer` has seen, with the operator's name as first argument: warnings are not repeated.
PyObject* run_inferred(PyObject* module, PyObject* const* arguments, Py_ssize_t count);

}  // namespace acltwin
