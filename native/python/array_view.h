// Arrays of any library as tensors of the core, without copying.
#pragma once

#include "core/tensor.h"
#include "python/dlpack.h"
#include "python/python.h"

namespace acltwin {

enum class Library { numpy, exchange, jax, other };  // exchange: publishes the DLPack function table, as PyTorch does

// A borrowed look at an array: the object must outlive it.
struct ArrayView {
    Tensor tensor;
    Library library = Library::numpy;
    bool writable = false;
    PyObject* source = nullptr;                // borrowed
    const dlpack::ExchangeApi* api = nullptr;  // Library::exchange only
    Object keep;                               // a capsule or a copy that the tensor points into

    ArrayView() = default;
    ArrayView(const ArrayView&) = delete;
    ArrayView& operator=(const ArrayView&) = delete;
    ~ArrayView();

    dlpack::Managed* managed = nullptr;
    dlpack::ManagedVersioned* versioned = nullptr;
};

// False with a Python exception set. With `for_writing` the view is of the
// array itself, never of a copy, and an array that cannot be written is refused.
bool view_array(PyObject* object, const Argument& argument, bool for_writing, ArrayView& view);

// The numpy.dtype of a core type (borrowed), or null with a Python exception set.
PyObject* numpy_dtype(DType dtype);
PyObject* numpy_ndarray_type();  // borrowed

}  // namespace acltwin
