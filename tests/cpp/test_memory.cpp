// Blocks, copies and fills: sizes, kinds, both ends checked.
#include <cstdint>
#include <cstring>
#include <vector>

#include "expect.h"

static void* block(size_t size) {
    void* address = nullptr;
    EXPECT_OK(aclrtMalloc(&address, size, ACL_MEM_MALLOC_HUGE_FIRST));
    return address;
}

static void blocks() {
    void* address = nullptr;
    EXPECT_CODE(100000, aclrtMalloc(nullptr, 4, ACL_MEM_MALLOC_HUGE_FIRST));
    EXPECT_CODE(100000, aclrtMalloc(&address, 0, ACL_MEM_MALLOC_HUGE_FIRST));
    EXPECT_CODE(207001, aclrtMalloc(&address, SIZE_MAX, ACL_MEM_MALLOC_HUGE_FIRST));
    EXPECT_CODE(207001, aclrtMalloc(&address, SIZE_MAX - 40, ACL_MEM_MALLOC_HUGE_FIRST));
    EXPECT_CODE(207001, aclrtMalloc(&address, size_t(1) << 50, ACL_MEM_MALLOC_HUGE_FIRST));
    EXPECT(address == nullptr);
    const size_t sizes[] = {1, 31, 32, 33, 4097, (size_t(2) << 20) - 32, (size_t(2) << 20) + 1};
    for (size_t size : sizes) {
        char* bytes = static_cast<char*>(block(size));
        EXPECT(reinterpret_cast<uintptr_t>(bytes) % 512 == 0);
        // Zero-filled, the padding included, and all of it may be touched.
        const size_t padded = (size + 31) / 32 * 32 + 32;
        for (size_t i = 0; i < padded; ++i) EXPECT(bytes[i] == 0);
        std::memset(bytes, 7, padded);
        EXPECT_OK(aclrtFree(bytes));
    }
    void* first = block(10);
    EXPECT_CODE(107000, aclrtFree(static_cast<char*>(first) + 1));
    EXPECT_CODE(107000, aclrtFreeHost(first));
    EXPECT_MESSAGE("device memory", "aclrtFree");
    EXPECT_OK(aclrtFree(first));
    EXPECT_CODE(107000, aclrtFree(first));
    EXPECT_MESSAGE("not the start of a live block", "once");
    EXPECT_CODE(100000, aclrtFree(nullptr));
    EXPECT_CODE(100000, aclrtFreeHost(nullptr));
    int on_stack = 0;
    EXPECT_CODE(107000, aclrtFree(&on_stack));
    EXPECT_OK(aclrtMallocAlign32(&address, 1, ACL_MEM_MALLOC_NORMAL_ONLY));
    EXPECT_CODE(107000, aclrtMemset(address, 64, 0, 33));  // no padding beyond the multiple of 32
    EXPECT_OK(aclrtFree(address));
    EXPECT_OK(aclrtMallocCached(&address, 1, static_cast<aclrtMemMallocPolicy>(3)));
    EXPECT_OK(aclrtFree(address));
    EXPECT_OK(aclrtMallocHost(&address, 8));
    EXPECT_CODE(107000, aclrtFree(address));
    EXPECT_OK(aclrtFreeHost(address));
    size_t free_bytes = 0, total = 0;
    EXPECT_OK(aclrtGetMemInfo(ACL_HBM_MEM, &free_bytes, &total));
    EXPECT(free_bytes > 0 && free_bytes <= total);
    EXPECT_CODE(100000, aclrtGetMemInfo(ACL_HBM_MEM, nullptr, &total));
    EXPECT_CODE(100000, aclrtGetMemInfo(static_cast<aclrtMemAttr>(6), &free_bytes, &total));
}

