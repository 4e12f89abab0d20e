// Several devices and what lies on them: peer access, batches of copies, registered host memory, what an address is,
// what a device has; and the numbers of streams and events.
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <vector>

#include "upsample.h"

static void* block(size_t size) {
    void* address = nullptr;
    EXPECT_OK(aclrtMalloc(&address, size, ACL_MEM_MALLOC_HUGE_FIRST));
    return address;
}

static void peers() {
    int32_t can = -1;
    EXPECT_OK(aclrtDeviceCanAccessPeer(&can, 0, 1));
    EXPECT(can == 1);
    EXPECT_CODE(100000, aclrtDeviceCanAccessPeer(nullptr, 0, 1));
    EXPECT_CODE(107000, aclrtDeviceCanAccessPeer(&can, 1, 1));
    EXPECT_CODE(107001, aclrtDeviceCanAccessPeer(&can, 0, 2));
    EXPECT_CODE(107001, aclrtDeviceCanAccessPeer(&can, -1, 0));
    EXPECT_CODE(107000, aclrtDeviceEnablePeerAccess(0, 0));
    EXPECT_MESSAGE("the device itself");
    EXPECT_CODE(107001, aclrtDeviceEnablePeerAccess(2, 0));
    EXPECT_CODE(107000, aclrtDeviceEnablePeerAccess(1, 1));
    EXPECT_CODE(107000, aclrtDeviceDisablePeerAccess(1));
    EXPECT_OK(aclrtDeviceEnablePeerAccess(1, 0));
    EXPECT_OK(aclrtDeviceEnablePeerAccess(1, 0));
    EXPECT_OK(aclrtSetDevice(1));
    EXPECT_CODE(107000, aclrtDeviceDisablePeerAccess(0));  // the other way is another one
    EXPECT_OK(aclrtResetDevice(1));
    EXPECT_OK(aclrtSetDevice(0));
    EXPECT_OK(aclrtResetDevice(0));
    EXPECT_CODE(107000, aclrtDeviceDisablePeerAccess(1));  // it ended with device 1
    EXPECT_OK(aclrtDeviceEnablePeerAccess(1, 0));
    EXPECT_OK(aclrtDeviceDisablePeerAccess(1));
    EXPECT_CODE(107000, aclrtDeviceDisablePeerAccess(1));
}

static aclrtMemcpyBatchAttr way(aclrtMemLocationType to, aclrtMemLocationType from) {
    aclrtMemcpyBatchAttr attribute = aclrtMemcpyBatchAttr();
    attribute.dstLoc.type = to;
    attribute.srcLoc.type = from;
    return attribute;
}

