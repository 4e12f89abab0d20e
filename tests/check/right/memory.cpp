// Workspaces, views and copies that stay where they belong.
#include "gallery.h"

// One workspace for many launches on one stream, which keeps their order.
// finds: nothing
PROGRAM(workspace_for_one_stream) {
    Session session;
    Block result(kPoolResultBytes), other(kPoolResultBytes);
    Pool one(result.address), two(other.address);
    Block workspace(one.workspace_size);
    CHECK(one.phase2(workspace.address, one.workspace_size, session.stream));
    CHECK(two.phase2(workspace.address, two.workspace_size, session.stream));
    wait(session.stream);
    read(result);
    read(other);
}

// One workspace for two streams, the second of which waits.
// finds: nothing
PROGRAM(workspace_handed_on) {
    Session session;
    Stream second;
    Event done;
    Block result(kPoolResultBytes), other(kPoolResultBytes);
    Pool one(result.address), two(other.address);
    Block workspace(one.workspace_size);
    CHECK(one.phase2(workspace.address, one.workspace_size, session.stream));
    CHECK(aclrtRecordEvent(done.handle, session.stream));
    CHECK(aclrtStreamWaitEvent(second.handle, done.handle));
    CHECK(two.phase2(workspace.address, two.workspace_size, second.handle));
    wait(second.handle);
    read(result);
    read(other);
}

// One workspace for two streams, and the host waits in between.
// finds: nothing
PROGRAM(workspace_reused_after_a_wait) {
    Session session;
    Stream second;
    Block result(kPoolResultBytes), other(kPoolResultBytes);
    Pool one(result.address), two(other.address);
    Block workspace(one.workspace_size + 4096);
    CHECK(one.phase2(workspace.address, one.workspace_size + 4096, session.stream));
    wait(session.stream);
    CHECK(two.phase2(workspace.address, two.workspace_size, second.handle));
    wait(second.handle);
    read(result);
    read(other);
}

// Two views that take turns in one storage: even elements here, odd ones there.
// finds: nothing
PROGRAM(interleaved_views) {
    Session session;
    Stream second;
    Block even(2 * kGradientBytes);
    Result result, other;
    const int64_t shape[] = {1, 1, 2, 2, 4}, strides[] = {32, 32, 16, 8, 2}, all[] = {32};
    char* begin = static_cast<char*>(even.address);
    CHECK(aclrtMemcpy2d(begin, 8, kGradients, 4, 4, 16, ACL_MEMCPY_HOST_TO_DEVICE));
    Upsample one(aclCreateTensor(shape, 5, ACL_FLOAT, strides, 0, ACL_FORMAT_NCDHW, all, 1, begin), result.address);
    one.launch(session.stream);
    // The odd elements are written while the even ones are read.
    CHECK(aclrtMemcpy2dAsync(begin + 4, 8, kGradients, 4, 4, 16, ACL_MEMCPY_HOST_TO_DEVICE, second.handle));
    Upsample two(aclCreateTensor(shape, 5, ACL_FLOAT, strides, 1, ACL_FORMAT_NCDHW, all, 1, begin), other.address);
    two.launch(second.handle);
    wait(session.stream);
    wait(second.handle);
    read(result);
    read(other);
}

// A view into the middle of a storage; nothing else of it was written.
// finds: nothing
PROGRAM(view_into_a_larger_storage) {
    Session session;
    Block storage(4 * kGradientBytes);
    Result result;
    CHECK(aclrtMemcpy(static_cast<char*>(storage.address) + kGradientBytes, kGradientBytes, kGradients, kGradientBytes,
                      ACL_MEMCPY_HOST_TO_DEVICE));
    const int64_t shape[] = {1, 1, 2, 2, 4}, all[] = {64};
    Upsample upsample(aclCreateTensor(shape, 5, ACL_FLOAT, nullptr, 16, ACL_FORMAT_NCDHW, all, 1, storage.address),
                      result.address);
    upsample.launch(session.stream);
    wait(session.stream);
    read(result);
}

// A result is copied on the device, and the copy is read.
// finds: nothing
PROGRAM(copies_on_the_device) {
    Session session;
    Gradients gradients;
    Result result, copy, again;
    Upsample upsample(gradients.address, result.address);
    upsample.launch(session.stream);
    CHECK(aclrtMemcpyAsync(copy.address, kResultBytes, result.address, kResultBytes, ACL_MEMCPY_DEVICE_TO_DEVICE,
                           session.stream));
    wait(session.stream);
    CHECK(aclrtMemcpy(again.address, kResultBytes, copy.address, kResultBytes, ACL_MEMCPY_DEVICE_TO_DEVICE));
    read(again);
}

