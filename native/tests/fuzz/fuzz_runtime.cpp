// Any sequence of ACL calls on any mixture of objects: living, destroyed, null, of another kind, or made up.
// What the caller owns is described truthfully, as no library can know better: host buffers and the arrays of a call.
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "acl/acl.h"
#include "aclnnop/aclnn_max_pool3d_with_argmax_backward.h"
#include "aclnnop/aclnn_max_unpool3d_backward.h"
#include "aclnnop/aclnn_upsample_nearest_exact3d_backward.h"
#include "tests/fuzz/bytes.h"

using acltwin::Bytes;

namespace {

constexpr int kObjects = 24;
constexpr size_t kHostBytes = 512;

struct Program {
    Bytes bytes;
    void* objects[kObjects] = {};  // whatever calls have returned, of any kind
    unsigned char host[kHostBytes] = {};
    int64_t numbers[8];

    explicit Program(Bytes given) : bytes(given) {}

    // Mostly the object at a place, dead or alive; now and then a made-up one.
    void* object() {
        if (bytes.rarely(16)) return reinterpret_cast<void*>(bytes.any<uintptr_t>());
        return objects[bytes.below(kObjects)];
    }
    void* address() {
        const auto first = reinterpret_cast<uintptr_t>(object());
        return reinterpret_cast<void*>(bytes.rarely(4) ? first + bytes.any<uint16_t>() : first);
    }
    template <class T>
    T* object_as() {
        return static_cast<T*>(object());
    }
    void keep(void* fresh) { objects[bytes.below(kObjects)] = fresh; }
    // Small, or more than any machine has; what it has would be given, and filled in check mode.
    size_t size() {
        if (!bytes.rarely(4)) return size_t(bytes.below(256));
        return bytes.rarely(2) ? bytes.any<size_t>() | size_t(1) << 50 : bytes.any<uint16_t>();
    }
    size_t host_size() { return size_t(bytes.any<uint16_t>()) % (kHostBytes + 1); }
    // Up to eight numbers, small ones mostly.
    const int64_t* list() {
        for (int64_t& number : numbers) number = bytes.rarely(8) ? bytes.any<int64_t>() : bytes.below(5);
        return numbers;
    }
    // Or one that says both are on the device, or a number that is none; others would take an address for the host's.
    aclrtMemcpyKind copy_kind(int kind) {
        if (!bytes.rarely(8)) return aclrtMemcpyKind(kind);
        return aclrtMemcpyKind(bytes.rarely(2) ? 100 + bytes.below(100) : int(ACL_MEMCPY_DEVICE_TO_DEVICE));
    }

