// What is said about objects that are no usable arrays. Everything here may run Python code.
#pragma once

#include <string>

#include "python/python.h"

namespace acltwin {

// Each sets a Python exception and returns false.
bool refuse(PyObject* type, const Argument& argument, const std::string& text);
bool refuse_device(const Argument& argument, int type);
bool refuse_dtype(const Argument& argument, PyObject* array);      // one that the core does not have
bool refuse_object(const Argument& argument, PyObject* object);    // nothing with memory that we could read
bool refuse_exchange(const Argument& argument, PyObject* tensor);  // its library has just set an exception
bool refuse_recording(const Argument& argument, bool for_writing);

std::string package_of(PyObject* object);  // that its type is from, "numpy"
bool is_of_jax(const std::string& package);
std::string type_name(PyObject* object);

}  // namespace acltwin
