// A program that ends without cleaning up, with work still queued, ends quietly, although its own objects end before.
#include <chrono>
#include <thread>
#include <vector>

#include "upsample.h"

// Ends after the vectors, while streams still have time to reach for them.
struct Late {
    ~Late() { std::this_thread::sleep_for(std::chrono::milliseconds(50)); }
};
static Late late;
static const size_t bytes = size_t(64) << 20;
static std::vector<char> source(bytes), target(bytes);

int main() {
    EXPECT_OK(aclInit(nullptr));
    EXPECT_OK(aclrtSetDevice(0));
    aclrtStream stream = nullptr;
    void *block = nullptr, *other = nullptr;
    EXPECT_OK(aclrtCreateStream(&stream));
    EXPECT_OK(aclrtMalloc(&block, bytes, ACL_MEM_MALLOC_HUGE_FIRST));
    EXPECT_OK(aclrtMalloc(&other, bytes, ACL_MEM_MALLOC_HUGE_FIRST));
    for (int i = 0; i < 25; ++i) {
        EXPECT_OK(aclrtMemsetAsync(block, bytes, i, bytes, stream));
        EXPECT_OK(aclrtMemsetAsync(other, bytes, i, bytes, nullptr));
    }
    Upsample call;
    EXPECT_OK(call.plan());
    EXPECT_OK(call.run(stream));
    EXPECT_OK(call.plan());
    EXPECT_OK(aclrtCreateStream(&stream));
    for (int i = 0; i < 4; ++i) {
        EXPECT_OK(aclrtMemcpyAsync(block, bytes, source.data(), bytes, ACL_MEMCPY_HOST_TO_DEVICE, stream));
        EXPECT_OK(aclrtMemcpyAsync(target.data(), bytes, other, bytes, ACL_MEMCPY_DEVICE_TO_HOST, stream));
    }
    return 0;
}
