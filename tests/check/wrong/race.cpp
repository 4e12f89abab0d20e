// Calls that nothing orders: right on most days.
#include <atomic>
#include <chrono>
#include <thread>

#include "gallery.h"

// A result is copied before its stream was synchronised.
// finds: race.kernel-and-copy
PROGRAM(copy_before_synchronize) {
    Session session;
    Gradients gradients;
    Result result;
    Upsample upsample(gradients.address, result.address);
    upsample.launch(session.stream);
    if (fixed) wait(session.stream);
    read(result);
    wait(session.stream);
}

// New input overwrites what a queued kernel has yet to read.
// finds: race.kernel-and-copy
PROGRAM(input_overwritten_early) {
    Session session;
    Gradients gradients;
    Result result;
    Upsample upsample(gradients.address, result.address);
    upsample.launch(session.stream);
    if (fixed) wait(session.stream);
    CHECK(aclrtMemcpy(gradients.address, kGradientBytes, kGradients, kGradientBytes, ACL_MEMCPY_HOST_TO_DEVICE));
    wait(session.stream);
    read(result);
}

// A result is cleared while the kernel that writes it is queued.
// finds: race.kernel-and-copy
PROGRAM(result_cleared_late) {
    Session session;
    Gradients gradients;
    Result result;
    Upsample upsample(gradients.address, result.address);
    if (fixed) CHECK(aclrtMemset(result.address, kResultBytes, 0, kResultBytes));
    upsample.launch(session.stream);
    if (!fixed) CHECK(aclrtMemset(result.address, kResultBytes, 0, kResultBytes));
    wait(session.stream);
    read(result);
}

// A queued copy on another stream fetches a result, and no event tells it when.
// finds: race.kernel-and-copy
PROGRAM(queued_copy_on_another_stream) {
    Session session;
    Stream copies;
    Event done;
    Gradients gradients;
    Result result;
    float seen[2];
    Upsample upsample(gradients.address, result.address);
    upsample.launch(session.stream);
    if (fixed) CHECK(aclrtRecordEvent(done.handle, session.stream));
    if (fixed) CHECK(aclrtStreamWaitEvent(copies.handle, done.handle));
    CHECK(aclrtMemcpyAsync(seen, sizeof seen, result.address, sizeof seen, ACL_MEMCPY_DEVICE_TO_HOST, copies.handle));
    wait(copies.handle);
    wait(session.stream);
}

// The input comes with a queued copy on another stream than the kernel's.
// finds: race.kernel-and-copy
PROGRAM(queued_input_on_another_stream) {
    Session session;
    Stream copies;
    Block gradients(kGradientBytes);
    Result result;
    Upsample upsample(gradients.address, result.address);
    CHECK(aclrtMemcpyAsync(gradients.address, kGradientBytes, kGradients, kGradientBytes, ACL_MEMCPY_HOST_TO_DEVICE,
                           copies.handle));
    if (fixed) wait(copies.handle);
    upsample.launch(session.stream);
    wait(session.stream);
    wait(copies.handle);
    read(result);
}

// The program asks once whether the stream is done, and goes on whatever the answer is.
// finds: race.kernel-and-copy
PROGRAM(stream_asked_once) {
    Session session;
    Gradients gradients;
    Result result;
    Upsample upsample(gradients.address, result.address);
    upsample.launch(session.stream);
    aclrtStreamStatus status = ACL_STREAM_STATUS_NOT_READY;
    do CHECK(aclrtStreamQuery(session.stream, &status));
    while (fixed && status != ACL_STREAM_STATUS_COMPLETE);
    read(result);
    wait(session.stream);
}

// The same with an event.
// finds: race.kernel-and-copy
PROGRAM(event_asked_once) {
    Session session;
    Event done;
    Gradients gradients;
    Result result;
    Upsample upsample(gradients.address, result.address);
    upsample.launch(session.stream);
    CHECK(aclrtRecordEvent(done.handle, session.stream));
    aclrtEventRecordedStatus status = ACL_EVENT_RECORDED_STATUS_NOT_READY;
    do CHECK(aclrtQueryEventStatus(done.handle, &status));
    while (fixed && status != ACL_EVENT_RECORDED_STATUS_COMPLETE);
    read(result);
    wait(session.stream);
}

