// Calls in an order, or with handles, that the interface does not promise anything for.
#include <thread>

#include "gallery.h"

// aclInit is missing.
// finds: use.no-init
PROGRAM(no_init) {
    if (fixed) CHECK(aclInit(nullptr));
    CHECK(aclrtSetDevice(0));
    void* block = nullptr;
    CHECK(aclrtMalloc(&block, 64, ACL_MEM_MALLOC_HUGE_FIRST));
    CHECK(aclrtFree(block));
    CHECK(aclrtResetDevice(0));
    if (fixed) CHECK(aclFinalize());
}

// The program has ended the library, and goes on.
// finds: use.no-init
PROGRAM(calls_after_finalize) {
    CHECK(aclInit(nullptr));
    if (!fixed) CHECK(aclFinalize());
    CHECK(aclrtSetDevice(0));
    CHECK(aclrtResetDevice(0));
    if (fixed) CHECK(aclFinalize());
}

// Phase 1 fails, and all that the program knows is a number.
// finds: use.refused-call
PROGRAM(refused_call) {
    Session session;
    Gradients gradients;
    Result result;
    Upsample upsample(gradients.address, result.address);
    IntArray two_sizes({2, 2});
    const aclnnStatus status = aclnnUpsampleNearest3dBackwardGetWorkspaceSize(
        upsample.grad_out.handle, fixed ? upsample.output_size.handle : two_sizes.handle, upsample.input_size.handle,
        2.0, 2.0, 2.0, upsample.grad_input.handle, &upsample.workspace_size, &upsample.executor);
    if (status != 0) return;
    worked(upsample.phase2(session.stream));
    wait(session.stream);
    read(result);
}

// Phase 1 fails, nobody looks, and phase 2 gets the executor that it did not make.
// finds: use.phase1-failed
PROGRAM(phase1_status_ignored) {
    Session session;
    Gradients gradients;
    Result result;
    Upsample upsample(gradients.address, result.address);
    IntArray two_sizes({2, 2});
    uint64_t size = 0;
    aclOpExecutor* executor = nullptr;
    worked(aclnnUpsampleNearest3dBackwardGetWorkspaceSize(
        upsample.grad_out.handle, fixed ? upsample.output_size.handle : two_sizes.handle, upsample.input_size.handle,
        2.0, 2.0, 2.0, upsample.grad_input.handle, &size, &executor));
    if (!worked(aclnnUpsampleNearest3dBackward(nullptr, 0, executor, session.stream))) return;
    wait(session.stream);
    read(result);
}

// Phase 1 fails, and the executor of the call before is run a second time.
// finds: use.phase1-failed
PROGRAM(executor_of_the_call_before) {
    Session session;
    Gradients gradients;
    Result result;
    Upsample upsample(gradients.address, result.address);
    IntArray two_sizes({2, 2});
    upsample.launch(session.stream);
    wait(session.stream);
    read(result);
    worked(aclnnUpsampleNearest3dBackwardGetWorkspaceSize(
        upsample.grad_out.handle, fixed ? upsample.output_size.handle : two_sizes.handle, upsample.input_size.handle,
        2.0, 2.0, 2.0, upsample.grad_input.handle, &upsample.workspace_size, &upsample.executor));
    if (!worked(upsample.phase2(session.stream))) return;
    wait(session.stream);
    read(result);
}

// An executor is good for one phase 2, unless it was made repeatable.
// finds: use.executor-twice
PROGRAM(executor_run_twice) {
    Session session;
    Gradients gradients;
    Result result;
    Upsample upsample(gradients.address, result.address);
    CHECK(upsample.phase1());
    if (fixed) CHECK(aclSetAclOpExecutorRepeatable(upsample.executor));
    CHECK(upsample.phase2(session.stream));
    worked(upsample.phase2(session.stream));
    wait(session.stream);
    read(result);
    if (fixed) CHECK(aclDestroyAclOpExecutor(upsample.executor));
}