static void batches() {
    char* const device = static_cast<char*>(block(64));
    char sent[64], got[64] = {};
    for (int i = 0; i < 64; ++i) sent[i] = char(i + 1);
    void* to[] = {device + 32, device};
    void* from[] = {sent + 32, sent};
    size_t rooms[] = {32, 32}, sizes[] = {32, 32}, first[] = {0, 1}, failed = 7;
    aclrtMemcpyBatchAttr in[2] = {way(ACL_MEM_LOCATION_TYPE_DEVICE, ACL_MEM_LOCATION_TYPE_HOST)};
    in[1] = in[0];
    EXPECT_OK(aclrtMemcpyBatch(to, rooms, from, sizes, 2, in, first, 1, &failed));
    EXPECT(failed == SIZE_MAX);
    aclrtMemcpyBatchAttr out = way(ACL_MEM_LOCATION_TYPE_HOST, ACL_MEM_LOCATION_TYPE_DEVICE);
    void* back[] = {got + 32, got};
    aclrtStream stream = nullptr;
    EXPECT_OK(aclrtCreateStream(&stream));
    EXPECT_OK(aclrtMemcpyBatchAsync(back, rooms, to, sizes, 2, &out, first, 1, &failed, stream));
    EXPECT_OK(aclrtSynchronizeStream(stream));
    EXPECT(std::memcmp(sent, got, 64) == 0);

    EXPECT_CODE(100000, aclrtMemcpyBatch(nullptr, rooms, from, sizes, 2, in, first, 1, &failed));
    EXPECT_CODE(100000, aclrtMemcpyBatch(to, nullptr, from, sizes, 2, in, first, 1, &failed));
    EXPECT_CODE(100000, aclrtMemcpyBatch(to, rooms, nullptr, sizes, 2, in, first, 1, &failed));
    EXPECT_CODE(100000, aclrtMemcpyBatch(to, rooms, from, nullptr, 2, in, first, 1, &failed));
    EXPECT_CODE(100000, aclrtMemcpyBatch(to, rooms, from, sizes, 2, nullptr, first, 1, &failed));
    EXPECT_CODE(100000, aclrtMemcpyBatch(to, rooms, from, sizes, 2, in, nullptr, 1, &failed));
    EXPECT_CODE(100000, aclrtMemcpyBatch(to, rooms, from, sizes, 2, in, first, 1, nullptr));
    EXPECT_CODE(107000, aclrtMemcpyBatch(to, rooms, from, sizes, 0, in, first, 1, &failed));
    EXPECT_CODE(107000, aclrtMemcpyBatch(to, rooms, from, sizes, SIZE_MAX, in, first, 1, &failed));
    EXPECT_CODE(107000, aclrtMemcpyBatch(to, rooms, from, sizes, 2, in, first, 0, &failed));
    EXPECT_CODE(107000, aclrtMemcpyBatch(to, rooms, from, sizes, 2, in, first, 3, &failed));
    EXPECT(failed == SIZE_MAX);
    size_t wrong[] = {0, 0};
    EXPECT_CODE(107000, aclrtMemcpyBatch(to, rooms, from, sizes, 2, in, wrong, 2, &failed));
    EXPECT_MESSAGE("attrsIndexes[1] is 0");
    in[1] = out;
    EXPECT_CODE(107000, aclrtMemcpyBatch(to, rooms, from, sizes, 2, in, first, 2, &failed));
    EXPECT(failed == 1);
    EXPECT_MESSAGE("copy 1");
    to[1] = got;
    from[1] = device;
    EXPECT_CODE(107000, aclrtMemcpyBatch(to, rooms, from, sizes, 2, in, first, 2, &failed));
    EXPECT_MESSAGE("the other way");
    in[0] = way(ACL_MEM_LOCATION_TYPE_DEVICE, ACL_MEM_LOCATION_TYPE_DEVICE);
    EXPECT_CODE(107000, aclrtMemcpyBatch(to, rooms, from, sizes, 2, in, first, 1, &failed));
    EXPECT_MESSAGE("both ends");
    in[0] = way(ACL_MEM_LOCATION_TYPE_DEVICE, static_cast<aclrtMemLocationType>(9));
    EXPECT_CODE(107000, aclrtMemcpyBatch(to, rooms, from, sizes, 1, in, first, 1, &failed));
    in[0] = way(ACL_MEM_LOCATION_TYPE_DEVICE, ACL_MEM_LOCATION_TYPE_HOST);
    in[0].dstLoc.id = 1;
    EXPECT_CODE(107000, aclrtMemcpyBatch(to, rooms, from, sizes, 1, in, first, 1, &failed));
    EXPECT_MESSAGE("dstLoc.id is 1", "on device 0");
    in[0].dstLoc.id = 0;
    sizes[0] = 33;  // nothing is copied, not even the first
    EXPECT_CODE(107000, aclrtMemcpyBatchAsync(to, rooms, from, sizes, 1, in, first, 1, &failed, stream));
    EXPECT(failed == 0);
    EXPECT_CODE(107017, aclrtMemcpyBatchAsync(to, sizes, from, rooms, 1, in, first, 1, &failed, &stream));
    EXPECT_OK(aclrtDestroyStream(stream));
    EXPECT_OK(aclrtFree(device));
}

static aclrtPtrAttributes attributes_of(const void* address) {
    aclrtPtrAttributes attributes;
    EXPECT_OK(aclrtPointerGetAttributes(address, &attributes));
    EXPECT(attributes.pageSize >= 4096 && attributes.rsv[3] == 0);
    return attributes;
}

