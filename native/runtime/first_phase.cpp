// Phase 1: look up the handles, check the call, find how far the tensors reach, plan.
#include <algorithm>
#include <cstring>
#include <iterator>

#include "core/memory_overlap.h"
#include "runtime/arrays.h"
#include "runtime/executor.h"
#include "runtime/memory.h"
#include "runtime/options.h"

namespace acltwin {
namespace {

// The living objects of a call, and the views of them that the checks see.
struct Resolved {
    std::shared_ptr<DescribedTensor> tensors[kMaxTensors];
    std::shared_ptr<DescribedIntArray> arrays[kMaxArrays];
    std::shared_ptr<DescribedFloatArray> float_arrays[kMaxFloatArrays];
    Tensor views[kMaxTensors];
    IntArray values[kMaxArrays];
    FloatArray float_values[kMaxFloatArrays];
    Call call;
};

Failure bad_argument(const char* name, Kind expected, const void* handle) {
    Failure failure = bad_handle(kInvalidParameter, expected, handle);
    failure.text = sentence(name, ": ", failure.text);
    return failure;
}

template <class Described, class Array>
Failure resolve_array(const char* name, const void* handle, const Lock& lock, std::shared_ptr<Described>* found,
                      Array* values, const Array** argument) {
    if (handle == nullptr) return {};
    *found = find_handle<Described>(handle, lock);
    if (*found == nullptr) return bad_argument(name, Described::kKind, handle);
    *values = {(*found)->values.data(), int64_t((*found)->values.size())};
    *argument = values;
    return {};
}

// Null handles stay null: refusing them is the operator's first check.
Failure resolve(const Operator& op, const HandleCall& handles, const Lock& lock, Resolved* resolved) {
    for (int i = 0; i < op.tensors; ++i) {
        if (handles.tensors[i] == nullptr) continue;
        resolved->tensors[i] = find_handle<DescribedTensor>(handles.tensors[i], lock);
        if (resolved->tensors[i] == nullptr) return bad_argument(op.tensor[i].name, Kind::tensor, handles.tensors[i]);
        resolved->views[i] = resolved->tensors[i]->view();
        resolved->call.tensors[i] = &resolved->views[i];
    }
    for (int i = 0; i < op.arrays; ++i)
        if (Failure failure = resolve_array(op.array[i].name, handles.arrays[i], lock, &resolved->arrays[i],
                                            &resolved->values[i], &resolved->call.arrays[i]))
            return failure;
    for (int i = 0; i < op.float_arrays; ++i)
        if (Failure failure =
                resolve_array(op.float_array[i].name, handles.float_arrays[i], lock, &resolved->float_arrays[i],
                              &resolved->float_values[i], &resolved->call.float_arrays[i]))
            return failure;
    std::copy(std::begin(handles.scalars), std::end(handles.scalars), resolved->call.scalars);
    return {};
}

Failure look_up(const Operator& op, const HandleCall& handles, const Lock& lock, Resolved* resolved) {
    const Options& chosen = options(lock);
    if (!chosen.problem.empty()) return refuse_by("environment", kInvalidParameter, chosen.problem);
    resolved->call.op = &op;
    resolved->call.mode = {Door::aclnn, chosen.profile, chosen.soc, MapRule::device};
    return resolve(op, handles, lock, resolved);
}

// A view must stay in its storage, and the storage in its block, if its address is known already.
Failure measure_argument(const TensorArgument& declared, const DescribedTensor& tensor, Executor::Argument* argument) {
    const char* const name = declared.name;
    argument->view = tensor.view();
    // A type without a size has passed the checks only because another tensor is empty: nothing will be touched.
    if (argument->view.empty() || size_of(tensor.dtype) == 0) return {};
    if (Failure failure = measure(name, tensor, &argument->extent)) return failure;
    argument->extent.alignment = alignment_of(declared.holds, argument->extent.alignment);
    void* const storage = tensor.storage;
    if (storage == nullptr) return {};
    Held held;
    char* data = nullptr;
    Failure failure = find_storage(name, storage, argument->extent, kAnyDevice, lock_runtime(), &held, &data);
    if (failure) failure.code = kInvalidParameter;
    return failure;
}

Failure measure_arguments(const Operator& op, const HandleCall& handles, const Resolved& resolved, Executor* executor) {
    for (int i = 0; i < op.tensors; ++i) {
        executor->arguments[i].handle = handles.tensors[i];
        if (Failure failure = measure_argument(op.tensor[i], *resolved.tensors[i], &executor->arguments[i]))
            return failure;
    }
    for (int i = op.inputs(); i < op.tensors; ++i)
        if (overlaps_itself(executor->arguments[i].view)) {
            if (check::on) check::will_refuse(check::Id::use_overlap);
            return refuse_by("overlap", kInvalidParameter, op.tensor[i].name,
                             " has overlapping elements, expected each at an address of its own; correct its "
                             "strides");
        }
    return {};
}

Failure plan_call(const Operator& op, const HandleCall& handles, uint64_t* workspace_size, aclOpExecutor** handle) {
    if (workspace_size == nullptr)
        return refuse_by("workspace_size_null", kNullPointer,
                         "workspaceSize is null, expected an address to write to; pass the address of a variable");
    if (handle == nullptr)
        return refuse_by("executor_null", kNullPointer,
                         "executor is null, expected an address to write to; pass the address of a variable");
    Resolved resolved;
    if (Failure failure = look_up(op, handles, lock_runtime(), &resolved)) return failure;
    if (Failure failure = op.check(resolved.call)) return failure;

    auto executor = std::make_shared<Executor>();
    executor->op = &op;
    if (Failure failure = measure_arguments(op, handles, resolved, executor.get())) return failure;
    executor->plan = op.plan(resolved.call);
    const size_t scratch = executor->plan != nullptr ? executor->plan->scratch_bytes() : 0;
    executor->workspace_size = scratch > 0 ? scratch + kScratchAlignment : 0;
    const uint64_t size = executor->workspace_size;
    *handle = static_cast<aclOpExecutor*>(add_handle(std::move(executor), lock_runtime()));
    *workspace_size = size;
    return {};
}

}  // namespace

aclnnStatus get_workspace_size(const Operator& op, const HandleCall& call, uint64_t* workspace_size,
                               aclOpExecutor** executor) {
    constexpr char kEnding[] = "GetWorkspaceSize";
    char function[128];  // no memory is needed to say that there is none
    const size_t length = std::min(std::strlen(op.aclnn_name), sizeof function - sizeof kEnding);
    std::memcpy(function, op.aclnn_name, length);
    std::memcpy(function + length, kEnding, sizeof kEnding);
    return answer(function, [&] { return plan_call(op, call, workspace_size, executor); });
}

}  // namespace acltwin