// A host function behind the kernel is taken for a wait.
// finds: race.kernel-and-copy
PROGRAM(host_function_taken_for_a_wait) {
    Session session;
    Gradients gradients;
    Result result;
    Upsample upsample(gradients.address, result.address);
    upsample.launch(session.stream);
    CHECK(aclrtLaunchHostFunc(session.stream, [](void*) {}, nullptr));
    if (fixed) wait(session.stream);
    read(result);
    wait(session.stream);
}

// The program gives the kernel time instead of waiting for it.
// finds: race.kernel-and-copy
PROGRAM(copy_after_a_pause) {
    Session session;
    Gradients gradients;
    Result result;
    Upsample upsample(gradients.address, result.address);
    upsample.launch(session.stream);
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
    if (fixed) CHECK(aclrtSynchronizeDevice());
    read(result);
    wait(session.stream);
}

// The program synchronises a stream, but the kernel is on another.
// finds: race.wrong-stream
PROGRAM(wrong_stream_synchronized) {
    Session session;
    Stream other;
    Gradients gradients;
    Result result;
    Upsample upsample(gradients.address, result.address);
    upsample.launch(session.stream);
    wait(fixed ? session.stream : other.handle);
    read(result);
    wait(session.stream);
}

// The kernel is on the default stream, which synchronising a stream of one's own does not wait for.
// finds: race.wrong-stream
PROGRAM(default_stream_forgotten) {
    Session session;
    Gradients gradients;
    Result result;
    Upsample upsample(gradients.address, result.address);
    upsample.launch(fixed ? session.stream : nullptr);
    wait(session.stream);
    read(result);
    wait(nullptr);
}

// The event that the host waits for was recorded on a stream other than the kernel's.
// finds: race.wrong-stream
PROGRAM(event_on_another_stream) {
    Session session;
    Stream other;
    Event done;
    Gradients gradients;
    Result result;
    Upsample upsample(gradients.address, result.address);
    upsample.launch(session.stream);
    CHECK(aclrtRecordEvent(done.handle, fixed ? session.stream : other.handle));
    CHECK(aclrtSynchronizeEvent(done.handle));
    read(result);
    wait(session.stream);
}

// The event is recorded before the launch that it shall stand for.
// finds: race.kernel-and-copy
PROGRAM(event_before_the_launch) {
    Session session;
    Event done;
    Gradients gradients;
    Result result;
    Upsample upsample(gradients.address, result.address);
    if (!fixed) CHECK(aclrtRecordEvent(done.handle, session.stream));
    upsample.launch(session.stream);
    if (fixed) CHECK(aclrtRecordEvent(done.handle, session.stream));
    CHECK(aclrtSynchronizeEvent(done.handle));
    read(result);
    wait(session.stream);
}

// A stream waits for an event that nobody has recorded yet: it does not wait at all.
// finds: race.event-not-recorded
PROGRAM(event_waited_before_recorded) {
    Session session;
    Stream second;
    Event done;
    if (!fixed) CHECK(aclrtStreamWaitEvent(second.handle, done.handle));
    CHECK(aclrtRecordEvent(done.handle, session.stream));
    if (fixed) CHECK(aclrtStreamWaitEvent(second.handle, done.handle));
    wait(second.handle);
    wait(session.stream);
}

// The host waits for an event that was never recorded, and then copies.
// finds: race.event-not-recorded race.kernel-and-copy
PROGRAM(event_never_recorded) {
    Session session;
    Event done;
    Gradients gradients;
    Result result;
    Upsample upsample(gradients.address, result.address);
    upsample.launch(session.stream);
    if (fixed) CHECK(aclrtRecordEvent(done.handle, session.stream));
    CHECK(aclrtSynchronizeEvent(done.handle));
    read(result);
    wait(session.stream);
}