static void registered() {
    float* host = nullptr;
    void* device = nullptr;
    EXPECT(posix_memalign(reinterpret_cast<void**>(&host), 65536, 65536) == 0);
    EXPECT_CODE(100000, aclrtHostRegister(nullptr, 4096, ACL_HOST_REGISTER_MAPPED, &device));
    EXPECT_CODE(100000, aclrtHostRegister(host, 65536, ACL_HOST_REGISTER_MAPPED, nullptr));
    EXPECT_CODE(100000, aclrtHostRegister(host, 65536, static_cast<aclrtHostRegisterType>(1), &device));
    EXPECT_CODE(107000, aclrtHostRegister(host, 0, ACL_HOST_REGISTER_MAPPED, &device));
    EXPECT_CODE(107000, aclrtHostRegister(host, UINT64_MAX, ACL_HOST_REGISTER_MAPPED, &device));
    EXPECT_CODE(107000, aclrtHostRegister(host + 1, 4096, ACL_HOST_REGISTER_MAPPED, &device));
    EXPECT_MESSAGE("beginning of a page");
    EXPECT(attributes_of(host).location.type == ACL_MEM_LOCATION_TYPE_UNREGISTERED);
    EXPECT_OK(aclrtHostRegister(host, 65536, ACL_HOST_REGISTER_MAPPED, &device));
    EXPECT(attributes_of(host + 5).location.type == ACL_MEM_LOCATION_TYPE_HOST);
    EXPECT_CODE(107000, aclrtHostRegister(host + 1024, 4096, ACL_HOST_REGISTER_MAPPED, &device));
    EXPECT_MESSAGE("registered already");
    // A kernel reads what the host has put there.
    for (int i = 0; i < 8; ++i) host[i] = float(i);
    Upsample call;
    EXPECT_OK(aclSetRawTensorAddr(call.grad_out, device));
    EXPECT_OK(call.plan());
    EXPECT_OK(call.run(nullptr));
    EXPECT_OK(aclrtSynchronizeStream(nullptr));
    EXPECT(call.value() == 28);
    EXPECT_OK(aclSetRawTensorAddr(call.grad_out, call.source));
    call.destroy();
    EXPECT_CODE(107000, aclrtFree(device));
    EXPECT_CODE(107000, aclrtHostUnregister(host + 1024));
    EXPECT_CODE(100000, aclrtHostUnregister(nullptr));
    EXPECT_OK(aclrtHostUnregister(host));
    EXPECT_CODE(107000, aclrtHostUnregister(host));
    EXPECT_CODE(107000, aclrtMemset(device, 4, 0, 4));
    EXPECT_OK(aclrtHostRegister(host, 65536, ACL_HOST_REGISTER_READONLY, &device));
    EXPECT_OK(aclrtResetDevice(0));  // ends it
    EXPECT_OK(aclrtSetDevice(0));
    EXPECT_CODE(107000, aclrtHostUnregister(host));
    std::free(host);
    void* const own = block(8192);
    EXPECT_CODE(107000,
                aclrtHostRegister(reinterpret_cast<void*>(reinterpret_cast<uintptr_t>(own) / 4096 * 4096 + 4096), 64,
                                  ACL_HOST_REGISTER_MAPPED, &device));
    EXPECT_MESSAGE("device memory");
    EXPECT_OK(aclrtFree(own));
}

static void pointers() {
    aclrtPtrAttributes attributes;
    int local = 0;
    EXPECT_CODE(100000, aclrtPointerGetAttributes(&local, nullptr));
    EXPECT_CODE(100000, aclrtPointerGetAttributes(nullptr, &attributes));
    EXPECT(attributes_of(&local).location.type == ACL_MEM_LOCATION_TYPE_UNREGISTERED);
    EXPECT_OK(aclrtSetDevice(1));
    char* const device = static_cast<char*>(block(64));
    EXPECT(attributes_of(device + 63).location.type == ACL_MEM_LOCATION_TYPE_DEVICE);
    EXPECT(attributes_of(device).location.id == 1);
    EXPECT_OK(aclrtFree(device));
    EXPECT_OK(aclrtResetDevice(1));
    EXPECT_OK(aclrtSetDevice(0));
    void* host = nullptr;
    EXPECT_OK(aclrtMallocHost(&host, 64));
    EXPECT(attributes_of(host).location.type == ACL_MEM_LOCATION_TYPE_HOST);
    EXPECT_OK(aclrtFreeHost(host));
    EXPECT_OK(aclrtResetDevice(0));
}

