#include "python/call_arguments.h"

#include "python/array_view_refusals.h"
#include "python/execute.h"

namespace acltwin {
namespace {

Word volume_formats[] = {{"NCDHW"}, {"NDHWC"}};
Word image_formats[] = {{"NCHW"}, {"NHWC"}};
Word line_formats[] = {{"NCL"}, {"NLC"}};
Word index_types[] = {{"int32"}, {"int64"}};
Word rules[] = {{"device"}, {"torch"}};

bool read_modes(const Operator& op, PyObject* const* arguments, Arguments& read) {
    int format = 0, rule = 0;
    Word(&formats)[2] = op.axes == 3 ? volume_formats : op.axes == 2 ? image_formats : line_formats;
    if (!read_choice(arguments[0], {op.name, "data_format"}, formats, format) ||
        !read_choice(arguments[1], {op.name, "rule"}, rules, rule))
        return false;
    const Format chosen = format == 1 ? op.channels_last_format() : Format::nd;
    for (int i = 0; i < op.tensors; ++i) read.views[i].tensor.format = chosen;
    read.call.mode.map = rule == 1 ? MapRule::torch : MapRule::device;
    return true;
}

bool read_index_dtype(const Operator& op, PyObject* argument, Arguments& read) {
    int choice = 0;
    if (!read_choice(argument, {op.name, "index_dtype"}, index_types, choice)) return false;
    read.call.index_dtype = choice == 1 ? DType::int64 : DType::int32;
    return true;
}

bool read_result(const Operator& op, PyObject* out, int result, Arguments& read) {
    const int i = op.inputs() + result;
    read.views[i].holds = op.tensor[i].holds;
    if (!prepare_array(out, {op.name, op.tensor[i].python_name}, true, read.views[i])) return false;
    read.call.tensors[i] = &read.views[i].tensor;
    return true;
}

// `out` is None, the result, or a sequence of as many results as the operator has.
bool read_results(const Operator& op, PyObject* out, Arguments& read) {
    read.has_out = out != Py_None;
    if (!read.has_out) return true;
    if (op.results == 1) return read_result(op, out, 0, read);
    const bool sequence = PySequence_Check(out) == 1 && PySequence_Size(out) == op.results;
    PyErr_Clear();
    if (!sequence) {
        PyErr_Format(PyExc_TypeError, "%s: out is of type %s, expected a pair (out, %s) of arrays; pass both, or None",
                     op.name, type_name(out).c_str(), op.tensor[op.tensors - 1].python_name);
        return false;
    }
    for (int result = 0; result < op.results; ++result) {
        read.out[result] = Object(PySequence_GetItem(out, result));
        if (!read.out[result] || !read_result(op, read.out[result].get(), result, read)) return false;
    }
    return true;
}

bool read_scalar(PyObject* object, const Argument& argument, ArgumentKind kind, Scalar& scalar) {
    if (kind == ArgumentKind::real) return read_scale(object, argument, scalar.real);
    if (kind != ArgumentKind::boolean)
        return read_whole(object, argument, kind == ArgumentKind::int8 ? 8 : 64, scalar.integer);
    bool flag = false;
    if (!read_flag(object, argument, flag)) return false;
    scalar = flag;
    return true;
}

// What the function does not take keeps its zeros.
bool read_numbers(const Operator& op, PyObject* const* arguments, Arguments& read) {
    int array = 0, scalar = 0;
    for (int i = op.inputs(); i < op.parameters; ++i) {
        if (op.parameter[i] == ArgumentKind::ints) {
            if (!read.arrays[array].read(arguments[i], {op.name, op.array[array].python_name})) return false;
            read.call.arrays[array] = read.arrays[array].array();
            ++array;
            continue;
        }
        while (op.scalar[scalar].python_name == nullptr) ++scalar;
        const NamedArgument& named = op.scalar[scalar];
        if (!read_scalar(arguments[i], {op.name, named.python_name}, named.kind, read.call.scalars[scalar]))
            return false;
        ++scalar;
    }
    return true;
}

}  // namespace

const Operator* read_operator(const char* function, PyObject* const* arguments, Py_ssize_t count) {
    const char* name = count > 0 && PyUnicode_Check(arguments[0]) ? PyUnicode_AsUTF8AndSize(arguments[0], nullptr) : "";
    if (name == nullptr) return nullptr;
    const Operator* op = find_operator(name);
    if (op != nullptr && op->c_only) op = nullptr;
    if (op == nullptr)
        PyErr_Format(PyExc_ValueError, "%s: expected the name of an operator first, got \"%s\"", function, name);
    return op;
}

bool read_arguments(const Operator& op, PyObject* const* arguments, Py_ssize_t count, PrepareInput prepare_input,
                    Arguments& read) {
    const int expected = op.parameters + op.makes_indices() + 3;
    if (count != expected) {
        PyErr_Format(PyExc_TypeError, "%s: expected %d arguments, got %zd", op.name, expected, count);
        return false;
    }
    read.call.op = &op;
    PyObject* const* others = arguments + op.parameters;
    if (!read_numbers(op, arguments, read)) return false;
    if (op.makes_indices() && !read_index_dtype(op, *others++, read)) return false;
    if (!read_modes(op, others, read)) return false;
    for (int i = 0; i < op.inputs(); ++i) {
        read.views[i].holds = op.tensor[i].holds;
        if (!prepare_input(arguments[i], {op.name, op.tensor[i].python_name}, read.views[i])) return false;
        read.call.tensors[i] = &read.views[i].tensor;
    }
    return read_results(op, others[2], read);
}

PyObject* raise(const Operator& op, const Failure& failure) {
    PyObject* type = failure.raises == Raises::index_error  ? PyExc_IndexError
                     : failure.raises == Raises::type_error ? PyExc_TypeError
                                                            : PyExc_ValueError;
    PyErr_SetString(type, message_of(op, failure).c_str());
    return nullptr;
}

PyObject* raise_no_working_memory(const Operator& op) {
    return PyErr_Format(PyExc_MemoryError, "%s: there is no memory to work with; use smaller sizes", op.name);
}

}  // namespace acltwin