static void copies() {
    char* device = static_cast<char*>(block(64));
    char* other = static_cast<char*>(block(64));
    char host[200], back[200] = {};
    for (int i = 0; i < 200; ++i) host[i] = char(i);
    EXPECT_OK(aclrtMemcpy(nullptr, 0, nullptr, 0, static_cast<aclrtMemcpyKind>(7)));  // nothing to do comes first
    EXPECT_CODE(100000, aclrtMemcpy(nullptr, 64, host, 64, ACL_MEMCPY_HOST_TO_DEVICE));
    EXPECT_CODE(100000, aclrtMemcpy(device, 64, nullptr, 64, ACL_MEMCPY_HOST_TO_DEVICE));
    EXPECT_CODE(107000, aclrtMemcpy(device, 63, host, 64, ACL_MEMCPY_HOST_TO_DEVICE));
    EXPECT_MESSAGE("count is 64", "destMax = 63");
    EXPECT_CODE(100000, aclrtMemcpy(device, 64, host, 64, static_cast<aclrtMemcpyKind>(6)));
    EXPECT_CODE(107000, aclrtMemcpy(device, 200, host, 97, ACL_MEMCPY_HOST_TO_DEVICE));  // 64 + 32 bytes are there
    EXPECT_MESSAGE("expected at most 64");
    EXPECT_OK(aclrtMemcpy(device, 64, host, 64, ACL_MEMCPY_HOST_TO_DEVICE));
    EXPECT_OK(aclrtMemcpy(other, 64, device, 64, ACL_MEMCPY_DEVICE_TO_DEVICE));
    EXPECT_OK(aclrtMemcpy(back, 64, other + 8, 56, ACL_MEMCPY_DEFAULT));
    EXPECT(std::memcmp(back, host + 8, 56) == 0);
    EXPECT_OK(aclrtMemcpy(back, 200, host, 200, ACL_MEMCPY_HOST_TO_HOST));
    EXPECT(std::memcmp(back, host, 200) == 0);
    EXPECT_CODE(107000, aclrtMemcpy(device, 64, other, 64, ACL_MEMCPY_HOST_TO_DEVICE));
    EXPECT_MESSAGE("src", "is device memory");
    EXPECT_CODE(107000, aclrtMemcpy(back, 64, host, 64, ACL_MEMCPY_DEVICE_TO_HOST));
    EXPECT_MESSAGE("src", "in no live device block", "kind says device", "aclrtMalloc");
    void* pinned = nullptr;
    EXPECT_OK(aclrtMallocHost(&pinned, 8));
    EXPECT_CODE(107000, aclrtMemcpy(device, 65, pinned, 65, ACL_MEMCPY_HOST_TO_DEVICE));  // 32 + 32 are there
    EXPECT_OK(aclrtMemcpy(device, 64, pinned, 8, ACL_MEMCPY_HOST_TO_DEVICE));
    EXPECT_OK(aclrtFreeHost(pinned));

    EXPECT_OK(aclrtMemcpy2d(device, 16, host, 20, 10, 4, ACL_MEMCPY_HOST_TO_DEVICE));
    EXPECT_OK(aclrtMemcpy(back, 58, device, 58, ACL_MEMCPY_DEVICE_TO_HOST));
    for (int row = 0; row < 4; ++row) EXPECT(std::memcmp(back + 16 * row, host + 20 * row, 10) == 0);
    EXPECT_CODE(107000, aclrtMemcpy2d(device, 9, host, 20, 10, 4, ACL_MEMCPY_HOST_TO_DEVICE));
    EXPECT_CODE(107000, aclrtMemcpy2d(device, 16, host, 20, 10, SIZE_MAX / 8, ACL_MEMCPY_HOST_TO_DEVICE));
    EXPECT_CODE(107000, aclrtMemcpy2d(device, 16, host, 20, 10, 7, ACL_MEMCPY_HOST_TO_DEVICE));
    EXPECT_CODE(100000, aclrtMemcpy2d(nullptr, 16, host, 20, 10, 4, ACL_MEMCPY_HOST_TO_DEVICE));
    EXPECT_OK(aclrtMemcpy2d(nullptr, 16, host, 20, 0, 4, ACL_MEMCPY_HOST_TO_DEVICE));

    EXPECT_OK(aclrtMemset(device, 64, 0x155, 64));
    EXPECT_OK(aclrtMemcpy(back, 64, device, 64, ACL_MEMCPY_DEVICE_TO_HOST));
    EXPECT(back[0] == 0x55 && back[63] == 0x55);
    EXPECT_CODE(107000, aclrtMemset(device, 64, 0, 65));
    EXPECT_CODE(100000, aclrtMemset(nullptr, 64, 0, 64));
    EXPECT_CODE(107000, aclrtMemset(host, 64, 0, 64));
    EXPECT_OK(aclrtFree(device));
    EXPECT_CODE(107000, aclrtMemcpy(back, 64, device, 64, ACL_MEMCPY_DEVICE_TO_HOST));
    EXPECT_OK(aclrtFree(other));
}

static void queued_copies() {
    const size_t bytes = 1 << 16;
    char* device = static_cast<char*>(block(bytes));
    std::vector<char> host(bytes, 3), back(bytes, 0);
    EXPECT_OK(aclrtMemsetAsync(device, bytes, 9, bytes, nullptr));
    EXPECT_OK(aclrtMemcpyAsync(device, bytes, host.data(), bytes / 2, ACL_MEMCPY_HOST_TO_DEVICE, nullptr));
    EXPECT_OK(aclrtMemcpy2dAsync(back.data(), 2, device, 2, 2, bytes / 2, ACL_MEMCPY_DEVICE_TO_HOST, nullptr));
    EXPECT_OK(aclrtSynchronizeStream(nullptr));
    EXPECT(back[0] == 3 && back[bytes / 2 - 1] == 3 && back[bytes / 2] == 9 && back[bytes - 1] == 9);
    // The kind that buffers: the source may change at once.
    char small[4] = {1, 2, 3, 4};
    EXPECT_OK(aclrtMemcpyAsync(device, 4, small, 4, ACL_MEMCPY_HOST_TO_BUF_TO_DEVICE, nullptr));
    std::memset(small, 0, 4);
    EXPECT_OK(aclrtMemcpyAsync(device, 4, device, 4, ACL_MEMCPY_INNER_DEVICE_TO_DEVICE, nullptr));
    EXPECT_OK(aclrtSynchronizeStream(nullptr));
    EXPECT_OK(aclrtMemcpy(back.data(), 4, device, 4, ACL_MEMCPY_DEVICE_TO_HOST));
    EXPECT(back[3] == 4);
    EXPECT_CODE(100000, aclrtMemcpyAsync(device, 4, small, 4, static_cast<aclrtMemcpyKind>(8), nullptr));
    EXPECT_OK(aclrtFree(device));
}

int main() {
    void* address = nullptr;
    EXPECT_CODE(107002, aclrtMalloc(&address, 4, ACL_MEM_MALLOC_HUGE_FIRST));
    EXPECT_CODE(107002, aclrtMallocHost(&address, 4));
    EXPECT_OK(aclrtSetDevice(0));
    blocks();
    copies();
    queued_copies();
    // With its last user a device gives all its memory back.
    address = block(100);
    EXPECT_OK(aclrtResetDevice(0));
    EXPECT_OK(aclrtSetDevice(0));
    EXPECT_CODE(107000, aclrtFree(address));
    EXPECT_OK(aclrtResetDevice(0));
    return 0;
}