// A tensor is destroyed as soon as phase 1 has seen it; phase 2 needs it.
// finds: use.tensor-destroyed-between-phases
PROGRAM(tensor_destroyed_between_phases) {
    Session session;
    Gradients gradients;
    Result result;
    Upsample upsample(gradients.address, result.address);
    CHECK(upsample.phase1());
    if (!fixed) CHECK(aclDestroyTensor(upsample.grad_out.handle));
    if (!fixed) upsample.grad_out.handle = nullptr;
    if (!worked(upsample.phase2(session.stream))) return;
    wait(session.stream);
    read(result);
}

// A kernel runs, and nobody looks at what it wrote.
// finds: use.result-never-read
PROGRAM(result_never_read) {
    Session session;
    Gradients gradients;
    Result result;
    Upsample upsample(gradients.address, result.address);
    upsample.launch(session.stream);
    wait(session.stream);
    if (fixed) read(result);
}

// The wrong block is copied back: the input.
// finds: use.result-never-read
PROGRAM(input_read_instead_of_the_result) {
    Session session;
    Gradients gradients;
    Result result;
    Upsample upsample(gradients.address, result.address);
    upsample.launch(session.stream);
    wait(session.stream);
    read(fixed ? result.address : gradients.address, kResultBytes);
}

// The device is reset while blocks, a stream and an event live: they are gone with it.
// finds: use.reset-with-live-objects
PROGRAM(reset_with_live_objects) {
    CHECK(aclInit(nullptr));
    CHECK(aclrtSetDevice(0));
    void* block = nullptr;
    aclrtStream stream = nullptr;
    aclrtEvent event = nullptr;
    CHECK(aclrtMalloc(&block, 4096, ACL_MEM_MALLOC_HUGE_FIRST));
    CHECK(aclrtCreateStream(&stream));
    CHECK(aclrtCreateEvent(&event));
    if (fixed) CHECK(aclrtFree(block));
    if (fixed) CHECK(aclrtDestroyEvent(event));
    if (fixed) CHECK(aclrtDestroyStream(stream));
    CHECK(aclrtResetDevice(0));
    CHECK(aclFinalize());
}

// The kernel finds an index that points nowhere, the wait says so, and its result is copied all the same.
// finds: use.status-ignored
PROGRAM(failed_kernel_ignored) {
    Session session;
    Block result(kPoolResultBytes);
    Pool pool(result.address);
    const int32_t where = fixed ? 7 : 8;
    CHECK(aclrtMemcpy(pool.indices.address, sizeof where, &where, sizeof where, ACL_MEMCPY_HOST_TO_DEVICE));
    Block workspace(pool.workspace_size);
    CHECK(pool.phase2(workspace.address, pool.workspace_size, session.stream));
    worked(aclrtSynchronizeStream(session.stream));
    read(result);
}

// The kind says that the source is on the host, and it is not.
// finds: use.wrong-kind
PROGRAM(kind_that_does_not_fit) {
    Session session;
    Gradients source, copy;
    const aclrtMemcpyKind kind = fixed ? ACL_MEMCPY_DEVICE_TO_DEVICE : ACL_MEMCPY_HOST_TO_DEVICE;
    worked(aclrtMemcpy(copy.address, kGradientBytes, source.address, kGradientBytes, kind));
}

// A block is freed twice.
// finds: use.stale-handle
PROGRAM(double_free) {
    Session session;
    Gradients gradients;
    void* address = gradients.take();
    CHECK(aclrtFree(address));
    if (!fixed) worked(aclrtFree(address));
}

// A tensor over a block that was freed before phase 1.
// finds: use.stale-handle
PROGRAM(freed_block_in_a_tensor) {
    Session session;
    Gradients gradients;
    Result result;
    Upsample upsample(gradients.address, result.address);
    if (!fixed) CHECK(aclrtFree(gradients.take()));
    if (!worked(upsample.phase1())) return;
    CHECK(upsample.phase2(session.stream));
    wait(session.stream);
    read(result);
}

