// Arrays of any library as tensors of the core.
//
// Reading an array takes two steps. Preparing it may run Python code of anybody (properties, __dlpack__), and that code
// may free or resize the memory of every array of the call. Looking at it runs none. So all arrays of a call are
// prepared first, and looked at afterwards, one right behind the other.
#pragma once

#include <cstdlib>
#include <memory>

#include "core/team.h"
#include "core/tensor.h"
#include "python/dlpack.h"
#include "python/python.h"

namespace acltwin {

enum class Library { numpy, exchange, jax, other };  // exchange: publishes the DLPack function table, as PyTorch does

// A borrowed look at an array: the object must outlive it.
struct ArrayView {
    Tensor tensor;
    Library library = Library::numpy;
    Holds holds = Holds::values;
    bool for_writing = false;
    bool below_autograd = false;  // PyTorch has dealt with gradients and with negations that are pending
    bool writable = false;
    bool misplaced = false;                    // elements lie where the CPU expects none, and are still to be copied
    PyObject* source = nullptr;                // borrowed
    const dlpack::ExchangeApi* api = nullptr;  // Library::exchange only
    const Team* team = nullptr;                // the library's threads, if it lends them
    PyObject* count_write = nullptr;           // borrowed: whom to tell once the array was written, if anybody

    // Owned exports; they keep the memory behind a capsule alive.
    dlpack::Managed* managed = nullptr;
    dlpack::ManagedVersioned* versioned = nullptr;

    // Of misplaced elements: where they are, and the copy that the tensor points into once it is made.
    const char* origin = nullptr;
    int64_t origin_strides[kMaxRank];  // in bytes
    std::unique_ptr<void, void (*)(void*)> copy{nullptr, std::free};

    ArrayView() = default;
    ArrayView(const ArrayView&) = delete;
    ArrayView& operator=(const ArrayView&) = delete;
    ~ArrayView();
};

enum class Look { done, again, failed };  // again: Python code had to run, so every other look is void

// False with a Python exception set.
bool prepare_array(PyObject* object, const Argument& argument, bool for_writing, ArrayView& view);

// What the array is now. A view for writing is of the array itself, and what cannot be written is refused. `failed`
// comes with a Python exception set.
Look look_at_array(const Argument& argument, ArrayView& view);

// Gives misplaced elements a place of their own. The tensor's shape must have passed its check. Throws std::bad_alloc.
void copy_misplaced(ArrayView& view);

}  // namespace acltwin