// The second kernel reads what the first one, on another stream, writes.
// finds: race.kernels
PROGRAM(kernels_without_an_event) {
    Session session;
    Stream second;
    Event done;
    Gradients gradients;
    Result result;
    Block volume(kGradientBytes);
    Upsample backward(gradients.address, result.address);
    Tensor small({1, 1, 1, 1, 2}, ACL_FLOAT, result.address), large({1, 1, 2, 2, 4}, ACL_FLOAT, volume.address);
    IntArray size({2, 2, 4});
    uint64_t bytes = 0;
    aclOpExecutor* executor = nullptr;
    backward.launch(session.stream);
    if (fixed) CHECK(aclrtRecordEvent(done.handle, session.stream));
    if (fixed) CHECK(aclrtStreamWaitEvent(second.handle, done.handle));
    CHECK(aclnnUpsampleNearest3dGetWorkspaceSize(small.handle, size.handle, 2.0, 2.0, 2.0, large.handle, &bytes,
                                                 &executor));
    CHECK(aclnnUpsampleNearest3d(nullptr, 0, executor, second.handle));
    wait(second.handle);
    wait(session.stream);
    read(volume);
}

// Two kernels on two streams write one result.
// finds: race.kernels
PROGRAM(two_kernels_write_one_result) {
    Session session;
    Stream second;
    Gradients gradients;
    Result result, other;
    Upsample one(gradients.address, result.address);
    Upsample two(gradients.address, fixed ? other.address : result.address);
    one.launch(session.stream);
    two.launch(second.handle);
    wait(session.stream);
    wait(second.handle);
    read(result);
    if (fixed) read(other);
}

// Two threads launch onto streams of their own, one after the other, and write one result: a join orders no streams.
// finds: race.kernels
PROGRAM(two_threads_write_one_result) {
    Session session;
    Stream streams[2];
    Gradients gradients;
    Result result, other;
    Upsample one(gradients.address, result.address);
    Upsample two(gradients.address, fixed ? other.address : result.address);
    std::thread thread([&] {
        CHECK(aclrtSetDevice(0));
        two.launch(streams[1].handle);
        CHECK(aclrtResetDevice(0));
    });
    thread.join();
    one.launch(streams[0].handle);
    CHECK(aclrtSynchronizeDevice());
    read(result);
    if (fixed) read(other);
}

// Two launches on two streams share a workspace.
// finds: race.workspace-shared
PROGRAM(workspace_shared) {
    Session session;
    Stream second;
    Block result(kPoolResultBytes), other(kPoolResultBytes);
    Pool one(result.address), two(other.address);
    Block workspace(one.workspace_size), own(two.workspace_size);
    CHECK(one.phase2(workspace.address, one.workspace_size, session.stream));
    CHECK(two.phase2(fixed ? own.address : workspace.address, two.workspace_size, second.handle));
    wait(session.stream);
    wait(second.handle);
    read(result);
    read(other);
}

// Two queued copies on two streams write one block.
// finds: race.copies
PROGRAM(two_copies_into_one_block) {
    Session session;
    Stream second;
    Block block(kGradientBytes);
    CHECK(aclrtMemcpyAsync(block.address, kGradientBytes, kGradients, kGradientBytes, ACL_MEMCPY_HOST_TO_DEVICE,
                           session.stream));
    CHECK(aclrtMemcpyAsync(block.address, kGradientBytes, kGradients, kGradientBytes, ACL_MEMCPY_HOST_TO_DEVICE,
                           fixed ? session.stream : second.handle));
    wait(session.stream);
    wait(second.handle);
    read(block);
}

// The host memory of a queued copy is filled with the next thing at once.
// finds: race.host-copies
PROGRAM(source_of_a_queued_copy_reused) {
    Session session;
    Gradients gradients;
    Block block(kGradientBytes);
    void* staging = nullptr;
    CHECK(aclrtMallocHost(&staging, kGradientBytes));
    std::memset(staging, 0, kGradientBytes);
    CHECK(aclrtMemcpyAsync(block.address, kGradientBytes, staging, kGradientBytes, ACL_MEMCPY_HOST_TO_DEVICE,
                           session.stream));
    if (fixed) wait(session.stream);
    CHECK(aclrtMemcpy(staging, kGradientBytes, gradients.address, kGradientBytes, ACL_MEMCPY_DEVICE_TO_HOST));
    wait(session.stream);
    read(block);
    CHECK(aclrtFreeHost(staging));
}

