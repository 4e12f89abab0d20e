// A program that ends without cleaning up, with work still queued, ends quietly.
#include "upsample.h"

int main() {
    EXPECT_OK(aclInit(nullptr));
    EXPECT_OK(aclrtSetDevice(0));
    aclrtStream stream = nullptr;
    void *block = nullptr, *other = nullptr;
    const size_t bytes = size_t(32) << 20;
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
    return 0;
}
