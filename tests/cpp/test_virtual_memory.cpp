// Virtual memory: addresses, memory, and what is mapped where.
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <cstdint>
#include <cstring>
#include <thread>
#include <vector>

#include "upsample.h"
#include "virtual_memory.h"

static void granularity() {
    aclrtPhysicalMemProp prop = property();
    size_t size = 0;
    EXPECT_OK(aclrtMemGetAllocationGranularity(&prop, ACL_RT_MEM_ALLOC_GRANULARITY_MINIMUM, &size));
    EXPECT(size == kPiece);
    EXPECT_OK(aclrtMemGetAllocationGranularity(&prop, ACL_RT_MEM_ALLOC_GRANULARITY_RECOMMENDED, &size));
    EXPECT(size == kPiece);
    prop.memAttr = ACL_HBM_MEM_NORMAL;
    EXPECT_OK(aclrtMemGetAllocationGranularity(&prop, ACL_RT_MEM_ALLOC_GRANULARITY_MINIMUM, &size));
    EXPECT(size == size_t(sysconf(_SC_PAGESIZE)));
    prop.memAttr = ACL_HBM_MEM_HUGE1G;
    EXPECT_OK(aclrtMemGetAllocationGranularity(&prop, ACL_RT_MEM_ALLOC_GRANULARITY_MINIMUM, &size));
    EXPECT(size == size_t(1) << 30);
    EXPECT_CODE(100000, aclrtMemGetAllocationGranularity(&prop, ACL_RT_MEM_ALLOC_GRANULARITY_MINIMUM, nullptr));
    EXPECT_CODE(100000, aclrtMemGetAllocationGranularity(nullptr, ACL_RT_MEM_ALLOC_GRANULARITY_MINIMUM, &size));
    EXPECT_CODE(107000, aclrtMemGetAllocationGranularity(&prop, ACL_RT_MEM_ALLOC_GRANULARITY_UNDEF, &size));
    prop.memAttr = static_cast<aclrtMemAttr>(18);
    EXPECT_CODE(107000, aclrtMemGetAllocationGranularity(&prop, ACL_RT_MEM_ALLOC_GRANULARITY_MINIMUM, &size));
    EXPECT_MESSAGE("memAttr is 18", "ACL_HBM_MEM_HUGE");
    prop = property(64);
    EXPECT_CODE(107001, aclrtMemGetAllocationGranularity(&prop, ACL_RT_MEM_ALLOC_GRANULARITY_MINIMUM, &size));
    prop = property();
    prop.handleType = ACL_MEM_HANDLE_TYPE_POSIX;
    EXPECT_CODE(107000, aclrtMemGetAllocationGranularity(&prop, ACL_RT_MEM_ALLOC_GRANULARITY_MINIMUM, &size));
    prop = property();
    prop.location.type = ACL_MEM_LOCATION_TYPE_HOST;
    EXPECT_CODE(107000, aclrtMemGetAllocationGranularity(&prop, ACL_RT_MEM_ALLOC_GRANULARITY_MINIMUM, &size));
}

static void addresses() {
    void* address = nullptr;
    EXPECT_CODE(100000, aclrtReserveMemAddress(nullptr, kPiece, 0, nullptr, 0));
    EXPECT_CODE(100000, aclrtReserveMemAddress(&address, 0, 0, nullptr, 0));
    EXPECT_CODE(107000, aclrtReserveMemAddress(&address, kPiece, 1, nullptr, 0));
    EXPECT_CODE(107000, aclrtReserveMemAddress(&address, kPiece, 0, nullptr, 2));
    EXPECT_CODE(207001, aclrtReserveMemAddress(&address, SIZE_MAX, 0, nullptr, 0));
    EXPECT_CODE(107000, aclrtReserveMemAddress(&address, kPiece, 0, reinterpret_cast<void*>(4096), 0));
    EXPECT_MESSAGE("expectPtr", "multiple of 2097152");
    EXPECT(address == nullptr);
    char* const area = reserve((size_t(64) << 30) + 1);  // far more than the memory there is
    EXPECT(reinterpret_cast<uintptr_t>(area) % (size_t(1) << 30) == 0);
    char* const small = reserve(1);
    EXPECT_CODE(107000, aclrtReserveMemAddress(&address, kPiece, 0, small, 0));
    EXPECT_MESSAGE("taken");
    EXPECT_CODE(107000, aclrtReleaseMemAddress(small + kPiece / 2));
    EXPECT_MESSAGE("not the start");
    EXPECT_OK(aclrtReleaseMemAddress(small));
    EXPECT_CODE(107000, aclrtReleaseMemAddress(small));
    EXPECT_OK(aclrtReserveMemAddress(&address, kPiece, 0, small, 0));  // free again, and wished for
    EXPECT(address == small);
    EXPECT_OK(aclrtReleaseMemAddress(small));
    EXPECT_CODE(100000, aclrtReleaseMemAddress(nullptr));
    EXPECT_OK(aclrtReleaseMemAddress(area));
}