// Two streams copy their results into one vector.
// finds: race.copies
PROGRAM(two_results_into_one_vector) {
    Session session;
    Stream second;
    Gradients one, two;
    std::vector<float> seen(16 + 8);
    CHECK(aclrtMemcpyAsync(&seen[0], kGradientBytes, one.address, kGradientBytes, ACL_MEMCPY_DEVICE_TO_HOST,
                           session.stream));
    CHECK(aclrtMemcpyAsync(&seen[fixed ? 16 : 8], 8 * sizeof(float), two.address, 8 * sizeof(float),
                           ACL_MEMCPY_DEVICE_TO_HOST, second.handle));
    wait(session.stream);
    wait(second.handle);
}

// A result goes through a vector to another device block, on another stream that nothing has told when.
// finds: race.copies
PROGRAM(vector_handed_on_early) {
    Session session;
    Stream second;
    Event done;
    Gradients gradients;
    Block copy(kGradientBytes);
    std::vector<float> between(16);
    CHECK(aclrtMemcpyAsync(&between[0], kGradientBytes, gradients.address, kGradientBytes, ACL_MEMCPY_DEVICE_TO_HOST,
                           session.stream));
    if (fixed) CHECK(aclrtRecordEvent(done.handle, session.stream));
    if (fixed) CHECK(aclrtStreamWaitEvent(second.handle, done.handle));
    CHECK(aclrtMemcpyAsync(copy.address, kGradientBytes, &between[0], kGradientBytes, ACL_MEMCPY_HOST_TO_DEVICE,
                           second.handle));
    wait(second.handle);
    wait(session.stream);
    read(copy);
}

// An array on the stack is the source of a queued copy, and the next result is copied into it at once.
// finds: race.host-copies
PROGRAM(array_on_the_stack_reused) {
    Session session;
    Gradients gradients;
    Block block(kGradientBytes);
    float staging[16] = {};
    CHECK(aclrtMemcpyAsync(block.address, kGradientBytes, staging, kGradientBytes, ACL_MEMCPY_HOST_TO_DEVICE,
                           session.stream));
    if (fixed) wait(session.stream);
    CHECK(aclrtMemcpy(staging, kGradientBytes, gradients.address, kGradientBytes, ACL_MEMCPY_DEVICE_TO_HOST));
    wait(session.stream);
    read(block);
}

// A host function reads the vector of a copy that is queued on another stream.
// finds: race.host-copies
PROGRAM(host_function_too_early) {
    Session session;
    Stream second;
    Gradients gradients;
    std::vector<float> seen(16);
    CHECK(aclrtMemcpyAsync(&seen[0], kGradientBytes, gradients.address, kGradientBytes, ACL_MEMCPY_DEVICE_TO_HOST,
                           session.stream));
    CHECK(aclrtLaunchHostFunc(
        fixed ? session.stream : second.handle,
        [](void* values) { std::printf("%g\n", double(static_cast<float*>(values)[1])); }, &seen[0]));
    wait(second.handle);
    wait(session.stream);
}

// A block is read by the host while a queued copy still fills it.
// finds: race.host-copies
PROGRAM(queued_copy_not_waited_for) {
    Session session;
    Block block(kGradientBytes);
    CHECK(aclrtMemcpyAsync(block.address, kGradientBytes, kGradients, kGradientBytes, ACL_MEMCPY_HOST_TO_DEVICE,
                           session.stream));
    if (fixed) wait(session.stream);
    read(block);
    wait(session.stream);
}

// The input is freed right after the launch.
// finds: race.free-in-use
PROGRAM(free_after_launch) {
    Session session;
    Gradients gradients;
    Result result;
    Upsample upsample(gradients.address, result.address);
    upsample.launch(session.stream);
    if (fixed) wait(session.stream);
    CHECK(aclrtFree(gradients.take()));
    worked(aclrtSynchronizeStream(session.stream));
    read(result);
}

// The workspace is freed right after the launch: nobody needs it any more, but the kernel.
// finds: race.free-in-use
PROGRAM(workspace_freed_after_launch) {
    Session session;
    Block result(kPoolResultBytes);
    Pool pool(result.address);
    Block workspace(pool.workspace_size);
    CHECK(pool.phase2(workspace.address, pool.workspace_size, session.stream));
    if (fixed) wait(session.stream);
    CHECK(aclrtFree(workspace.take()));
    worked(aclrtSynchronizeStream(session.stream));
    read(result);
}

