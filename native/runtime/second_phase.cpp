// Phase 2: find the data of a planned call and queue it.
#include <algorithm>
#include <array>

#include "core/memory_overlap.h"
#include "ops/verbose.h"
#include "runtime/executor.h"
#include "runtime/memory.h"
#include "runtime/stream.h"

namespace acltwin {
namespace {

// A plan with its addresses.
struct Launch {
    const Operator* op = nullptr;
    std::shared_ptr<const Plan> plan;
    void* data[kMaxTensors] = {};
    void* scratch = nullptr;
    std::string description;  // for users who want to see every call

    Failure run() const {
        Failure failure = verbose() ? run_verbosely(*plan, data, scratch, description) : plan->run(data, scratch);
        if (failure) failure.text = op->spelled(failure.text, Door::aclnn);
        return failure;
    }
};

Failure as_runtime_error(Failure failure) {
    failure.text += sentence(" (runtime status ", failure.code, ")");
    failure.code = ACLNN_ERR_RUNTIME_ERROR;
    return failure;
}

// One-shot executors end here, whatever comes of the rest.
Failure take_executor(const Operator& op, aclOpExecutor* handle, const Lock& lock,
                      std::shared_ptr<Executor>* executor) {
    if (check::on) check::ran_executor(handle, lock);
    if (handle == nullptr) {
        if (check::on) check::will_refuse(check::Id::use_executor_twice, handle);
        return refuse_by("executor", kNullPointer,
                         "executor is null, expected the one that phase 1 gave; check the status of phase 1");
    }
    *executor = find_handle<Executor>(handle, lock);
    if (*executor != nullptr && !(*executor)->repeatable) remove_handle<Executor>(handle, lock);
    if (*executor == nullptr) {
        Failure failure = bad_handle(ACLNN_ERR_INNER, Kind::executor, handle);
        if (check::on) check::will_refuse(check::Id::use_executor_twice, handle);
        failure.rule = "executor";
        failure.text = failure.text.substr(0, failure.text.find(';')) +
                       "; phase 2 ends an executor: call phase 1 again, or make it repeatable right after phase 1";
        return failure;
    }
    if ((*executor)->op != &op)
        return refuse_by("executor", kInvalidParameter, "executor was planned by ", (*executor)->op->aclnn_name,
                         "GetWorkspaceSize, expected one of ", op.aclnn_name, "GetWorkspaceSize; pair the two phases");
    return {};
}

// The blocks are held, so a free while the launch waits does not pull them away. `storages` is for check mode.
Failure place_argument(const Executor& executor, int i, int device, const Lock& lock, Launch* launch, Held* held,
                       const void** storages) {
    const Executor::Argument& argument = executor.arguments[i];
    const char* name = executor.op->tensor[i].name;
    const auto tensor = find_handle<DescribedTensor>(argument.handle, lock);
    if (tensor == nullptr) {
        if (check::on) check::will_refuse(check::Id::use_tensor_destroyed_between_phases, argument.handle);
        return refuse_by("tensor_destroyed", kInvalidParameter, name,
                         " was destroyed between the phases, expected a live tensor; destroy tensors after phase 2");
    }
    if (argument.view.empty()) return {};
    char* storage = static_cast<char*>(tensor->storage.load());
    if (storage == nullptr)
        return refuse_by(
            "device_address", ACLNN_ERR_RUNTIME_ERROR, name,
            " has no data, expected an address from aclrtMalloc; create it with one, or set one before phase 2");
    char* data = nullptr;
    if (Failure failure = find_storage(name, storage, argument.extent, device, lock, held, &data))
        return as_runtime_error(std::move(failure));
    storages[i] = storage;
    launch->data[i] = data + argument.extent.first_element;
    return {};
}

Failure place_workspace(const Executor& executor, void* workspace, uint64_t size, int device, const Lock& lock,
                        Launch* launch, Held* held) {
    if (executor.workspace_size == 0) return {};
    if (check::on && size < executor.workspace_size)
        check::will_refuse(check::Id::bounds_workspace_too_small, workspace);
    if (size < executor.workspace_size)
        return refuse_by("workspace_size", kInvalidParameter, "workspaceSize is ", size, ", expected at least ",
                         executor.workspace_size, "; allocate what phase 1 asked for and pass it on");
    char* data = nullptr;
    if (Failure failure = find_range("workspace", workspace, executor.workspace_size, device, lock, held, &data)) {
        if (check::on && block_holding(workspace, lock) != nullptr)
            check::will_refuse(check::Id::bounds_workspace_too_small, workspace);
        return as_runtime_error(std::move(failure));
    }
    const uintptr_t address = reinterpret_cast<uintptr_t>(workspace);
    launch->scratch = data + (-address & (kScratchAlignment - 1));
    return {};
}

Failure refuse_sharing(const char* a, const char* b) {
    if (check::on) check::will_refuse(check::Id::use_overlap);
    return refuse_by("overlap", kInvalidParameter, a, " and ", b,
                     " overlap in memory, expected separate blocks; give each its own block");
}

// A kernel checks an index and uses it later, and trusts what it left in its scratch memory: neither may be written
// over. Two results in one place are none.
Failure check_overlaps(const Executor& executor, const Launch& launch) {
    const Operator& op = *executor.op;
    Tensor views[kMaxTensors], scratch;
    for (int i = 0; i < op.tensors; ++i) {
        views[i] = executor.arguments[i].view;
        views[i].data = launch.data[i];
    }
    scratch.data = launch.scratch;
    scratch.dtype = DType::uint8;
    scratch.rank = 1;
    scratch.dims[0] = int64_t(launch.plan->scratch_bytes());
    scratch.strides[0] = 1;
    for (int i = 0; i < op.tensors; ++i) {
        const char* name = op.tensor[i].name;
        if (share_memory(scratch, views[i])) return refuse_sharing("workspace", name);
        if (i < op.inputs() && !holds_places(op.tensor[i].holds)) continue;
        for (int result = std::max(op.inputs(), i + 1); result < op.tensors; ++result)
            if (share_memory(views[result], views[i])) return refuse_sharing(op.tensor[result].name, name);
    }
    return {};
}

std::string description_of(const Executor& executor) {
    const Tensor* tensors[kMaxTensors] = {};
    for (int i = 0; i < executor.op->tensors; ++i) tensors[i] = &executor.arguments[i].view;
    return described(Door::aclnn, *executor.op, tensors);
}

Failure queue_call(const Operator& op, void* workspace, uint64_t workspace_size, aclOpExecutor* handle,
                   aclrtStream stream_handle) {
    std::shared_ptr<Executor> executor;  // outlives the lock: a plan may be large
    Lock lock = lock_runtime();
    if (Failure failure = take_executor(op, handle, lock, &executor)) return failure;
    if (workspace == nullptr && workspace_size > 0)
        return refuse_by("workspace_null", kNullPointer, "workspace is null and workspaceSize is ", workspace_size,
                         ", expected a block of that size; allocate it with aclrtMalloc");
    std::shared_ptr<Stream> stream;
    if (Failure failure = find_stream(stream_handle, lock, &stream)) return as_runtime_error(std::move(failure));
    if (executor->plan == nullptr) return {};
    Launch launch;
    launch.op = &op;
    launch.plan = executor->plan;
    std::array<const void*, kMaxTensors> storages = {};
    Task task;
    const int device = stream->device();
    if (Failure failure = place_workspace(*executor, workspace, workspace_size, device, lock, &launch, &task.held))
        return failure;
    for (int i = 0; i < op.tensors; ++i)
        if (Failure failure = place_argument(*executor, i, device, lock, &launch, &task.held, storages.data()))
            return failure;
    lock.unlock();
    if (Failure failure = check_overlaps(*executor, launch)) return failure;
    if (verbose()) launch.description = description_of(*executor);
    task.name = op.aclnn_name;
    task.run = [launch = std::move(launch)](Stream&) { return launch.run(); };
    if (check::on)
        task.note = [=](const Stream& on, const Lock& held) {
            check::launched(*executor, storages.data(), workspace, on, held);
        };
    lock.lock();
    if (Failure failure = stream->push(std::move(task), lock)) return as_runtime_error(std::move(failure));
    return {};
}

}  // namespace

aclnnStatus execute(const Operator& op, void* workspace, uint64_t workspace_size, aclOpExecutor* executor,
                    aclrtStream stream) {
    return answer(op.aclnn_name, [&] { return queue_call(op, workspace, workspace_size, executor, stream); });
}

}  // namespace acltwin
