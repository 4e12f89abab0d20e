// A million create and destroy cycles leave nothing behind, and no handle comes back at once.
#include <unistd.h>

#include <cstdio>
#include <set>

#include "upsample.h"

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__) || defined(ACLTWIN_EMULATED)
static const bool kWatched = true;  // slow, and the sanitizer or the emulator keeps memory of its own
#else
static const bool kWatched = false;
#endif

static size_t resident_bytes() {
    long pages = 0, resident = 0;
    std::FILE* file = std::fopen("/proc/self/statm", "r");
    EXPECT(file != nullptr && std::fscanf(file, "%ld %ld", &pages, &resident) == 2);
    std::fclose(file);
    return size_t(resident) * size_t(sysconf(_SC_PAGESIZE));
}

static const aclTensor* tensor_and_array_cycles(int cycles) {
    const int64_t dims[] = {1, 1, 2, 2, 2};
    const aclTensor* last = nullptr;
    for (int i = 0; i < cycles; ++i) {
        const aclTensor* tensor = aclCreateTensor(dims, 5, ACL_FLOAT, nullptr, 0, ACL_FORMAT_NCDHW, dims, 5, nullptr);
        const aclIntArray* array = aclCreateIntArray(dims, 5);
        if (tensor == nullptr || array == nullptr || tensor == last) give_up("a handle came back", __FILE__, __LINE__);
        if (aclDestroyTensor(tensor) != 0 || aclDestroyIntArray(array) != 0) give_up("lost", __FILE__, __LINE__);
        last = tensor;
    }
    return last;
}

static void executor_and_block_cycles(Upsample& call, int cycles) {
    for (int i = 0; i < cycles; ++i) {
        void* block = nullptr;
        EXPECT_OK(aclrtMalloc(&block, 64, ACL_MEM_MALLOC_HUGE_FIRST));
        EXPECT_OK(call.plan());
        EXPECT_OK(call.run(nullptr));
        EXPECT_OK(aclrtSynchronizeStream(nullptr));
        EXPECT_OK(aclrtFree(block));
    }
}

static void stream_and_event_cycles(int cycles) {
    for (int i = 0; i < cycles; ++i) {
        aclrtStream stream = nullptr;
        aclrtEvent event = nullptr;
        EXPECT_OK(aclrtCreateStream(&stream));
        EXPECT_OK(aclrtCreateEvent(&event));
        EXPECT_OK(aclrtRecordEvent(event, stream));
        EXPECT_OK(aclrtDestroyStream(stream));
        EXPECT_OK(aclrtDestroyEvent(event));
    }
}

static void device_cycles(int cycles) {
    for (int i = 0; i < cycles; ++i) {
        aclrtStream stream = nullptr;
        aclrtEvent event = nullptr;
        void* block = nullptr;
        EXPECT_OK(aclInit(nullptr));
        EXPECT_OK(aclrtSetDevice(0));
        EXPECT_OK(aclrtCreateStream(&stream));  // nobody destroys these: they end with the device
        EXPECT_OK(aclrtCreateEvent(&event));
        EXPECT_OK(aclrtMalloc(&block, 1 << 16, ACL_MEM_MALLOC_HUGE_FIRST));
        EXPECT_OK(aclrtMemsetAsync(block, 1 << 16, 1, 1 << 16, stream));
        EXPECT_OK(aclrtResetDevice(0));
        EXPECT_OK(aclFinalize());
    }
}

int main() {
    device_cycles(20);
    EXPECT_OK(aclrtSetDevice(0));
    Upsample call;
    tensor_and_array_cycles(1000);
    executor_and_block_cycles(call, 1000);
    stream_and_event_cycles(100);
    const size_t before = resident_bytes();
    tensor_and_array_cycles(kWatched ? 20000 : 1000000);
    executor_and_block_cycles(call, kWatched ? 1000 : 20000);
    stream_and_event_cycles(kWatched ? 100 : 500);
    call.destroy();
    EXPECT_OK(aclrtResetDevice(0));
    device_cycles(200);
    const size_t after = resident_bytes();
    std::printf("resident memory before %zu KiB, after %zu KiB\n", before >> 10, after >> 10);
    EXPECT(kWatched || after < before + (size_t(2) << 20));
    return 0;
}
