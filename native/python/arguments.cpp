#include "python/arguments.h"

#include <string>

#include "python/array_view_refusals.h"

namespace acltwin {
namespace {

// `verb`: an array "holds" numbers, a scalar "is" one.
bool read_any_integer(PyObject* object, const Argument& argument, int64_t& value, const char* verb) {
    Object number(PyNumber_Index(object));
    if (!number) {
        if (!PyErr_ExceptionMatches(PyExc_TypeError)) return false;
        PyErr_Clear();
        // A tracer's number is not known yet, so it cannot be converted either.
        const char* fix = is_of_jax(package_of(object))
                              ? "sizes must be known while JAX traces: pass Python numbers, or mark the argument as "
                                "static (static_argnums)"
                              : "convert it with int(...)";
        PyErr_Format(PyExc_TypeError, "%s: %s %s %R, expected %s; %s", argument.operator_name, argument.name().c_str(),
                     verb, object, *verb == 'i' ? "a whole number" : "whole numbers", fix);
        return false;
    }
    value = PyLong_AsLongLong(number.get());
    if (value == -1 && PyErr_Occurred()) {
        PyErr_Clear();
        PyErr_Format(PyExc_ValueError, "%s: %s %s %S, expected at most 64 bits", argument.operator_name,
                     argument.name().c_str(), verb, number.get());
        return false;
    }
    return true;
}

inline bool read_integer(PyObject* object, const Argument& argument, int64_t& value, const char* verb = "holds") {
    if (PyLong_CheckExact(object)) {  // as almost always
        value = PyLong_AsLongLong(object);
        if (value != -1) return true;
        PyErr_Clear();  // -1, or too large
    }
    return read_any_integer(object, argument, value, verb);
}

// Things that can be iterated over, but that nobody means as sizes.
bool is_no_sequence(PyObject* object) {
    return PyUnicode_Check(object) || PyBytes_Check(object) || PyByteArray_Check(object) || PyDict_Check(object) ||
           PyAnySet_Check(object);
}

bool is_numpy_bool(PyObject* object) {
    static PyObject* type = nullptr;
    if (type == nullptr) type = import_attribute("numpy", "bool_").release();
    if (type == nullptr) PyErr_Clear();
    return reinterpret_cast<PyObject*>(Py_TYPE(object)) == type;
}

// -1 for what is neither true nor false.
int truth_of(PyObject* object) {
    if (object == Py_True) return 1;
    if (object == Py_False) return 0;
    if (PyLong_Check(object)) {
        const long value = PyLong_AsLong(object);
        if (value == -1) PyErr_Clear();
        return value == 0 || value == 1 ? int(value) : -1;
    }
    return is_numpy_bool(object) ? PyObject_IsTrue(object) : -1;
}

}  // namespace

bool IntSequence::read(PyObject* object, const Argument& argument) {
    array_ = {few_, 0};
    if (object == Py_None) return true;
    if (PyLong_CheckExact(object)) {
        array_.size = 1;
        return read_integer(object, argument, few_[0]);
    }
    const bool iterable = PyTuple_CheckExact(object) || !(PyLong_Check(object) || is_no_sequence(object));
    Object sequence(iterable ? PySequence_Tuple(object) : nullptr);
    if (!sequence) {
        if (PyErr_Occurred() && !PyErr_ExceptionMatches(PyExc_TypeError)) return false;
        PyErr_Clear();
        // Arrays have __index__ too: a number is what cannot be iterated over.
        if (PyIndex_Check(object)) {
            array_.size = 1;
            return read_integer(object, argument, few_[0]);
        }
        PyErr_Format(PyExc_TypeError, "%s: %s is %R, expected a whole number or one per axis, such as 2 or (2, 2, 2)",
                     argument.operator_name, argument.name().c_str(), object);
        return false;
    }
    const Py_ssize_t size = PyTuple_Size(sequence.get());
    int64_t* values = few_;
    if (size > kFew) {
        many_.resize(size_t(size));
        values = many_.data();
    }
    for (Py_ssize_t i = 0; i < size; ++i)
        if (!read_integer(PyTuple_GetItem(sequence.get(), i), argument, values[i])) return false;
    array_ = {values, size};
    return true;
}

bool read_scale(PyObject* object, const Argument& argument, double& scale) {
    scale = object == Py_None ? 0.0 : PyFloat_AsDouble(object);
    if (scale != -1.0 || !PyErr_Occurred()) return true;
    const bool too_large = PyErr_ExceptionMatches(PyExc_OverflowError);
    if (!too_large && !PyErr_ExceptionMatches(PyExc_TypeError)) return false;
    PyErr_Clear();
    PyErr_Format(too_large ? PyExc_ValueError : PyExc_TypeError,
                 "%s: %s is %R, expected a number like 2.0; pass None if the scale is not given",
                 argument.operator_name, argument.name().c_str(), object);
    return false;
}

bool read_flag(PyObject* object, const Argument& argument, bool& flag) {
    const int truth = truth_of(object);
    flag = truth == 1;
    if (truth >= 0) return true;
    PyErr_Format(PyExc_TypeError, "%s: %s is %R, expected True or False", argument.operator_name,
                 argument.name().c_str(), object);
    return false;
}

bool read_whole(PyObject* object, const Argument& argument, int bits, int64_t& value) {
    value = 0;
    if (object == Py_None) return true;
    if (!read_integer(object, argument, value, "is")) return false;
    const int64_t most = int64_t((uint64_t(1) << (bits - 1)) - 1);
    if (value >= -most - 1 && value <= most) return true;
    PyErr_Format(PyExc_ValueError, "%s: %s is %S, expected a number of %d bits", argument.operator_name,
                 argument.name().c_str(), object, bits);
    return false;
}

bool read_choice(PyObject* object, const Argument& argument, Word (&words)[2], int& choice) {
    for (choice = 0; choice < 2; ++choice)
        if (words[choice].is(object)) return true;
    for (choice = 0; choice < 2; ++choice)
        if (PyUnicode_Check(object) && PyUnicode_CompareWithASCIIString(object, words[choice].text) == 0) return true;
    const std::string expected = std::string("\"") + words[0].text + "\" or \"" + words[1].text + "\"";
    PyErr_Format(PyExc_ValueError, "%s: %s is %R, expected %s", argument.operator_name, argument.name().c_str(), object,
                 expected.c_str());
    return false;
}

}  // namespace acltwin
