#include "python/call.h"

#include <unistd.h>

#include <cstdlib>
#include <cstring>
#include <memory>
#include <string>

#include "core/memory_overlap.h"
#include "python/arguments.h"
#include "python/array_view.h"
#include "python/result.h"

namespace acltwin {
namespace {

constexpr const char* kVolumeFormats[] = {"NCDHW", "NDHWC", nullptr};
constexpr const char* kImageFormats[] = {"NCHW", "NHWC", nullptr};
constexpr const char* kIndexTypes[] = {"int32", "int64", nullptr};
constexpr const char* kRules[] = {"device", "torch", nullptr};

// Below this many bytes a kernel takes less time than handing the interpreter lock over.
constexpr size_t kReleaseLockAbove = 32 << 10;

struct Arguments {
    Object out[kMaxResults];  // of a pair: views only borrow
    ArrayView views[kMaxTensors];
    IntSequence arrays[kMaxArrays];
    Call call;
    bool has_out = false;
};

bool is_dtype_rule(const char* rule) {
    const size_t length = std::strlen(rule);
    return length >= 6 && std::strcmp(rule + length - 6, "_dtype") == 0;
}

PyObject* raise(const Operator& op, const Failure& failure) {
    PyObject* type = std::strcmp(failure.rule, "index_range") == 0 ? PyExc_IndexError
                     : is_dtype_rule(failure.rule)                 ? PyExc_TypeError
                                                                   : PyExc_ValueError;
    PyErr_Format(type, "%s: %s [%s]", op.name, failure.text.c_str(), failure.rule);
    return nullptr;
}

bool is_2d(const Operator& op) { return op.scales == 2; }
// Of two results the second holds indices, whose type the caller chooses.
bool makes_indices(const Operator& op) { return op.results == 2; }

bool read_modes(const Operator& op, PyObject* const* arguments, Arguments& read) {
    int format = 0, rule = 0;
    if (!read_choice(arguments[0], {op.name, "dataFormat"}, is_2d(op) ? kImageFormats : kVolumeFormats, format) ||
        !read_choice(arguments[1], {op.name, "rule"}, kRules, rule))
        return false;
    const Format channels_last = is_2d(op) ? Format::nhwc : Format::ndhwc;
    for (ArrayView& view : read.views) view.tensor.format = format == 1 ? channels_last : Format::nd;
    read.call.mode.map = rule == 1 ? MapRule::torch : MapRule::device;
    return true;
}

bool read_index_dtype(const Operator& op, PyObject* argument, Arguments& read) {
    int choice = 0;
    if (!read_choice(argument, {op.name, "indexDtype"}, kIndexTypes, choice)) return false;
    read.call.index_dtype = choice == 1 ? DType::int64 : DType::int32;
    return true;
}

bool read_result(const Operator& op, PyObject* out, int result, Arguments& read) {
    const int i = op.inputs() + result;
    if (!view_array(out, {op.name, op.tensor_names[i]}, true, read.views[i])) return false;
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
        PyErr_Format(PyExc_TypeError, "%s: out is of %R, expected a pair (out, %s) of arrays; pass both, or None",
                     op.name, reinterpret_cast<PyObject*>(Py_TYPE(out)), op.tensor_names[op.tensors - 1]);
        return false;
    }
    for (int result = 0; result < op.results; ++result) {
        read.out[result] = Object(PySequence_GetItem(out, result));
        if (!read.out[result] || !read_result(op, read.out[result].get(), result, read)) return false;
    }
    return true;
}

bool read_arguments(const Operator& op, PyObject* const* arguments, Arguments& read) {
    const auto named = [&](const char* camel_case) { return Argument{op.name, camel_case}; };
    for (int i = 0; i < op.inputs(); ++i, ++arguments) {
        if (!view_array(*arguments, named(op.tensor_names[i]), false, read.views[i])) return false;
        read.call.tensors[i] = &read.views[i].tensor;
    }
    for (int i = 0; i < op.arrays; ++i, ++arguments) {
        if (!read.arrays[i].read(*arguments, named(op.array_names[i]))) return false;
        read.call.arrays[i] = read.arrays[i].array();
    }
    for (int i = 0; i < op.scales; ++i, ++arguments)
        if (!read_scale(*arguments, named(op.scale_names[i]), read.call.scales[i])) return false;
    if (op.flag_name != nullptr && !read_flag(*arguments++, named(op.flag_name), read.call.flag)) return false;
    if (makes_indices(op) && !read_index_dtype(op, *arguments++, read)) return false;
    return read_modes(op, arguments, read) && read_results(op, arguments[2], read);
}

bool check_out_memory(const Operator& op, const Arguments& read) {
    for (int result = op.inputs(); result < op.tensors; ++result) {
        const std::string name = argument_name(op.tensor_names[result], Door::array);
        if (overlaps_itself(read.views[result].tensor)) {
            PyErr_Format(PyExc_ValueError,
                         "%s: %s has several elements at one place in memory (broadcast or overlapping strides); pass "
                         "an array whose elements are all distinct",
                         op.name, name.c_str());
            return false;
        }
        for (int i = 0; i < result; ++i) {
            if (!share_memory(read.views[i].tensor, read.views[result].tensor)) continue;
            PyErr_Format(PyExc_ValueError, "%s: %s lies in the same memory as %s; pass memory of its own", op.name,
                         name.c_str(), argument_name(op.tensor_names[i], Door::array).c_str());
            return false;
        }
    }
    return true;
}

// Scratch memory comes from the stack for small calls and from malloc for the rest.
Failure run_plan(const Plan& plan, void* const* data) {
    alignas(64) char small[4096];
    if (plan.scratch_bytes() <= sizeof small) return plan.run(data, small);
    const size_t bytes = (plan.scratch_bytes() + 63) / 64 * 64;
    std::unique_ptr<void, void (*)(void*)> scratch(std::aligned_alloc(64, bytes), std::free);
    if (!scratch) throw std::bad_alloc();
    return plan.run(data, scratch.get());
}

size_t bytes_of(const Tensor& tensor) {
    size_t bytes = size_of(tensor.dtype);
    for (int i = 0; i < tensor.rank; ++i)
        if (__builtin_mul_overflow(bytes, size_t(tensor.dims[i]), &bytes)) return SIZE_MAX;
    return bytes;
}

Failure run_call(const Operator& op, const Call& call) {
    const std::unique_ptr<Plan> plan = op.plan(call);
    if (plan == nullptr) return {};
    void* data[kMaxTensors] = {};
    for (int i = 0; i < op.tensors; ++i) data[i] = call.tensors[i]->data;
    return run_plan(*plan, data);
}

// Once the interpreter has ended, Python ends every other thread that wants the lock by unwinding its stack. That would
// run our destructors without the lock, so such a thread waits here for the end of the process instead.
void lock_again(PyThreadState* state) {
    try {
        PyEval_RestoreThread(state);
    } catch (...) {
        for (;;) pause();
    }
}

// Planning and running need no Python object: other Python threads go on meanwhile.
Failure run_unlocked(const Operator& op, const Call& call) {
    struct Unlock {
        PyThreadState* state = PyEval_SaveThread();
        ~Unlock() { lock_again(state); }
    };
    const bool small = bytes_of(*call.tensors[0]) + bytes_of(*call.tensors[op.inputs()]) <= kReleaseLockAbove;
    if (small) return run_call(op, call);
    const Unlock unlock;
    return run_call(op, call);
}

// The array, or a tuple of them.
PyObject* results_of(const Operator& op, Arguments& read, Result* fresh) {
    const auto finished = [&](int i) {
        ArrayView& view = read.views[op.inputs() + i];
        if (!read.has_out) return fresh[i].finish(view.tensor, read.views[0]);
        Py_INCREF(view.source);
        return Object(view.source);
    };
    if (op.results == 1) return finished(0).release();
    Object tuple(PyTuple_New(op.results));
    for (int i = 0; tuple && i < op.results; ++i) {
        Object result = finished(i);
        if (!result) return nullptr;
        PyTuple_SetItem(tuple.get(), i, result.release());
    }
    return tuple.release();
}

PyObject* call_checked(const Operator& op, PyObject* const* arguments) {
    Arguments read;
    if (!read_arguments(op, arguments, read)) return nullptr;
    if (const Failure failure = op.check(read.call)) return raise(op, failure);
    Result fresh[kMaxResults];
    if (read.has_out) {
        if (!check_out_memory(op, read)) return nullptr;
    } else {
        for (int i = 0; i < op.results; ++i) {
            Tensor& tensor = read.views[op.inputs() + i].tensor;
            tensor = op.infer(read.call, i);
            if (!fresh[i].allocate(tensor)) return nullptr;
        }
        for (int i = op.inputs(); i < op.tensors; ++i) read.call.tensors[i] = &read.views[i].tensor;
    }
    if (Failure failure = run_unlocked(op, read.call)) {
        failure.text = spelled(failure.text, Door::array);
        return raise(op, failure);
    }
    return results_of(op, read, fresh);
}

}  // namespace

PyObject* call_operator(const Operator& op, PyObject* const* arguments, Py_ssize_t count) {
    const int expected = op.inputs() + op.arrays + op.scales + (op.flag_name != nullptr) + makes_indices(op) + 3;
    if (count != expected) {
        PyErr_Format(PyExc_TypeError, "%s: expected %d arguments, got %zd", op.name, expected, count);
        return nullptr;
    }
    try {
        return call_checked(op, arguments);
    } catch (const std::bad_alloc&) {
        return PyErr_NoMemory();
    }
}

}  // namespace acltwin
