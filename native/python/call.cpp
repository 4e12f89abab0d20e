#include "python/call.h"

#include <unistd.h>

#include <cstring>
#include <new>
#include <optional>
#include <string>

#include "core/memory_overlap.h"
#include "kernels/saturating.h"
#include "python/call_arguments.h"
#include "python/execute.h"
#include "python/inverted_scale.h"
#include "python/recent_calls.h"
#include "python/result.h"

namespace acltwin {
namespace {

// Below this many bytes a kernel takes less time than handing the interpreter lock over.
constexpr size_t kReleaseLockAbove = 32 << 10;

bool check_out_memory(const Operator& op, const Arguments& read) {
    for (int result = op.inputs(); result < op.tensors; ++result) {
        const char* name = op.tensor[result].python_name;
        if (overlaps_itself(read.views[result].tensor)) {
            PyErr_Format(PyExc_ValueError,
                         "%s: %s has overlapping elements (broadcast, or overlapping strides), expected each at its "
                         "own address; pass "
                         "an array whose elements are all distinct",
                         op.name, name);
            return false;
        }
        for (int i = 0; i < result; ++i) {
            if (!share_memory(read.views[i].tensor, read.views[result].tensor)) continue;
            PyErr_Format(PyExc_ValueError, "%s: %s overlaps %s in memory, expected separate memory; pass another array",
                         op.name, name, op.tensor[i].python_name);
            return false;
        }
    }
    return true;
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

std::shared_ptr<const KnownCall> planned(const Operator& op, const Call& call, const CallKey& key) {
    auto found = std::make_shared<KnownCall>(KnownCall{key, {}, op.plan(call), 0});
    for (const Tensor* tensor : {call.tensors[0], call.tensors[op.inputs()]})
        for (int axis = 0; axis < tensor->rank; ++axis) found->cells = saturating_sum(found->cells, tensor->dims[axis]);
    for (int i = 0; i < op.results; ++i) {
        found->results[i] = *call.tensors[op.inputs() + i];
        found->results[i].data = nullptr;
    }
    return found;
}

// Planning and running need no Python object: while a larger call does so, other Python threads go on.
Failure execute_call(const Operator& op, const Call& call, const CallKey& key, std::shared_ptr<const KnownCall> known) {
    struct Unlock {
        PyThreadState* state = PyEval_SaveThread();
        ~Unlock() { lock_again(state); }
    };
    std::optional<Unlock> unlock;
    if (bytes_of(*call.tensors[0]) + bytes_of(*call.tensors[op.inputs()]) > kReleaseLockAbove) unlock.emplace();
    const bool is_new = known == nullptr;
    if (is_new) known = planned(op, call, key);
    Failure failure = execute(known->plan.get(), op, call);
    unlock.reset();
    if (is_new) remember(std::move(known));
    return failure;
}

PyObject* raise_no_memory(const Operator& op, const Tensor& result) {
    return PyErr_Format(PyExc_MemoryError,
                        "%s: there is no memory for a result of %zu bytes; use smaller sizes, or pass memory as `out`",
                        op.name, bytes_of(result));
}

// Autograd must know that a tensor was written, if only in part. False with a Python exception set.
bool count_writes(const Operator& op, const Arguments& read) {
    for (int i = op.inputs(); read.has_out && i < op.tensors; ++i) {
        const ArrayView& view = read.views[i];
        if (view.count_write == nullptr) continue;
        if (!Object(PyObject_CallFunctionObjArgs(view.count_write, view.source, nullptr))) return false;
    }
    return true;
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

bool prepare_input(PyObject* object, const Argument& argument, ArrayView& view) {
    return prepare_array(object, argument, false, view);
}

bool prepare_below_autograd(PyObject* object, const Argument& argument, ArrayView& view) {
    view.below_autograd = true;
    return prepare_array(object, argument, false, view);
}

// Floats, int64 for indices, contiguous and with a single reading of that: where an axis has one cell, PyTorch may take
// a tensor for channels-last, and where there is none, it may refuse.
bool is_usual(const Operator& op, const Arguments& read) {
    constexpr Bits floats = bit(DType::float32) | bit(DType::float16) | bit(DType::bfloat16) | bit(DType::float64);
    for (int i = 0; i < op.inputs(); ++i) {
        const Tensor& tensor = read.views[i].tensor;
        if (!has(op.tensor[i].holds == Holds::indices ? bit(DType::int64) : floats, tensor.dtype)) return false;
        if (tensor.rank > op.axes + 2 || tensor.empty() || !tensor.contiguous()) return false;
        for (int axis = tensor.rank - op.axes - 1; axis < tensor.rank; ++axis)
            if (axis < 0 || tensor.dims[axis] == 1) return false;
    }
    return true;
}

// From here to the kernel's end no Python code runs. False with a Python exception set.
bool look_at_arrays(const Operator& op, Arguments& read) {
    const int count = read.has_out ? op.tensors : op.inputs();
    for (int i = 0; i < count; ++i) {
        const Look look = look_at_array({op.name, op.tensor[i].python_name}, read.views[i]);
        if (look == Look::failed) return false;
        if (look == Look::again) i = -1;
    }
    return true;
}

enum class Warnings { given, left_out };
enum class Taken { all, usual };

PyObject* compute(const Operator& op, Arguments& read, Warnings warnings, Taken taken) {
    if (!look_at_arrays(op, read)) return nullptr;
    const UseTeam use(read.views[0].team);
    if (taken == Taken::usual && !is_usual(op, read)) Py_RETURN_NOTIMPLEMENTED;
    const CallKey key(op, read.call);
    const std::shared_ptr<const KnownCall> known = find_recent(key);
    if (known == nullptr) {
        if (const Failure failure = op.check(read.call)) return raise(op, failure);
    }
    if (warnings == Warnings::given && has_scales(read.call)) {
        const Tensor result = read.has_out       ? *read.call.tensors[op.inputs()]
                              : known != nullptr ? known->results[0]
                                                 : op.infer(read.call, 0);
        const std::string text = inverted_scale(read.call, result);
        // A warning runs Python code: what was seen is void behind it.
        if (!text.empty()) return warn_of_inverted_scale(text) ? compute(op, read, Warnings::left_out, taken) : nullptr;
    }
    for (int i = 0; i < op.inputs(); ++i)
        if (read.views[i].misplaced) copy_misplaced(read.views[i]);
    Result fresh[kMaxResults];
    if (read.has_out) {
        if (!check_out_memory(op, read)) return nullptr;
    } else {
        for (int i = 0; i < op.results; ++i) {
            Tensor& tensor = read.views[op.inputs() + i].tensor;
            tensor = known != nullptr ? known->results[i] : op.infer(read.call, i);
            if (!fresh[i].allocate(tensor)) return raise_no_memory(op, tensor);
            if (op.tensor[op.inputs() + i].holds == Holds::mask)  // of which the operator writes only a part
                std::memset(tensor.data, 0, bytes_of(tensor));
        }
        for (int i = op.inputs(); i < op.tensors; ++i) read.call.tensors[i] = &read.views[i].tensor;
    }
    const Failure failure = execute_call(op, read.call, key, known);
    if (!count_writes(op, read)) return nullptr;
    if (failure) return raise(op, failure);
    return results_of(op, read, fresh);
}

PyObject* call(const Operator& op, PyObject* const* arguments, Py_ssize_t count, Warnings warnings,
               PrepareInput prepare = prepare_input, Taken taken = Taken::all) {
    try {
        Arguments read;
        if (!read_arguments(op, arguments, count, prepare, read)) return nullptr;
        MapRule& map = read.call.mode.map;
        if (prepare == prepare_below_autograd && map == MapRule::torch) map = MapRule::torch_tensor;
        return compute(op, read, warnings, taken);
    } catch (const std::bad_alloc&) {
        return raise_no_working_memory(op);
    }
}

}  // namespace

PyObject* call_operator(const Operator& op, PyObject* const* arguments, Py_ssize_t count) {
    return call(op, arguments, count, Warnings::given);
}

PyObject* call_below_autograd(const Operator& op, PyObject* const* arguments, Py_ssize_t count) {
    return call(op, arguments, count, Warnings::given, prepare_below_autograd);
}

PyObject* call_if_usual(const Operator& op, PyObject* const* arguments, Py_ssize_t count) {
    return call(op, arguments, count, Warnings::given, prepare_below_autograd, Taken::usual);
}

PyObject* run_inferred(PyObject*, PyObject* const* arguments, Py_ssize_t count) {
    const Operator* op = read_operator("run_inferred", arguments, count);
    return op != nullptr ? call(*op, arguments + 1, count - 1, Warnings::left_out) : nullptr;
}

}  // namespace acltwin
