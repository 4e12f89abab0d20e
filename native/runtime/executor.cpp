// What a caller may do with an executor between and after the two phases.
#include "runtime/executor.h"

#include "runtime/arrays.h"

namespace acltwin {
namespace {

Failure find_executor(aclOpExecutor* handle, const Lock& lock, std::shared_ptr<Executor>* executor) {
    if (handle == nullptr)
        return refuse_by("executor", ACLNN_ERR_INNER_NULLPTR,
                         "executor is null, expected the one that phase 1 gave; check the status of phase 1");
    *executor = find_handle<Executor>(handle, lock);
    if (*executor != nullptr) return {};
    Failure failure = bad_handle(ACLNN_ERR_INNER, Kind::executor, handle);
    failure.rule = "executor";
    return failure;
}

// Which of an operator's tensors a function counts.
struct Span {
    int first, count;
};
Span inputs(const Operator& op) { return {0, op.inputs()}; }
Span outputs(const Operator& op) { return {op.inputs(), op.results}; }
Span all(const Operator& op) { return {0, op.tensors}; }
using Tensors = Span (*)(const Operator& op);

// The tensor of a phase 1 that may be moved: the one at this place, of an executor that runs more than once.
Failure check_place(const Executor& executor, const Span& span, size_t index, const aclTensor* tensor) {
    if (!executor.repeatable)
        return refuse_by("executor", kInvalidParameter,
                         "executor runs only once; call aclSetAclOpExecutorRepeatable right after phase 1");
    if (index >= size_t(span.count))
        return refuse(kInvalidParameter, "index is ", index, ", expected 0 to ", span.count - 1, " for ",
                      executor.op->aclnn_name, "; count the tensors in the order of its arguments");
    const size_t place = size_t(span.first) + index;
    if (executor.arguments[place].handle != tensor)
        return refuse(kInvalidParameter, "tensor is not the ", executor.op->tensor[place].name,
                      " given to phase 1; pass that tensor, and index ", index, " for it");
    return {};
}

// Moves the tensor itself, as on the device: all executors that use it see the new address.
Failure move_tensor(aclOpExecutor* handle, Tensors tensors, size_t index, const aclTensor* tensor, void* address,
                    const Lock& lock) {
    if (tensor == nullptr)
        return refuse(ACLNN_ERR_INNER_NULLPTR, "tensor is null, expected the one given to phase 1; pass its handle");
    if (address == nullptr)
        return refuse(ACLNN_ERR_INNER_NULLPTR, "addr is null, expected a device address; pass one from aclrtMalloc");
    const auto moved = find_handle<DescribedTensor>(tensor, lock);
    if (moved == nullptr) return bad_handle(kInvalidParameter, Kind::tensor, tensor);
    std::shared_ptr<Executor> executor;
    Failure failure = find_executor(handle, lock, &executor);
    if (executor != nullptr) failure = check_place(*executor, tensors(*executor->op), index, tensor);
    // Without an executor the call fails and the tensor is moved, which programs use before phase 1.
    if (!failure || handle == nullptr) moved->storage = address;
    return failure;
}

aclnnStatus set_address(const char* function, aclOpExecutor* executor, Tensors tensors, size_t index,
                        const aclTensor* tensor, void* address) {
    return answer(function, [&] { return move_tensor(executor, tensors, index, tensor, address, lock_runtime()); });
}

// No operator here takes a list: what counts is that its tensor was given to phase 1 at this place.
aclnnStatus set_address_in_list(const char* function, aclOpExecutor* executor, Tensors tensors, size_t index,
                                size_t member, const aclTensorList* handle, void* address) {
    return answer(function, [&]() -> Failure {
        if (handle == nullptr)
            return refuse(ACLNN_ERR_INNER_NULLPTR,
                          "tensors is null, expected a list of tensors; pass what aclCreateTensorList gave");
        const Lock lock = lock_runtime();
        const auto list = find_handle<DescribedTensorList>(handle, lock);
        if (list == nullptr) return bad_handle(kInvalidParameter, Kind::tensor_list, handle);
        if (member >= list->values.size())
            return refuse(kInvalidParameter, "relativeIndex is ", member, ", expected less than ", list->values.size(),
                          ", the tensors of the list; count them from 0");
        return move_tensor(executor, tensors, index, list->values[member], address, lock);
    });
}

}  // namespace
}  // namespace acltwin

using namespace acltwin;

aclnnStatus aclSetAclOpExecutorRepeatable(aclOpExecutor* executor) {
    return answer(__func__, [&]() -> Failure {
        const Lock lock = lock_runtime();
        std::shared_ptr<Executor> found;
        if (Failure failure = find_executor(executor, lock, &found)) return failure;
        found->repeatable = true;
        return {};
    });
}

aclnnStatus aclDestroyAclOpExecutor(aclOpExecutor* executor) {
    return answer(__func__, [&]() -> Failure {
        std::shared_ptr<Executor> found;  // outlives the lock: a plan may be large
        const Lock lock = lock_runtime();
        if (Failure failure = find_executor(executor, lock, &found)) return failure;
        remove_handle<Executor>(executor, lock);
        return {};
    });
}

// Programs use both spellings.
#define SET_TENSOR_ADDR(name, tensors)                                                             \
    aclnnStatus name(aclOpExecutor* executor, const size_t index, aclTensor* tensor, void* addr) { \
        return set_address(__func__, executor, tensors, index, tensor, addr);                      \
    }
SET_TENSOR_ADDR(aclSetInputTensorAddr, inputs)
SET_TENSOR_ADDR(AclSetInputTensorAddr, inputs)
SET_TENSOR_ADDR(aclSetOutputTensorAddr, outputs)
SET_TENSOR_ADDR(AclSetOutputTensorAddr, outputs)
SET_TENSOR_ADDR(aclSetTensorAddr, all)
SET_TENSOR_ADDR(AclSetTensorAddr, all)

#define SET_DYNAMIC_TENSOR_ADDR(name, tensors_of)                                                                 \
    aclnnStatus name(aclOpExecutor* executor, size_t irIndex, const size_t relativeIndex, aclTensorList* tensors, \
                     void* addr) {                                                                                \
        return set_address_in_list(__func__, executor, tensors_of, irIndex, relativeIndex, tensors, addr);        \
    }
SET_DYNAMIC_TENSOR_ADDR(aclSetDynamicInputTensorAddr, inputs)
SET_DYNAMIC_TENSOR_ADDR(AclSetDynamicInputTensorAddr, inputs)
SET_DYNAMIC_TENSOR_ADDR(aclSetDynamicOutputTensorAddr, outputs)
SET_DYNAMIC_TENSOR_ADDR(AclSetDynamicOutputTensorAddr, outputs)
SET_DYNAMIC_TENSOR_ADDR(aclSetDynamicTensorAddr, all)
SET_DYNAMIC_TENSOR_ADDR(AclSetDynamicTensorAddr, all)
