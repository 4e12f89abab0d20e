// The operators inside XLA programs, for JAX.
#pragma once

#include "python/python.h"

namespace acltwin {

// A capsule with the one handler of all operators, for jax.ffi.register_ffi_target. Null with a Python exception set.
PyObject* xla_handler(PyObject* module, PyObject* none);

}  // namespace acltwin