// Queued copies with host memory of the library, all on one stream.
// finds: nothing
PROGRAM(copies_with_pinned_memory) {
    Session session;
    Block gradients(kGradientBytes);
    Result result;
    void* staging = nullptr;
    CHECK(aclrtMallocHost(&staging, kGradientBytes));
    std::memcpy(staging, kGradients, kGradientBytes);
    Upsample upsample(gradients.address, result.address);
    CHECK(aclrtMemcpyAsync(gradients.address, kGradientBytes, staging, kGradientBytes, ACL_MEMCPY_HOST_TO_DEVICE,
                           session.stream));
    upsample.launch(session.stream);
    CHECK(aclrtMemcpyAsync(staging, kResultBytes, result.address, kResultBytes, ACL_MEMCPY_DEVICE_TO_HOST,
                           session.stream));
    wait(session.stream);
    std::printf("%g\n", static_cast<float*>(staging)[0]);
    CHECK(aclrtFreeHost(staging));
}

// A copy through a buffer: the source may change at once.
// finds: nothing
PROGRAM(source_kept_by_a_buffer) {
    Session session;
    Block block(kGradientBytes);
    float staging[16];
    for (int round = 0; round < 3; ++round) {
        staging[0] = float(round);
        std::memcpy(staging + 1, kGradients + 1, kGradientBytes - sizeof(float));
        CHECK(aclrtMemcpyAsync(block.address, kGradientBytes, staging, kGradientBytes, ACL_MEMCPY_HOST_TO_BUF_TO_DEVICE,
                               session.stream));
    }
    wait(session.stream);
    read(block);
}

// Large blocks, too: what a page hides is checked in the same way.
// finds: nothing
PROGRAM(large_blocks) {
    Session session;
    const size_t bytes = 5 << 20;
    Block source(bytes), copy(bytes);
    CHECK(aclrtMemsetAsync(source.address, bytes, 1, bytes, session.stream));
    CHECK(aclrtMemcpyAsync(copy.address, bytes, source.address, bytes, ACL_MEMCPY_DEVICE_TO_DEVICE, session.stream));
    wait(session.stream);
    read(copy);
}

// A repeatable executor with another address in every round.
// finds: nothing
PROGRAM(executor_with_changing_addresses) {
    Session session;
    Gradients gradients, others;
    Result result;
    Upsample upsample(gradients.address, result.address);
    CHECK(upsample.phase1());
    CHECK(aclSetAclOpExecutorRepeatable(upsample.executor));
    for (int round = 0; round < 4; ++round) {
        void* source = round % 2 == 0 ? gradients.address : others.address;
        CHECK(aclSetInputTensorAddr(upsample.executor, 0, upsample.grad_out.handle, source));
        CHECK(upsample.phase2(session.stream));
        wait(session.stream);
        read(result);
    }
    CHECK(aclDestroyAclOpExecutor(upsample.executor));
}

// Tensors and arrays may go once phase 2 has returned; blocks may not.
// finds: nothing
PROGRAM(descriptions_destroyed_after_phase2) {
    Session session;
    Gradients gradients;
    Result result;
    {
        Upsample upsample(gradients.address, result.address);
        upsample.launch(session.stream);
    }
    wait(session.stream);
    read(result);
}

// The library is ended and begun again.
// finds: nothing
PROGRAM(several_lives) {
    for (int life = 0; life < 3; ++life) {
        Session session;
        Gradients gradients;
        Result result;
        Upsample upsample(gradients.address, result.address);
        upsample.launch(session.stream);
        wait(session.stream);
        read(result);
    }
}

// Queued copies with a vector, handed from stream to stream by an event, and reused after a wait.
// finds: nothing
PROGRAM(copies_with_a_vector) {
    Session session;
    Stream second;
    Event done;
    Gradients gradients;
    Block copy(kGradientBytes);
    for (int round = 0; round < 3; ++round) {
        std::vector<float> between(16);
        CHECK(aclrtMemcpyAsync(&between[0], kGradientBytes, gradients.address, kGradientBytes,
                               ACL_MEMCPY_DEVICE_TO_HOST, session.stream));
        CHECK(aclrtRecordEvent(done.handle, session.stream));
        CHECK(aclrtStreamWaitEvent(second.handle, done.handle));
        CHECK(aclrtMemcpyAsync(copy.address, kGradientBytes, &between[0], kGradientBytes, ACL_MEMCPY_HOST_TO_DEVICE,
                               second.handle));
        wait(second.handle);
        CHECK(aclrtMemcpy(&between[0], kGradientBytes, copy.address, kGradientBytes, ACL_MEMCPY_DEVICE_TO_HOST));
    }
}