    void step();
    void objects_step(unsigned choice);
    void memory_step(unsigned choice);
    void queue_step(unsigned choice);
    void operator_step(unsigned choice);
    void move_step(unsigned choice);
    void virtual_step(unsigned choice);
    void client_step(unsigned choice);
};

void nothing(void*) {}

void Program::step() {
    const unsigned room = bytes.byte() % 6, choice = bytes.byte();
    if (room == 0) return objects_step(choice);
    if (room == 1) return memory_step(choice);
    if (room == 2) return queue_step(choice);
    if (room == 4) return virtual_step(choice);
    if (room == 5) return client_step(choice);
    choice < 224 ? operator_step(choice) : move_step(choice);
}

void Program::objects_step(unsigned choice) {
    void* fresh = nullptr;
    int32_t id = 0;
    int64_t value = 0;
    switch (choice % 18) {
        case 0: aclrtCreateStream(&fresh), keep(fresh); break;
        case 1: aclrtCreateEvent(&fresh), keep(fresh); break;
        case 2: aclrtCreateContext(&fresh, int32_t(bytes.below(3))), keep(fresh); break;
        case 3: aclrtDestroyStream(object()); break;
        case 4: aclrtDestroyStreamForce(object()); break;
        case 5: aclrtDestroyEvent(object()); break;
        case 6: aclrtDestroyContext(object()); break;
        case 7: aclrtSetCurrentContext(object()); break;
        case 8: aclrtGetCurrentContext(&fresh), keep(fresh); break;
        case 9: aclrtSetDevice(int32_t(bytes.below(3))); break;
        case 10: aclrtResetDevice(int32_t(bytes.below(3))); break;
        case 11: aclrtGetDevice(&id); break;
        case 12: aclInit(nullptr); break;
        case 13: aclFinalize(); break;
        case 14: aclrtCtxSetSysParamOpt(aclSysParamOpt(bytes.below(4)), int64_t(bytes.below(4))); break;
        case 15: aclrtCtxGetSysParamOpt(aclSysParamOpt(bytes.below(4)), &value); break;
        case 16: (void)aclGetRecentErrMsg(); break;
        case 17: (void)aclrtGetSocName(); break;
    }
}

void Program::memory_step(unsigned choice) {
    void* fresh = nullptr;
    size_t bytes_of_host = 0;
    switch (choice % 12) {
        case 0:
        case 1: aclrtMalloc(&fresh, size(), ACL_MEM_MALLOC_HUGE_FIRST), keep(fresh); break;
        case 2: aclrtFree(address()); break;
        case 3: aclrtMallocHost(&fresh, size()), keep(fresh); break;
        case 4: aclrtFreeHost(address()); break;
        case 5: aclrtMemset(address(), size(), int32_t(bytes.byte()), size()); break;
        case 6: aclrtMemsetAsync(address(), size(), int32_t(bytes.byte()), size(), object()); break;
        case 7:
            bytes_of_host = host_size();
            aclrtMemcpy(address(), size(), host, bytes_of_host, copy_kind(ACL_MEMCPY_HOST_TO_DEVICE));
            break;
        case 8:
            bytes_of_host = host_size();
            aclrtMemcpy(host, bytes_of_host, address(), size_t(bytes.below(256)), copy_kind(ACL_MEMCPY_DEVICE_TO_HOST));
            break;
        case 9: aclrtMemcpy(address(), size(), address(), size(), ACL_MEMCPY_DEVICE_TO_DEVICE); break;
        case 10: aclrtMemcpyAsync(address(), size(), address(), size(), ACL_MEMCPY_DEVICE_TO_DEVICE, object()); break;
        case 11: aclrtMemcpyAsync(address(), size(), host, host_size(), ACL_MEMCPY_HOST_TO_DEVICE, object()); break;
    }
}

void Program::queue_step(unsigned choice) {
    aclrtStreamStatus stream_status;
    aclrtEventRecordedStatus event_status;
    float milliseconds = 0;
    void* fresh = nullptr;
    auto mode = aclmdlRICaptureMode(choice % 4);
    switch (choice % 17) {
        case 0: aclrtSynchronizeStream(object()); break;
        case 1: aclrtSynchronizeStreamWithTimeout(object(), int32_t(bytes.below(3)) - 1); break;
        case 2: aclrtSynchronizeDevice(); break;
        case 3: aclrtSynchronizeEvent(object()); break;
        case 4: aclrtRecordEvent(object(), object()); break;
        case 5: aclrtStreamWaitEvent(object(), object()); break;
        case 6: aclrtResetEvent(object(), object()); break;
        case 7: aclrtStreamQuery(object(), &stream_status); break;
        case 8: aclrtQueryEventStatus(object(), &event_status); break;
        case 9: aclrtEventElapsedTime(&milliseconds, object(), object()); break;
        case 10: aclmdlRICaptureBegin(object(), mode); break;
        case 11: aclmdlRICaptureEnd(object(), &fresh), keep(fresh); break;
        case 12: aclmdlRICaptureGetInfo(object(), nullptr, &fresh), keep(fresh); break;
        case 13: aclmdlRIExecuteAsync(object(), object()); break;
        case 14: aclmdlRIExecute(object(), 1); break;
        case 15: aclmdlRIDestroy(object()); break;
        case 16: aclmdlRICaptureThreadExchangeMode(&mode); break;
    }
}

void Program::operator_step(unsigned choice) {
    uint64_t workspace = 0;
    aclOpExecutor* executor = nullptr;
    void* address_of = nullptr;
    switch (choice % 16) {
        case 0:
        case 1:
        case 2: {
            // A description that a call may well accept: 1, 1 and then small cells, contiguous or with any strides.
            int64_t dims[5] = {1, 1}, strides[5];
            for (int i = 2; i < 5; ++i) dims[i] = 1 + bytes.below(2);
            for (int64_t& stride : strides) stride = bytes.rarely(8) ? bytes.any<int64_t>() : bytes.below(9);
            const auto dtype = aclDataType(bytes.rarely(3) ? bytes.byte() : 0u);
            const int64_t storage[1] = {bytes.below(32)};
            const bool plain = !bytes.rarely(3);
            keep(aclCreateTensor(dims, bytes.rarely(16) ? uint64_t(bytes.below(6)) : 5, dtype,
                                 plain ? nullptr : strides, bytes.rarely(8) ? bytes.any<int64_t>() : 0,
                                 aclFormat(bytes.rarely(4) ? bytes.byte() : 30u), plain ? dims : storage, plain ? 5 : 1,
                                 address()));
            break;
        }
        case 3: aclDestroyTensor(object_as<aclTensor>()); break;
        case 4: {
            const int64_t* numbers_now = list();
            keep(aclCreateIntArray(numbers_now, uint64_t(bytes.below(9))));
            break;
        }
        case 5: aclDestroyIntArray(object_as<aclIntArray>()); break;
        case 6: aclSetRawTensorAddr(object_as<aclTensor>(), address()); break;
        case 7: aclGetRawTensorAddr(object_as<aclTensor>(), &address_of), keep(address_of); break;
        case 8:
        case 9:
            aclnnUpsampleNearestExact3dBackwardGetWorkspaceSize(object_as<aclTensor>(), object_as<aclIntArray>(),
                                                                object_as<aclIntArray>(), 0, 0, 0,
                                                                object_as<aclTensor>(), &workspace, &executor);
            if (executor != nullptr) keep(executor);
            break;
        case 10:
            aclnnMaxPool3dWithArgmaxBackwardGetWorkspaceSize(
                object_as<aclTensor>(), object_as<aclTensor>(), object_as<aclTensor>(), object_as<aclIntArray>(),
                object_as<aclIntArray>(), object_as<aclIntArray>(), object_as<aclIntArray>(), bytes.rarely(2),
                object_as<aclTensor>(), &workspace, &executor);
            if (executor != nullptr) keep(executor);
            break;
        case 11:
            aclnnMaxUnpool3dBackwardGetWorkspaceSize(
                object_as<aclTensor>(), object_as<aclTensor>(), object_as<aclTensor>(), object_as<aclIntArray>(),
                object_as<aclIntArray>(), object_as<aclIntArray>(), object_as<aclTensor>(), &workspace, &executor);
            if (executor != nullptr) keep(executor);
            break;
        case 12: aclnnUpsampleNearestExact3dBackward(address(), size(), object_as<aclOpExecutor>(), object()); break;
        case 13: aclnnMaxPool3dWithArgmaxBackward(address(), size(), object_as<aclOpExecutor>(), object()); break;
        case 14: aclSetAclOpExecutorRepeatable(object_as<aclOpExecutor>()); break;
        case 15: aclDestroyAclOpExecutor(object_as<aclOpExecutor>()); break;
    }
}

void Program::move_step(unsigned choice) {
    const size_t index = bytes.rarely(8) ? bytes.any<size_t>() : size_t(bytes.below(4));
    auto* const executor = object_as<aclOpExecutor>();
    switch (choice % 8) {
        case 0: aclSetInputTensorAddr(executor, index, object_as<aclTensor>(), address()); break;
        case 1: AclSetOutputTensorAddr(executor, index, object_as<aclTensor>(), address()); break;
        case 2: AclSetTensorAddr(executor, index, object_as<aclTensor>(), address()); break;
        case 3:
            aclSetDynamicInputTensorAddr(executor, index, bytes.below(3), object_as<aclTensorList>(), address());
            break;
        case 4:
            AclSetDynamicOutputTensorAddr(executor, index, bytes.below(3), object_as<aclTensorList>(), address());
            break;
        case 5: aclSetDynamicTensorAddr(executor, index, bytes.below(3), object_as<aclTensorList>(), address()); break;
        case 6: {
            const aclTensor* const members[] = {object_as<aclTensor>(), object_as<aclTensor>()};
            keep(aclCreateTensorList(members, size_t(bytes.below(3))));
            break;
        }
        case 7: {
            const int64_t* dims = bytes.rarely(4) ? nullptr : list();
            aclInitTensor(object_as<aclTensor>(), dims, uint64_t(bytes.below(9)), aclDataType(bytes.rarely(3) ? 3 : 0),
                          bytes.rarely(2) ? numbers : nullptr, bytes.below(4), aclFormat(30), dims,
                          uint64_t(bytes.below(9)), address());
            break;
        }
    }
}

void Program::virtual_step(unsigned choice) {
    constexpr size_t kPage = 4096;
    void* fresh = nullptr;
    size_t granularity = 0;
    aclrtPhysicalMemProp prop{};
    prop.memAttr = bytes.rarely(8) ? aclrtMemAttr(bytes.byte()) : ACL_HBM_MEM_NORMAL;
    prop.location.type = bytes.rarely(8) ? aclrtMemLocationType(bytes.byte()) : ACL_MEM_LOCATION_TYPE_DEVICE;
    prop.location.id = bytes.rarely(8) ? bytes.any<uint32_t>() : 0;
    const size_t pages = kPage * size_t(1 + bytes.below(3));
    const auto place = reinterpret_cast<uintptr_t>(object()) + kPage * size_t(bytes.below(4));
    void* const there = reinterpret_cast<void*>(place);
    switch (choice % 10) {
        case 0: aclrtReserveMemAddress(&fresh, size(), 0, bytes.rarely(8) ? there : nullptr, 0), keep(fresh); break;
        case 1: aclrtReleaseMemAddress(there); break;
        case 2:
        case 3: aclrtMallocPhysical(&fresh, pages, &prop, 0), keep(fresh); break;
        case 4: aclrtFreePhysical(object()); break;
        case 5:
        case 6:
        case 7: aclrtMapMem(there, pages, 0, object(), 0); break;
        case 8: aclrtUnmapMem(there); break;
        case 9:
            aclrtMemGetAllocationGranularity(&prop, aclrtMemGranularityOptions(bytes.below(3)), &granularity);
            break;
    }
}

void Program::client_step(unsigned choice) {
    int32_t number = 0;
    int64_t value = 0;
    uint64_t time = 0;
    size_t failed = 0;
    void* fresh = nullptr;
    aclrtPtrAttributes attributes;
    switch (choice % 14) {
        case 0: aclrtLaunchHostFunc(object(), bytes.rarely(8) ? nullptr : nothing, nullptr); break;
        case 1: aclrtLaunchCallback(nothing, nullptr, aclrtCallbackBlockType(0), object()); break;
        case 2: aclrtSubscribeReport(uint64_t(bytes.below(2)), object()); break;
        case 3: aclrtUnSubscribeReport(uint64_t(bytes.below(2)), object()); break;
        case 4: aclrtProcessReport(1); break;
        case 5: aclrtPointerGetAttributes(address(), &attributes); break;
        case 6: aclrtStreamGetId(object(), &number); break;
        case 7: aclrtEventGetTimestamp(object(), &time); break;
        case 8: aclrtSynchronizeDeviceWithTimeout(int32_t(bytes.below(4)) - 2); break;
        case 9: aclrtDeviceEnablePeerAccess(int32_t(bytes.below(3)), 0); break;
        case 10: aclrtDeviceDisablePeerAccess(int32_t(bytes.below(3))); break;
        case 11: aclrtGetDeviceInfo(uint32_t(bytes.below(3)), aclrtDevAttr(bytes.any<uint16_t>()), &value); break;
        case 12: {
            // The pages of the program's own, which are there for as long as it runs.
            alignas(65536) static unsigned char page[65536];
            aclrtHostRegister(page + bytes.below(2) * 32768, 1 + bytes.any<uint16_t>() % 32768,
                              aclrtHostRegisterType(bytes.below(16)), &fresh);
            keep(fresh);
            if (bytes.rarely(2)) aclrtHostUnregister(page);
            break;
        }
        case 13: {
            void *to[] = {address(), address()}, *from[] = {host, host};
            size_t rooms[] = {size(), size()}, sizes[] = {host_size(), host_size()}, first[] = {0, size()};
            aclrtMemcpyBatchAttr attribute[2] = {};
            attribute[0].dstLoc.type = attribute[1].dstLoc.type = ACL_MEM_LOCATION_TYPE_DEVICE;
            attribute[1].srcLoc.id = bytes.byte();
            if (bytes.rarely(2))
                aclrtMemcpyBatch(to, rooms, from, sizes, bytes.below(3), attribute, first, bytes.below(3), &failed);
            else
                aclrtMemcpyBatchAsync(to, rooms, from, sizes, bytes.below(3), attribute, first, bytes.below(3), &failed,
                                      object());
            break;
        }
    }
}

void must(bool condition, const char* what) {
    if (condition) return;
    std::fprintf(stderr, "after the sequence: %s\n", what);
    std::abort();
}

// Whatever was called, everything can be taken down, and the runtime works as before.
void take_down(Program& program) {
    aclrtSynchronizeDevice();
    for (void* object : program.objects) {
        aclDestroyAclOpExecutor(static_cast<aclOpExecutor*>(object));
        aclDestroyTensorList(static_cast<aclTensorList*>(object));
        aclDestroyTensor(static_cast<aclTensor*>(object));
        aclDestroyIntArray(static_cast<aclIntArray*>(object));
        aclrtDestroyEvent(object);
        aclrtDestroyStreamForce(object);
        aclrtFreeHost(object);
        aclrtFree(object);
        aclrtFreePhysical(object);
    }
    for (void* object : program.objects) aclrtDestroyContext(object);
    for (int32_t device = 0; device < 3; ++device)
        while (aclrtResetDevice(device) == 0) continue;
    aclFinalize();
}

void expect_working_runtime() {
    const unsigned char sent[4] = {1, 2, 3, 4};
    unsigned char got[4] = {};
    void *stream = nullptr, *block = nullptr;
    must(aclInit(nullptr) == 0, "aclInit fails");
    must(aclrtSetDevice(0) == 0, "aclrtSetDevice fails");
    must(aclrtCreateStream(&stream) == 0, "aclrtCreateStream fails");
    must(aclrtMalloc(&block, 4, ACL_MEM_MALLOC_HUGE_FIRST) == 0, "aclrtMalloc fails");
    must(aclrtMemcpyAsync(block, 4, sent, 4, ACL_MEMCPY_HOST_TO_DEVICE, stream) == 0, "aclrtMemcpyAsync fails");
    must(aclrtSynchronizeStream(stream) == 0, "aclrtSynchronizeStream fails");
    must(aclrtMemcpy(got, 4, block, 4, ACL_MEMCPY_DEVICE_TO_HOST) == 0, "aclrtMemcpy fails");
    must(std::memcmp(sent, got, 4) == 0, "a copy brings something else");
    must(aclrtFree(block) == 0 && aclrtDestroyStream(stream) == 0, "taking down fails");
    must(aclrtResetDevice(0) == 0 && aclFinalize() == 0, "ending fails");
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
    Program program{Bytes(data, size)};
    if (!program.bytes.rarely(8)) {  // mostly as a program begins
        aclInit(nullptr);
        aclrtSetDevice(0);
    }
    for (int steps = 0; steps < 200 && !program.bytes.empty(); ++steps) program.step();
    take_down(program);
    expect_working_runtime();
    return 0;
}
