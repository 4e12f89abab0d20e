// What frameworks do with memory, host functions and several devices, done wrong.
#include <cstdlib>

#include "arena.h"

// Two tensors of an arena overlap, and two streams write them.
// finds: race.kernels
PROGRAM(arena_hands_out_bytes_twice) {
    Session session;
    Stream second;
    Arena arena;
    char* const gradients = arena.take_gradients();
    char* const result = arena.take(kResultBytes);
    char* const other = fixed ? arena.take(kResultBytes) : result + 4;
    Upsample one(gradients, result), two(gradients, other);
    one.launch(session.stream);
    two.launch(second.handle);
    wait(session.stream);
    wait(second.handle);
    read(result, kResultBytes);
    read(other, kResultBytes);
}

// The arena gives a part to another stream without an order between the two.
// finds: race.kernels
PROGRAM(arena_reuses_without_order) {
    Session session;
    Stream second;
    Event done;
    Arena arena;
    char *const gradients = arena.take_gradients(), *const result = arena.take(kResultBytes);
    Upsample one(gradients, result), two(gradients, result);
    one.launch(session.stream);
    if (fixed) CHECK(aclrtRecordEvent(done.handle, session.stream));
    if (fixed) CHECK(aclrtStreamWaitEvent(second.handle, done.handle));
    two.launch(second.handle);
    wait(second.handle);
    wait(session.stream);
    read(result, kResultBytes);
}

// Memory is unmapped while a kernel may still read it.
// finds: race.free-in-use
PROGRAM(unmapped_while_in_use) {
    Session session;
    Result result;
    Arena arena(1);
    char* const gradients = arena.take_gradients();
    Upsample upsample(gradients, result.address);
    upsample.launch(session.stream);
    if (fixed) wait(session.stream);
    CHECK(aclrtUnmapMem(arena.begin));
    wait(session.stream);
    CHECK(aclrtMapMem(arena.begin, kPiece, 0, arena.pieces[0], 0));
    read(result);
}

// A kernel reads a part of the arena that nobody has written.
// finds: init.kernel-reads-unwritten
PROGRAM(arena_part_not_written) {
    Session session;
    Arena arena;
    char* const gradients = fixed ? arena.take_gradients() : arena.take(kGradientBytes);
    char* const result = arena.take(kResultBytes);
    Upsample upsample(gradients, result);
    upsample.launch(session.stream);
    wait(session.stream);
    read(result, kResultBytes);
}

// A copy reaches behind what is mapped.
// finds: bounds.copy-beyond-block
PROGRAM(arena_not_grown) {
    Session session;
    Arena arena(fixed ? 2 : 1);
    worked(aclrtMemset(arena.begin, 2 * kPiece, 0, kPiece + 1));
}

// The host follows an address of the arena.
// finds: host.device-pointer-followed
PROGRAM(arena_read_by_the_host) {
    Session session;
    Arena arena;
    const char* const gradients = arena.take_gradients();
    float first = 0;
    if (fixed)
        CHECK(aclrtMemcpy(&first, 4, gradients, 4, ACL_MEMCPY_DEVICE_TO_HOST));
    else
        first = *reinterpret_cast<const float*>(gradients);
    std::printf("%g\n", double(first));
}

// Memory and addresses are never given back.
// finds: leak.block use.reset-with-live-objects
PROGRAM(arena_never_given_back) {
    Session session;
    Arena* const arena = new Arena;
    if (fixed) delete arena;
}

// The result is read although the host function behind it belongs to another stream.
// finds: race.wrong-stream
PROGRAM(host_function_of_another_stream) {
    Session session;
    Stream second;
    Gradients gradients;
    Result result;
    Upsample upsample(gradients.address, result.address);
    upsample.launch(session.stream);
    const aclrtStream told = fixed ? session.stream : second.handle;
    CHECK(aclrtLaunchHostFunc(told, [](void*) {}, nullptr));
    wait(told);
    read(result);
    wait(session.stream);
}

// Registered memory is unregistered while a kernel may still read it.
// finds: race.free-in-use
PROGRAM(unregistered_while_in_use) {
    Session session;
    void *host = nullptr, *device = nullptr;
    CHECK(posix_memalign(&host, 65536, 65536));
    std::memcpy(host, kGradients, kGradientBytes);
    CHECK(aclrtHostRegister(host, 65536, ACL_HOST_REGISTER_MAPPED, &device));
    Result result;
    Upsample upsample(device, result.address);
    upsample.launch(session.stream);
    if (fixed) wait(session.stream);
    CHECK(aclrtHostUnregister(host));
    wait(session.stream);
    read(result);
    std::free(host);
}

// The same, while a copy may still read it by its own address.
// finds: race.free-in-use
PROGRAM(unregistered_under_a_copy) {
    Session session;
    void *host = nullptr, *device = nullptr;
    CHECK(posix_memalign(&host, 65536, 65536));
    std::memcpy(host, kGradients, kGradientBytes);
    CHECK(aclrtHostRegister(host, 65536, ACL_HOST_REGISTER_MAPPED, &device));
    Block block(kGradientBytes);
    CHECK(aclrtMemcpyAsync(block.address, kGradientBytes, host, kGradientBytes, ACL_MEMCPY_HOST_TO_DEVICE,
                           session.stream));
    if (fixed) wait(session.stream);
    CHECK(aclrtHostUnregister(host));
    wait(session.stream);
    read(block);
    std::free(host);
}

