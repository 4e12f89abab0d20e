// The operators inside XLA programs, for JAX.
#pragma once

#include "python/python.h"

namespace acltwin {

// A dict from each operator's name to a capsule with its handler, for jax.ffi.register_ffi_target.
// Null with a Python exception set.
PyObject* xla_handlers(PyObject* module, PyObject* none);

}  // namespace acltwin