static void memory() {
    const aclrtPhysicalMemProp prop = property();
    aclrtDrvMemHandle handle = nullptr;
    EXPECT_CODE(100000, aclrtMallocPhysical(nullptr, kPiece, &prop, 0));
    EXPECT_CODE(100000, aclrtMallocPhysical(&handle, 0, &prop, 0));
    EXPECT_CODE(100000, aclrtMallocPhysical(&handle, kPiece, nullptr, 0));
    EXPECT_CODE(107000, aclrtMallocPhysical(&handle, kPiece, &prop, 1));
    EXPECT_CODE(207001, aclrtMallocPhysical(&handle, SIZE_MAX, &prop, 0));
    EXPECT(handle == nullptr);
    handle = physical();
    EXPECT_OK(aclrtFreePhysical(handle));
    EXPECT_CODE(107017, aclrtFreePhysical(handle));
    EXPECT_MESSAGE("destroyed");
    EXPECT_CODE(100000, aclrtFreePhysical(nullptr));
    EXPECT_CODE(107017, aclrtFreePhysical(&handle));
}

static void mapping() {
    char* const area = reserve(4 * kPiece);
    aclrtDrvMemHandle first = physical(), second = physical();
    EXPECT_CODE(100000, aclrtMapMem(nullptr, kPiece, 0, first, 0));
    EXPECT_CODE(100000, aclrtMapMem(area, kPiece, 0, nullptr, 0));
    EXPECT_CODE(107017, aclrtMapMem(area, kPiece, 0, area, 0));
    EXPECT_CODE(107000, aclrtMapMem(area, kPiece, 0, first, 1));
    EXPECT_CODE(107000, aclrtMapMem(area, kPiece, 64, first, 0));
    EXPECT_CODE(107000, aclrtMapMem(area, kPiece / 2, 0, first, 0));
    EXPECT_MESSAGE("size is 1048576", "aclrtMemGetAllocationGranularity");
    EXPECT_CODE(107000, aclrtMapMem(area + 4096, kPiece, 0, first, 0));
    EXPECT_CODE(107000, aclrtMapMem(area + 4 * kPiece, kPiece, 0, first, 0));
    EXPECT_MESSAGE("not in reserved addresses");
    EXPECT_CODE(107000, aclrtMemset(area, kPiece, 0, 1));  // nothing is mapped yet
    EXPECT_OK(aclrtMapMem(area + kPiece, kPiece, 0, first, 0));
    EXPECT_CODE(107000, aclrtMapMem(area, kPiece, 0, first, 0));
    EXPECT_MESSAGE("mapped at", "already");
    EXPECT_CODE(107000, aclrtMapMem(area + kPiece, kPiece, 0, second, 0));
    EXPECT_CODE(107000, aclrtReleaseMemAddress(area));
    EXPECT_MESSAGE("aclrtUnmapMem");
    EXPECT_CODE(107000, aclrtFree(area + kPiece));
    aclrtDrvMemHandle large = physical(3 * kPiece);
    EXPECT_CODE(107000, aclrtMapMem(area, 3 * kPiece, 0, large, 0));  // over the piece that is there
    EXPECT_CODE(107000, aclrtMapMem(area + 2 * kPiece, 3 * kPiece, 0, large, 0));
    EXPECT_MESSAGE("expected at most 4194304");
    EXPECT_OK(aclrtFreePhysical(large));
    const aclrtPhysicalMemProp prop = property();
    EXPECT_OK(aclrtMallocPhysical(&large, kPiece + 1, &prop, 0));  // which can be mapped nowhere
    EXPECT_CODE(107000, aclrtMapMem(area, kPiece + 1, 0, large, 0));
    EXPECT_OK(aclrtFreePhysical(large));

    // Side by side, they are one memory; a hole is none.
    std::vector<char> sent(2 * kPiece), got(2 * kPiece);
    for (size_t i = 0; i < sent.size(); ++i) sent[i] = char(i * 31 >> 3);
    EXPECT_CODE(107000, aclrtMemcpy(area + kPiece, 2 * kPiece, sent.data(), 2 * kPiece, ACL_MEMCPY_HOST_TO_DEVICE));
    EXPECT_MESSAGE("expected at most 2097152");
    EXPECT_OK(aclrtMapMem(area + 2 * kPiece, kPiece, 0, second, 0));
    EXPECT_OK(aclrtMemcpy(area + kPiece, 2 * kPiece, sent.data(), 2 * kPiece, ACL_MEMCPY_HOST_TO_DEVICE));
    EXPECT_OK(aclrtMemcpy(got.data(), 2 * kPiece, area + kPiece, 2 * kPiece, ACL_MEMCPY_DEVICE_TO_HOST));
    EXPECT(sent == got);

    // Memory keeps its bytes when it moves, and after its handle is gone while it is mapped.
    EXPECT_CODE(107000, aclrtUnmapMem(area));
    EXPECT_CODE(107000, aclrtUnmapMem(area + kPiece + 4096));
    EXPECT_CODE(100000, aclrtUnmapMem(nullptr));
    EXPECT_OK(aclrtUnmapMem(area + 2 * kPiece));
    EXPECT_OK(aclrtMapMem(area, kPiece, 0, second, 0));
    EXPECT_OK(aclrtFreePhysical(second));
    EXPECT_OK(aclrtMemcpy(got.data(), kPiece, area, kPiece, ACL_MEMCPY_DEVICE_TO_HOST));
    EXPECT(std::memcmp(got.data(), sent.data() + kPiece, kPiece) == 0);
    EXPECT_OK(aclrtUnmapMem(area));
    EXPECT_OK(aclrtUnmapMem(area + kPiece));
    EXPECT_CODE(107000, aclrtUnmapMem(area + kPiece));
    EXPECT_CODE(107000, aclrtMemset(area + kPiece, kPiece, 0, 1));
    EXPECT_OK(aclrtFreePhysical(first));
    EXPECT_OK(aclrtReleaseMemAddress(area));
}