// Another stream is synchronised before the free.
// finds: race.free-in-use
PROGRAM(free_after_the_wrong_wait) {
    Session session;
    Stream other;
    Gradients gradients;
    Result result;
    Upsample upsample(gradients.address, result.address);
    upsample.launch(session.stream);
    wait(fixed ? session.stream : other.handle);
    CHECK(aclrtFree(gradients.take()));
    worked(aclrtSynchronizeStream(session.stream));
    read(result);
}

// Host memory goes while a queued copy reads it.
// finds: race.free-in-use
PROGRAM(host_memory_freed_early) {
    Session session;
    Block block(kGradientBytes);
    void* staging = nullptr;
    CHECK(aclrtMallocHost(&staging, kGradientBytes));
    std::memcpy(staging, kGradients, kGradientBytes);
    CHECK(aclrtMemcpyAsync(block.address, kGradientBytes, staging, kGradientBytes, ACL_MEMCPY_HOST_TO_DEVICE,
                           session.stream));
    if (fixed) wait(session.stream);
    CHECK(aclrtFreeHost(staging));
    worked(aclrtSynchronizeStream(session.stream));
    read(block);
}

// The device is reset while a kernel is queued; the kernel's blocks go with it.
// finds: race.reset-in-use use.reset-with-live-objects
PROGRAM(reset_with_queued_work) {
    CHECK(aclInit(nullptr));
    CHECK(aclrtSetDevice(0));
    Gradients gradients;
    Result result;
    float seen[2];
    {
        Upsample upsample(gradients.address, result.address);
        upsample.launch(nullptr);
    }
    CHECK(aclrtMemcpyAsync(seen, sizeof seen, result.address, sizeof seen, ACL_MEMCPY_DEVICE_TO_HOST, nullptr));
    void *first = gradients.take(), *second = result.take();
    if (fixed) wait(nullptr);
    if (fixed) CHECK(aclrtFree(first));
    if (fixed) CHECK(aclrtFree(second));
    CHECK(aclrtResetDevice(0));
    CHECK(aclFinalize());
}

// A stream is destroyed while work is queued on it.
// finds: race.destroy-in-use
PROGRAM(stream_destroyed_early) {
    Session session;
    Stream second;
    Gradients gradients;
    Result result;
    Upsample upsample(gradients.address, result.address);
    upsample.launch(second.handle);
    if (fixed) wait(second.handle);
    CHECK(aclrtDestroyStream(second.handle));
    second.handle = nullptr;
    CHECK(aclrtSynchronizeDevice());
    read(result);
}

// A context is destroyed while work is queued on its stream; the stream goes with it.
// finds: race.destroy-in-use
PROGRAM(context_destroyed_early) {
    Session session;
    aclrtContext before = nullptr, own = nullptr;
    CHECK(aclrtGetCurrentContext(&before));
    Gradients gradients;
    Result result;
    Upsample upsample(gradients.address, result.address);
    CHECK(aclrtCreateContext(&own, 0));
    upsample.launch(nullptr);
    if (fixed) wait(nullptr);
    CHECK(aclrtDestroyContext(own));
    CHECK(aclrtSetCurrentContext(before));
    CHECK(aclrtSynchronizeDevice());
    read(result);
}

// A thread says that its result is there when it has launched the kernel, and waits for it only then.
// finds: race.kernel-and-copy
PROGRAM(told_before_the_wait) {
    Session session;
    Gradients gradients;
    Result result;
    Upsample upsample(gradients.address, result.address);
    std::atomic<bool> is_there(false), is_read(false);
    std::thread worker([&] {
        OnDevice device;
        upsample.launch(session.stream);
        if (fixed) wait(session.stream);
        is_there = true;
        while (!is_read) std::this_thread::yield();
        if (!fixed) wait(session.stream);
    });
    while (!is_there) std::this_thread::yield();
    read(result);
    is_read = true;
    worker.join();
}