static void numbers() {
    int64_t value = 0;
    EXPECT_OK(aclGetDeviceCapability(0, ACL_DEVICE_INFO_AI_CORE_NUM, &value));
    EXPECT(value >= 1);
    EXPECT_OK(aclGetDeviceCapability(1, ACL_DEVICE_INFO_L2_SIZE, &value));
    EXPECT(value >= 1 << 16);
    EXPECT_CODE(100000, aclGetDeviceCapability(0, ACL_DEVICE_INFO_L2_SIZE, nullptr));
    EXPECT_CODE(100000, aclGetDeviceCapability(0, ACL_DEVICE_INFO_UNDEFINED, &value));
    EXPECT_CODE(107001, aclGetDeviceCapability(2, ACL_DEVICE_INFO_L2_SIZE, &value));
    EXPECT_CODE(107001, aclGetDeviceCapability(UINT32_MAX, ACL_DEVICE_INFO_L2_SIZE, &value));
    size_t free_bytes = 0, total = 0;
    EXPECT_OK(aclrtGetMemInfo(ACL_HBM_MEM, &free_bytes, &total));
    EXPECT_OK(aclrtGetDeviceInfo(0, ACL_DEV_ATTR_TOTAL_GLOBAL_MEM_SIZE, &value));
    EXPECT(value == int64_t(total));
    EXPECT_OK(aclrtGetDeviceInfo(1, ACL_DEV_ATTR_PHY_CHIP_ID, &value));
    EXPECT(value == 1);
    EXPECT_CODE(100000, aclrtGetDeviceInfo(0, static_cast<aclrtDevAttr>(9999), &value));
    EXPECT_CODE(100000, aclrtGetDeviceInfo(0, ACL_DEV_ATTR_L2_CACHE_SIZE, nullptr));
    EXPECT_CODE(107001, aclrtGetDeviceInfo(2, ACL_DEV_ATTR_L2_CACHE_SIZE, &value));
    EXPECT(aclGetDataTypeSize(ACL_BF16) == 2 && aclGetDataTypeSize(ACL_DT_UNDEFINED) == 0);

    aclrtStream streams[2] = {nullptr, nullptr};
    int32_t ids[3] = {-1, -1, -1};
    for (int i = 0; i < 2; ++i) EXPECT_OK(aclrtCreateStream(&streams[i]));
    for (int i = 0; i < 2; ++i) EXPECT_OK(aclrtStreamGetId(streams[i], &ids[i]));
    EXPECT_OK(aclrtStreamGetId(nullptr, &ids[2]));
    EXPECT(ids[0] >= 0 && ids[0] != ids[1] && ids[1] != ids[2] && ids[0] != ids[2]);
    EXPECT_CODE(100000, aclrtStreamGetId(streams[0], nullptr));
    EXPECT_CODE(107017, aclrtStreamGetId(&value, &ids[0]));

    aclrtEvent event = nullptr, mark = nullptr;
    uint64_t first = 0, second = 0;
    EXPECT_OK(aclrtCreateEventExWithFlag(&event, ACL_EVENT_TIME_LINE | ACL_EVENT_SYNC));
    EXPECT_OK(aclrtCreateEventExWithFlag(&mark, ACL_EVENT_SYNC));
    EXPECT_CODE(100000, aclrtCreateEventExWithFlag(nullptr, ACL_EVENT_SYNC));
    EXPECT_CODE(107006, aclrtEventGetTimestamp(event, &first));
    EXPECT_OK(aclrtRecordEvent(mark, streams[0]));
    EXPECT_OK(aclrtRecordEvent(event, streams[0]));
    EXPECT_OK(aclrtSynchronizeDeviceWithTimeout(60000));
    EXPECT_OK(aclrtEventGetTimestamp(event, &first));
    EXPECT_CODE(107006, aclrtEventGetTimestamp(mark, &second));
    EXPECT_MESSAGE("ACL_EVENT_TIME_LINE");
    EXPECT_OK(aclrtRecordEvent(event, streams[0]));
    EXPECT_OK(aclrtSynchronizeDeviceWithTimeout(-1));
    EXPECT_OK(aclrtEventGetTimestamp(event, &second));
    EXPECT(first > 0 && second >= first);
    EXPECT_CODE(100000, aclrtEventGetTimestamp(event, nullptr));
    EXPECT_CODE(100000, aclrtEventGetTimestamp(nullptr, &first));
    EXPECT_CODE(107000, aclrtSynchronizeDeviceWithTimeout(-2));
    // A function that does not end keeps the device busy.
    volatile bool may_go = false;
    EXPECT_OK(aclrtLaunchHostFunc(
        streams[1],
        [](void* flag) {
            while (!__atomic_load_n(static_cast<bool*>(flag), __ATOMIC_ACQUIRE)) continue;
        },
        const_cast<bool*>(&may_go)));
    EXPECT_CODE(507046, aclrtSynchronizeDeviceWithTimeout(5));
    __atomic_store_n(const_cast<bool*>(&may_go), true, __ATOMIC_RELEASE);
    EXPECT_OK(aclrtSynchronizeDeviceWithTimeout(60000));
    EXPECT_OK(aclrtDestroyEvent(event));
    EXPECT_OK(aclrtDestroyEvent(mark));
    for (aclrtStream stream : streams) EXPECT_OK(aclrtDestroyStream(stream));
}

int main() {
    setenv("ACLTWIN_DEVICES", "2", 1);
    EXPECT_CODE(107002, aclrtDeviceEnablePeerAccess(1, 0));
    EXPECT_CODE(107002, aclrtSynchronizeDeviceWithTimeout(1));
    EXPECT_OK(aclInit(nullptr));
    EXPECT_OK(aclrtSetDevice(0));
    peers();
    batches();
    registered();
    pointers();
    numbers();
    EXPECT_OK(aclrtResetDevice(0));
    EXPECT_OK(aclFinalize());
    return 0;
}
