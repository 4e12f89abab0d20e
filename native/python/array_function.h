// The array functions as callables of C code. The way of a Python function into the core, with a frame and with
// defaults of parameters that come by keyword, took an eighth of a tiny call.
#pragma once

#include "python/python.h"

namespace acltwin {

// A decorator of the Python function that is named as its operator. What it returns looks like that function (name,
// docstring, signature) and sorts the arguments of a call for the core. Calls that it cannot sort it leaves to the
// function itself: wrong ones, which Python then refuses in its usual words, and names that come out of a dictionary.
PyObject* array_function(PyObject* module, PyObject* function);

// False with a Python exception set.
bool add_function_type(PyObject* module);

}  // namespace acltwin
