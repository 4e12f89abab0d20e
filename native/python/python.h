// The stable C API of Python 3.11 (Py_LIMITED_API, set by the build), so that one binary serves every later version.
#pragma once

#define PY_SSIZE_T_CLEAN
#include <Python.h>

#include <string>
#include <utility>

#include "ops/operator.h"

namespace acltwin {

// An argument of an operator, for messages.
struct Argument {
    const char* operator_name;
    const char* python_name;

    std::string name() const { return python_name; }
};

// An owned reference.
class Object {
public:
    Object() = default;
    explicit Object(PyObject* owned) : pointer_(owned) {}
    Object(Object&& other) noexcept : pointer_(std::exchange(other.pointer_, nullptr)) {}
    Object& operator=(Object&& other) noexcept {
        std::swap(pointer_, other.pointer_);
        return *this;
    }
    ~Object() { Py_XDECREF(pointer_); }

    PyObject* get() const { return pointer_; }
    PyObject* release() { return std::exchange(pointer_, nullptr); }
    explicit operator bool() const { return pointer_ != nullptr; }

private:
    PyObject* pointer_ = nullptr;
};

inline Object import_attribute(const char* module, const char* attribute) {
    Object m(PyImport_ImportModule(module));
    return Object(m ? PyObject_GetAttrString(m.get(), attribute) : nullptr);
}

}  // namespace acltwin