// One array is the source of copies on two streams.
// finds: nothing
PROGRAM(one_array_two_streams) {
    Session session;
    Stream second;
    Block one(kGradientBytes), two(kGradientBytes);
    CHECK(aclrtMemcpyAsync(one.address, kGradientBytes, kGradients, kGradientBytes, ACL_MEMCPY_HOST_TO_DEVICE,
                           session.stream));
    CHECK(aclrtMemcpyAsync(two.address, kGradientBytes, kGradients, kGradientBytes, ACL_MEMCPY_HOST_TO_DEVICE,
                           second.handle));
    CHECK(aclrtSynchronizeDevice());
    read(one);
    read(two);
}

// Two buffers of one allocation take turns: while one is copied, the other is filled.
// finds: nothing
PROGRAM(two_buffers_in_turns) {
    Session session;
    Event free[2];
    Block block(kGradientBytes);
    Gradients gradients;
    std::vector<float> both(32);
    for (int round = 0; round < 6; ++round) {
        float* const half = &both[size_t(round % 2) * 16];
        if (round >= 2) CHECK(aclrtSynchronizeEvent(free[round % 2].handle));
        CHECK(aclrtMemcpy(half, kGradientBytes, gradients.address, kGradientBytes, ACL_MEMCPY_DEVICE_TO_HOST));
        CHECK(aclrtMemcpyAsync(block.address, kGradientBytes, half, kGradientBytes, ACL_MEMCPY_HOST_TO_DEVICE,
                               session.stream));
        CHECK(aclrtRecordEvent(free[round % 2].handle, session.stream));
    }
    wait(session.stream);
    read(block);
}

// Pinned memory lies where a vector was whose copies are done.
// finds: nothing
PROGRAM(pinned_memory_again_and_again) {
    Session session;
    Gradients gradients;
    for (int round = 0; round < 4; ++round) {
        void* staging = nullptr;
        CHECK(aclrtMallocHost(&staging, kGradientBytes));
        CHECK(aclrtMemcpyAsync(staging, kGradientBytes, gradients.address, kGradientBytes, ACL_MEMCPY_DEVICE_TO_HOST,
                               session.stream));
        wait(session.stream);
        CHECK(aclrtFreeHost(staging));
        std::vector<float> seen(16);
        CHECK(aclrtMemcpyAsync(&seen[0], kGradientBytes, gradients.address, kGradientBytes, ACL_MEMCPY_DEVICE_TO_HOST,
                               session.stream));
        wait(session.stream);
    }
}

// What was a workspace holds tensors as soon as they are written: by a copy, a kernel, another copy on the device.
// finds: nothing
PROGRAM(workspace_becomes_tensors) {
    Session session;
    Block result(kPoolResultBytes), area(1 << 16);
    Gradients gradients;
    char* const begin = static_cast<char*>(area.address);
    for (int i = 0; i < 2; ++i) {
        Pool pool(result.address);
        CHECK(pool.phase2(begin, pool.workspace_size, session.stream));
        CHECK(aclrtMemcpyAsync(begin, kGradientBytes, gradients.address, kGradientBytes, ACL_MEMCPY_DEVICE_TO_DEVICE,
                               session.stream));
        Upsample upsample(begin, begin + kGradientBytes);
        upsample.launch(session.stream);
        wait(session.stream);
        read(begin, kGradientBytes + kResultBytes);
        read(result);
    }
}

// Work is given up, and done again elsewhere.
// finds: nothing
PROGRAM(dropped_and_done_again) {
    Session session;
    Gradients gradients;
    Result result;
    Upsample upsample(gradients.address, result.address);
    aclrtStream stream = nullptr;
    CHECK(aclrtCreateStream(&stream));
    upsample.launch(stream);
    CHECK(aclrtDestroyStreamForce(stream));
    upsample.launch(session.stream);
    wait(session.stream);
    read(result);
}

// Work is given up for good: nobody has to read its result.
// finds: nothing
PROGRAM(dropped_for_good) {
    Session session;
    Gradients gradients;
    Result result;
    Upsample upsample(gradients.address, result.address);
    aclrtStream stream = nullptr;
    CHECK(aclrtCreateStream(&stream));
    upsample.launch(stream);
    CHECK(aclrtDestroyStreamForce(stream));
}