// A copy fills memory by its address on the host, and a kernel reads it by that on the device.
// finds: race.kernel-and-copy
PROGRAM(one_memory_by_two_addresses) {
    Session session;
    Stream copies;
    Gradients gradients;
    Result result;
    void *host = nullptr, *device = nullptr;
    CHECK(posix_memalign(&host, 65536, 65536));
    CHECK(aclrtHostRegister(host, 65536, ACL_HOST_REGISTER_MAPPED, &device));
    CHECK(aclrtMemcpyAsync(host, kGradientBytes, gradients.address, kGradientBytes, ACL_MEMCPY_DEVICE_TO_HOST,
                           copies.handle));
    if (fixed) wait(copies.handle);
    Upsample upsample(device, result.address);
    upsample.launch(session.stream);
    wait(session.stream);
    wait(copies.handle);
    read(result);
    CHECK(aclrtHostUnregister(host));
    std::free(host);
}

// Memory is registered while a queued copy still fills it.
// finds: race.host-copies
PROGRAM(registered_too_early) {
    Session session;
    Gradients gradients;
    void *host = nullptr, *device = nullptr;
    CHECK(posix_memalign(&host, 65536, 65536));
    CHECK(aclrtMemcpyAsync(host, kGradientBytes, gradients.address, kGradientBytes, ACL_MEMCPY_DEVICE_TO_HOST,
                           session.stream));
    if (fixed) wait(session.stream);
    CHECK(aclrtHostRegister(host, 65536, ACL_HOST_REGISTER_MAPPED, &device));
    wait(session.stream);
    read(device, kGradientBytes);
    CHECK(aclrtHostUnregister(host));
    std::free(host);
}

// As in a library of acltwin sdk --stubs.
extern "C" int acltwin_missing_operator(const char* function);
static aclnnStatus missing_phase1() { return acltwin_missing_operator("aclnnSoftmaxGetWorkspaceSize"); }

// An operator that the twin does not have is called twice.
// finds: use.missing-operator
PROGRAM(operator_that_is_missing) {
    Session session;
    for (int i = 0; i < 2 && !fixed; ++i) worked(missing_phase1());
}

// Memory goes from one device to another that it has no access to.
// finds: use.no-peer-access
PROGRAM(copy_without_peer_access) {
    setenv("ACLTWIN_DEVICES", "2", 1);
    Session session;
    Gradients gradients;
    if (fixed) CHECK(aclrtDeviceEnablePeerAccess(1, 0));
    CHECK(aclrtSetDevice(1));
    void* other = nullptr;
    CHECK(aclrtMalloc(&other, kGradientBytes, ACL_MEM_MALLOC_HUGE_FIRST));
    CHECK(aclrtMemcpy(other, kGradientBytes, gradients.address, kGradientBytes, ACL_MEMCPY_DEVICE_TO_DEVICE));
    CHECK(aclrtFree(other));
    CHECK(aclrtResetDevice(1));
    CHECK(aclrtSetDevice(0));
    CHECK(aclrtResetDevice(0));
}

// A queued copy fills memory of the first device on a stream of the second.
// finds: use.wrong-device
PROGRAM(copy_on_another_devices_stream) {
    setenv("ACLTWIN_DEVICES", "2", 1);
    Session session;
    Block first(kGradientBytes);
    SecondDevice second;
    Block own(kGradientBytes);
    const Block& target = fixed ? own : first;
    CHECK(aclrtMemcpyAsync(target.address, kGradientBytes, kGradients, kGradientBytes, ACL_MEMCPY_HOST_TO_DEVICE,
                           second.stream));
    wait(second.stream);
    read(target);
}

// The stream of the second device is given to a call of the first.
// finds: use.wrong-device
PROGRAM(stream_of_another_device) {
    setenv("ACLTWIN_DEVICES", "2", 1);
    Session session;
    SecondDevice second;
    CHECK(aclrtSetCurrentContext(fixed ? second.own : second.first));
    Gradients gradients;
    Result result;
    Upsample upsample(gradients.address, result.address);
    CHECK(upsample.phase1());
    if (worked(upsample.phase2(second.stream))) wait(second.stream);
    if (fixed) read(result);
    CHECK(aclrtSetCurrentContext(second.own));
}

// A kernel is launched on a stream of the second device, and its input is on the first.
// finds: use.wrong-device
PROGRAM(kernel_on_another_devices_stream) {
    setenv("ACLTWIN_DEVICES", "2", 1);
    Session session;
    Gradients first;
    SecondDevice second;
    Gradients own;
    Result result;
    Upsample upsample(fixed ? own.address : first.address, result.address);
    CHECK(upsample.phase1());
    if (!worked(upsample.phase2(second.stream))) return;
    wait(second.stream);
    read(result);
}