// A destroyed tensor is given to phase 1.
// finds: use.stale-handle
PROGRAM(destroyed_tensor_used) {
    Session session;
    Gradients gradients;
    Result result;
    Upsample upsample(gradients.address, result.address);
    if (!fixed) CHECK(aclDestroyTensor(upsample.grad_input.handle));
    const bool planned = worked(upsample.phase1());
    if (!fixed) upsample.grad_input.handle = nullptr;
    if (!planned) return;
    CHECK(upsample.phase2(session.stream));
    wait(session.stream);
    read(result);
}

// A destroyed stream is waited for.
// finds: use.stale-handle
PROGRAM(destroyed_stream_used) {
    Session session;
    Stream second;
    if (!fixed) CHECK(aclrtDestroyStream(second.handle));
    worked(aclrtSynchronizeStream(second.handle));
    if (!fixed) second.handle = nullptr;
}

// A destroyed event is recorded.
// finds: use.stale-handle
PROGRAM(destroyed_event_used) {
    Session session;
    Event event;
    if (!fixed) CHECK(aclrtDestroyEvent(event.handle));
    worked(aclrtRecordEvent(event.handle, session.stream));
    if (!fixed) event.handle = nullptr;
    wait(session.stream);
}

// Three calls fail, and nobody looks: an empty block, the null stream destroyed, an event that never was.
// finds: use.refused-call
PROGRAM(calls_that_failed_unnoticed) {
    Session session;
    void* block = nullptr;
    aclrtMalloc(&block, fixed ? 64 : 0, ACL_MEM_MALLOC_HUGE_FIRST);
    if (!fixed) aclrtDestroyStream(nullptr);
    if (!fixed) aclrtDestroyEvent(nullptr);
    if (block != nullptr) CHECK(aclrtFree(block));
}

// Threads make calls that fail, each at a place of its own.
// finds: use.refused-call
PROGRAM(threads_that_fail_unnoticed) {
    Session session;
    std::vector<std::thread> threads;
    for (int i = 0; i < 3 && !fixed; ++i) {
        threads.emplace_back([] { aclrtSetDevice(7); });
        threads.emplace_back([] { aclrtDestroyStream(nullptr); });
    }
    for (std::thread& thread : threads) thread.join();
}

// Threads free what has been freed, each at a place of its own.
// finds: use.stale-handle
PROGRAM(threads_that_free_again) {
    Session session;
    void* const block = Gradients().address;
    std::vector<std::thread> threads;
    for (int i = 0; i < 3 && !fixed; ++i) {
        threads.emplace_back([block] {
            OnDevice device;
            worked(aclrtFree(block));
        });
        threads.emplace_back([block] {
            OnDevice device;
            worked(aclrtMemset(block, 8, 0, 8));
        });
    }
    for (std::thread& thread : threads) thread.join();
}

// The result is written over the input.
// finds: use.overlap
PROGRAM(result_over_the_input) {
    Session session;
    Gradients gradients;
    Result result;
    Upsample upsample(gradients.address, fixed ? result.address : gradients.address);
    upsample.launch(session.stream);
    wait(session.stream);
    read(fixed ? result.address : gradients.address, kResultBytes);
}

// A result ends in the bytes where the input begins.
// finds: use.overlap
PROGRAM(result_ends_in_the_input) {
    Session session;
    Block both(kGradientBytes + kResultBytes);
    char* const result = static_cast<char*>(both.address);
    char* const gradients = result + (fixed ? kResultBytes : kResultBytes / 2);
    CHECK(aclrtMemcpy(gradients, kGradientBytes, kGradients, kGradientBytes, ACL_MEMCPY_HOST_TO_DEVICE));
    Upsample upsample(gradients, result);
    upsample.launch(session.stream);
    wait(session.stream);
    read(result, kResultBytes);
}
