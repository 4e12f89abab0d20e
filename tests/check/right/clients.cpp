// What frameworks do with memory, host functions and several devices, done right.
#include <atomic>
#include <cstdlib>
#include <thread>

#include "arena.h"

// Tensors share one reservation, streams use their parts at once, and one part goes from one stream to the next.
// finds: nothing
PROGRAM(arena_with_two_streams) {
    Session session;
    Stream second;
    Event done;
    Arena arena(2);
    char *const one = arena.take_gradients(), *const two = arena.take_gradients();
    char *const first = arena.take(kResultBytes), *const other = arena.take(kResultBytes);
    Upsample here(one, first), there(two, other), again(two, first);
    here.launch(session.stream);
    there.launch(second.handle);
    CHECK(aclrtRecordEvent(done.handle, session.stream));
    CHECK(aclrtStreamWaitEvent(second.handle, done.handle));
    again.launch(second.handle);
    wait(second.handle);
    read(first, kResultBytes);
    read(other, kResultBytes);
}

// A tensor lies across two pieces, which were mapped at different times.
// finds: nothing
PROGRAM(arena_that_grows) {
    Session session;
    Arena arena(1);
    arena.grow();
    char* const across = arena.begin + kPiece - kGradientBytes / 2;
    CHECK(aclrtMemcpy(across, kGradientBytes, kGradients, kGradientBytes, ACL_MEMCPY_HOST_TO_DEVICE));
    Result result;
    Upsample upsample(across, result.address);
    upsample.launch(session.stream);
    wait(session.stream);
    read(result);
}

// Memory moves to other addresses, with what is in it.
// finds: nothing
PROGRAM(memory_that_moves) {
    Session session;
    Arena arena(1);
    arena.take_gradients();
    CHECK(aclrtUnmapMem(arena.begin));
    CHECK(aclrtMapMem(arena.begin + kPiece, kPiece, 0, arena.pieces[0], 0));
    read(arena.begin + kPiece, kGradientBytes);
    CHECK(aclrtUnmapMem(arena.begin + kPiece));
    CHECK(aclrtMapMem(arena.begin, kPiece, 0, arena.pieces[0], 0));
}

// A host function says when the result is there, and the host waits for that and not for the stream.
// finds: nothing
PROGRAM(host_function_that_tells) {
    Session session;
    Gradients gradients;
    Result result;
    Upsample upsample(gradients.address, result.address);
    upsample.launch(session.stream);
    std::atomic<bool> is_there(false);
    CHECK(aclrtLaunchHostFunc(
        session.stream, [](void* flag) { *static_cast<std::atomic<bool>*>(flag) = true; }, &is_there));
    while (!is_there) std::this_thread::yield();
    read(result);
    wait(session.stream);
}

// A kernel reads what the host has put into memory that it registered.
// finds: nothing
PROGRAM(registered_memory) {
    Session session;
    void *host = nullptr, *device = nullptr;
    CHECK(posix_memalign(&host, 65536, 65536));
    std::memcpy(host, kGradients, kGradientBytes);
    CHECK(aclrtHostRegister(host, 65536, ACL_HOST_REGISTER_MAPPED, &device));
    Result result;
    Upsample upsample(device, result.address);
    upsample.launch(session.stream);
    wait(session.stream);
    read(result);
    CHECK(aclrtHostUnregister(host));
    std::free(host);
}

// A stream of the second device brings memory from the first, which it has access to.
// finds: nothing
PROGRAM(copy_from_a_peer) {
    setenv("ACLTWIN_DEVICES", "2", 1);
    Session session;
    Gradients first;
    CHECK(aclrtDeviceEnablePeerAccess(1, 0));
    SecondDevice second;
    Block own(kGradientBytes);
    CHECK(aclrtMemcpyAsync(own.address, kGradientBytes, first.address, kGradientBytes, ACL_MEMCPY_DEVICE_TO_DEVICE,
                           second.stream));
    wait(second.stream);
    read(own);
}