// A framework's allocator: a large reservation that grows, and tensors anywhere in it.
static void kernels() {
    char* const area = reserve(size_t(32) << 30);
    aclrtDrvMemHandle pieces[2] = {physical(), physical()};
    for (int i = 0; i < 2; ++i) EXPECT_OK(aclrtMapMem(area + i * kPiece, kPiece, 0, pieces[i], 0));
    aclrtStream stream = nullptr;
    EXPECT_OK(aclrtCreateStream(&stream));
    Upsample call;
    const float ones[8] = {1, 1, 1, 1, 1, 1, 1, 1};
    char* const across = area + kPiece - 16;  // half in one piece, half in the other
    EXPECT_OK(aclrtMemcpy(across, 32, ones, 32, ACL_MEMCPY_HOST_TO_DEVICE));
    EXPECT_OK(aclSetRawTensorAddr(call.grad_out, across));
    EXPECT_OK(call.plan());
    EXPECT_OK(call.run(stream));
    EXPECT_OK(aclrtSynchronizeStream(stream));
    EXPECT(call.value() == 8);
    EXPECT_OK(aclSetRawTensorAddr(call.grad_out, area + 2 * kPiece - 16));  // and half behind the end
    EXPECT_CODE(161002, call.plan());
    EXPECT_MESSAGE("expected at most 16");
    EXPECT_OK(aclSetRawTensorAddr(call.grad_out, across));
    // Queued work finds its memory unmapped, and says so.
    EXPECT_OK(call.plan());
    std::atomic<bool> may_go(false);
    EXPECT_OK(aclrtLaunchHostFunc(
        stream,
        [](void* flag) {
            while (!*static_cast<std::atomic<bool>*>(flag)) std::this_thread::yield();
        },
        &may_go));
    EXPECT_OK(call.run(stream));
    EXPECT_OK(aclrtUnmapMem(area + kPiece));
    may_go = true;
    EXPECT_CODE(507015, aclrtSynchronizeStream(stream));
    EXPECT_MESSAGE("aclrtUnmapMem");
    EXPECT_OK(aclrtMapMem(area + kPiece, kPiece, 0, pieces[1], 0));
    EXPECT_OK(aclSetRawTensorAddr(call.grad_out, call.source));
    call.destroy();
    EXPECT_OK(aclrtDestroyStream(stream));
    for (int i = 0; i < 2; ++i) {
        EXPECT_OK(aclrtUnmapMem(area + i * kPiece));
        EXPECT_OK(aclrtFreePhysical(pieces[i]));
    }
    EXPECT_OK(aclrtReleaseMemAddress(area));
}

