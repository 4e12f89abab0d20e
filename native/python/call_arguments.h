// The arguments of one call as Python passes them.
#pragma once

#include "python/arguments.h"
#include "python/array_view.h"

namespace acltwin {

struct Arguments {
    Object out[kMaxResults];  // of a pair: views only borrow
    ArrayView views[kMaxTensors];
    IntSequence arrays[kMaxArrays];
    Call call;
    bool has_out = false;
};

// The operator that the first argument names; null with a Python exception set. `function` is for the message.
const Operator* read_operator(const char* function, PyObject* const* arguments, Py_ssize_t count);

// Prepares one input: an array, or something that stands for it. False with a Python exception set.
using PrepareInput = bool (*)(PyObject* object, const Argument& argument, ArrayView& view);

// The function's parameters in documented order; then index_dtype if there are indices, data_format, rule, out. Arrays
// are prepared, and still to be looked at: reading arguments runs Python code of anybody. False with
// a Python exception set.
bool read_arguments(const Operator& op, PyObject* const* arguments, Py_ssize_t count, PrepareInput prepare_input,
                    Arguments& read);

// Each sets a Python exception and returns null.
PyObject* raise(const Operator& op, const Failure& failure);
PyObject* raise_no_working_memory(const Operator& op);

}  // namespace acltwin
