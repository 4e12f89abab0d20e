#include "python/infer.h"

#include <algorithm>
#include <cstring>
#include <new>

#include "core/dtypes.h"
#include "python/call_arguments.h"
#include "python/inverted_scale.h"

namespace acltwin {
namespace {

DType dtype_named(const char* name) {
    return find_dtype([&](const DTypeFacts& facts) { return std::strcmp(facts.name, name) == 0; });
}

// Strides stay 0: no check looks at those of an input.
bool read_description(PyObject* object, const Argument& argument, ArrayView& view) {
    if (!PyTuple_Check(object)) {
        PyErr_Format(PyExc_TypeError, "%s: %s is %R, expected a pair of a dtype's name and a shape",
                     argument.operator_name, argument.name().c_str(), object);
        return false;
    }
    const char* dtype = nullptr;
    PyObject* shape = nullptr;
    IntSequence dims;
    if (!PyArg_ParseTuple(object, "sO:infer", &dtype, &shape) || !dims.read(shape, argument)) return false;
    Tensor& tensor = view.tensor;
    tensor.dtype = dtype_named(dtype);
    tensor.rank = int(dims.array()->size);
    std::copy_n(dims.array()->values, std::min(tensor.rank, kMaxRank), tensor.dims);
    return true;
}

PyObject* describe(const Tensor& tensor) {
    Object shape(PyTuple_New(tensor.rank));
    for (int i = 0; shape && i < tensor.rank; ++i) {
        PyObject* dim = PyLong_FromLongLong(tensor.dims[i]);
        if (dim == nullptr) return nullptr;
        PyTuple_SetItem(shape.get(), i, dim);
    }
    return shape ? Py_BuildValue("(sO)", name_of(tensor.dtype), shape.get()) : nullptr;
}

PyObject* infer_checked(const Operator& op, PyObject* const* arguments, Py_ssize_t count) {
    Arguments read;
    if (!read_arguments(op, arguments, count, read_description, read)) return nullptr;
    if (read.has_out) {
        PyErr_Format(PyExc_TypeError, "%s: out is given, expected None; nothing is written here", op.name);
        return nullptr;
    }
    if (const Failure failure = op.check(read.call)) return raise(op, failure);
    if (has_scales(read.call)) {
        const std::string text = inverted_scale(read.call, op.infer(read.call, 0));
        if (!text.empty() && !warn_of_inverted_scale(text)) return nullptr;
    }
    Object results(PyList_New(op.results));
    for (int i = 0; results && i < op.results; ++i) {
        PyObject* result = describe(op.infer(read.call, i));
        if (result == nullptr) return nullptr;
        PyList_SetItem(results.get(), i, result);
    }
    return results.release();
}

}  // namespace

PyObject* infer_results(PyObject*, PyObject* const* arguments, Py_ssize_t count) {
    const Operator* op = read_operator("infer", arguments, count);
    if (op == nullptr) return nullptr;
    try {
        return infer_checked(*op, arguments + 1, count - 1);
    } catch (const std::bad_alloc&) {
        return raise_no_working_memory(*op);
    }
}

}  // namespace acltwin
