// What a caller may do with an executor between and after the two phases.
#include "runtime/executor.h"

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

Failure move_tensor(aclOpExecutor* handle, Span (*span_of)(const Operator&), size_t index, const aclTensor* tensor,
                    void* address) {
    const Lock lock = lock_runtime();
    std::shared_ptr<Executor> executor;
    if (Failure failure = find_executor(handle, lock, &executor)) return failure;
    if (tensor == nullptr)
        return refuse(ACLNN_ERR_INNER_NULLPTR, "tensor is null, expected the one given to phase 1; pass its handle");
    if (address == nullptr)
        return refuse(ACLNN_ERR_INNER_NULLPTR, "addr is null, expected a device address; pass one from aclrtMalloc");
    if (!executor->repeatable)
        return refuse_by("executor", kInvalidParameter,
                         "executor runs only once; call aclSetAclOpExecutorRepeatable right after phase 1");
    const Span span = span_of(*executor->op);
    if (index >= size_t(span.count))
        return refuse(kInvalidParameter, "index is ", index, ", expected 0 to ", span.count - 1, " for ",
                      executor->op->aclnn_name, "; count the tensors in the order of its arguments");
    Executor::Argument& argument = executor->arguments[size_t(span.first) + index];
    if (argument.handle != tensor)
        return refuse(kInvalidParameter, "tensor is not the ", executor->op->tensor[size_t(span.first) + index].name,
                      " given to phase 1; pass that tensor, and index ", index, " for it");
    argument.moved_to = address;
    return {};
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

aclnnStatus aclSetInputTensorAddr(aclOpExecutor* executor, const size_t index, aclTensor* tensor, void* addr) {
    return answer(__func__, [&] { return move_tensor(executor, inputs, index, tensor, addr); });
}

aclnnStatus aclSetOutputTensorAddr(aclOpExecutor* executor, const size_t index, aclTensor* tensor, void* addr) {
    return answer(__func__, [&] { return move_tensor(executor, outputs, index, tensor, addr); });
}

aclnnStatus aclSetTensorAddr(aclOpExecutor* executor, const size_t index, aclTensor* tensor, void* addr) {
    return answer(__func__, [&] { return move_tensor(executor, all, index, tensor, addr); });
}