// Whoever is in the middle of a copy has its memory until it is through.
static void unmapping_meanwhile() {
    char* const area = reserve(kPiece);
    aclrtDrvMemHandle piece = physical();
    aclrtContext context = nullptr;
    EXPECT_OK(aclrtGetCurrentContext(&context));
    std::atomic<bool> is_over(false);
    std::thread copier([&] {
        EXPECT_OK(aclrtSetCurrentContext(context));
        std::vector<char> data(kPiece);
        while (!is_over) (void)aclrtMemcpy(area, kPiece, data.data(), kPiece, ACL_MEMCPY_HOST_TO_DEVICE);
    });
    for (int round = 0; round < 200; ++round) {
        EXPECT_OK(aclrtMapMem(area, kPiece, 0, piece, 0));
        std::this_thread::yield();
        EXPECT_OK(aclrtUnmapMem(area));
    }
    is_over = true;
    copier.join();
    EXPECT_OK(aclrtFreePhysical(piece));
    EXPECT_OK(aclrtReleaseMemAddress(area));
}

// A forked child shares no memory with its parent; its own virtual memory works.
static void forking() {
    char* const area = reserve(kPiece);
    aclrtDrvMemHandle piece = physical();
    EXPECT_OK(aclrtMapMem(area, kPiece, 0, piece, 0));
    EXPECT_OK(aclrtMemset(area, kPiece, 7, kPiece));
    const pid_t child = fork();
    if (child == 0) {
        EXPECT_CODE(107000, aclrtMemset(area, kPiece, 9, kPiece));
        EXPECT_CODE(107017, aclrtFreePhysical(piece));
        EXPECT_CODE(107000, aclrtReleaseMemAddress(area));
        char* const own = reserve(kPiece);
        aclrtDrvMemHandle memory = physical();
        EXPECT_OK(aclrtMapMem(own, kPiece, 0, memory, 0));
        EXPECT_OK(aclrtMemset(own, kPiece, 9, kPiece));
        EXPECT_OK(aclrtUnmapMem(own));
        _exit(0);
    }
    int status = -1;
    EXPECT(waitpid(child, &status, 0) == child && status == 0);
    char seen = 0;
    EXPECT_OK(aclrtMemcpy(&seen, 1, area + kPiece - 1, 1, ACL_MEMCPY_DEVICE_TO_HOST));
    EXPECT(seen == 7);
}

// With the device, all of it ends.
static void resetting() {
    char* const area = reserve(2 * kPiece);
    aclrtDrvMemHandle piece = physical();
    EXPECT_OK(aclrtMapMem(area, kPiece, 0, piece, 0));
    EXPECT_OK(aclrtResetDevice(0));
    EXPECT_OK(aclrtSetDevice(0));
    EXPECT_CODE(107000, aclrtMemset(area, kPiece, 0, 1));
    EXPECT_CODE(107017, aclrtMapMem(area, kPiece, 0, piece, 0));
    EXPECT_CODE(107000, aclrtUnmapMem(area));
    EXPECT_CODE(107000, aclrtReleaseMemAddress(area));
}

int main() {
    void* address = nullptr;
    const aclrtPhysicalMemProp prop = property();
    EXPECT_CODE(107002, aclrtReserveMemAddress(&address, kPiece, 0, nullptr, 0));
    EXPECT_CODE(107002, aclrtMallocPhysical(&address, kPiece, &prop, 0));
    EXPECT_OK(aclInit(nullptr));
    EXPECT_OK(aclrtSetDevice(0));
    granularity();
    addresses();
    memory();
    mapping();
    kernels();
    unmapping_meanwhile();
    forking();
    resetting();
    EXPECT_OK(aclrtResetDevice(0));
    EXPECT_OK(aclFinalize());
    return 0;
}
