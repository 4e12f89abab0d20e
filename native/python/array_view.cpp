#include "python/array_view.h"

#include "python/array_view_dlpack.h"
#include "python/array_view_numpy.h"
#include "python/array_view_refusals.h"

namespace acltwin {
namespace {

Look look_by_library(const Argument& argument, ArrayView& view) {
    switch (view.library) {
        case Library::numpy: return look_at_numpy(argument, view);
        case Library::exchange: return look_at_exchange(argument, view);
        case Library::jax:
        case Library::other: break;
    }
    return look_at_capsule(argument, view);
}

}  // namespace

ArrayView::~ArrayView() {
    if (managed == nullptr && versioned == nullptr) return;
    PyObject *type, *value, *traceback;  // a deleter may run Python code, which must not meet a pending exception
    PyErr_Fetch(&type, &value, &traceback);
    if (managed != nullptr && managed->deleter != nullptr) managed->deleter(managed);
    if (versioned != nullptr && versioned->deleter != nullptr) versioned->deleter(versioned);
    PyErr_Restore(type, value, traceback);
}

bool prepare_array(PyObject* object, const Argument& argument, bool for_writing, ArrayView& view) {
    view.source = object;
    view.for_writing = for_writing;
    const ExchangeType type = exchange_type(object);
    view.api = type.api;
    view.team = type.team;
    view.count_write = type.count_write;
    if (view.api != nullptr) return prepare_exchange(argument, type, view);
    if (!prepare_numpy()) return false;
    if (is_numpy_array(object)) return true;
    // Not __dlpack__: JAX's traced arrays have that one, and nothing behind it.
    if (PyObject_HasAttrString(object, "__dlpack_device__")) return prepare_capsule(argument, view);
    return refuse_object(argument, object);
}

Look look_at_array(const Argument& argument, ArrayView& view) {
    const Look look = look_by_library(argument, view);
    if (look != Look::done || !view.for_writing || view.writable) return look;
    refuse(PyExc_ValueError, argument, "is read-only, expected an array that can be written");
    return Look::failed;
}

}  // namespace acltwin
