// Many host threads with contexts and streams of their own, shared devices, events across streams; meant for TSan.
#include <atomic>
#include <thread>
#include <vector>

#include "upsample.h"

static const int kThreads = 8, kRounds = 40;

static void run_threads(void (*body)(int)) {
    std::vector<std::thread> threads;
    for (int i = 0; i < kThreads; ++i) threads.emplace_back(body, i);
    for (std::thread& thread : threads) thread.join();
}

static void shared_device(int number) {
    EXPECT_OK(aclrtSetDevice(0));
    aclrtStream stream = nullptr;
    EXPECT_OK(aclrtCreateStream(&stream));
    for (int round = 0; round < kRounds; ++round) {
        Upsample call{float(number + 1)};
        EXPECT_OK(call.plan());
        EXPECT_OK(call.run(round % 2 ? stream : nullptr));
        EXPECT_OK(aclrtSynchronizeStream(round % 2 ? stream : nullptr));
        EXPECT(call.value() == 8 * float(number + 1));
        call.destroy();
    }
    EXPECT_OK(aclrtDestroyStream(stream));
    EXPECT_OK(aclrtResetDevice(0));
}

static void own_contexts(int number) {
    aclrtContext context = nullptr;
    aclrtStream first = nullptr, second = nullptr;
    aclrtEvent event = nullptr;
    EXPECT_OK(aclrtCreateContext(&context, 0));
    EXPECT_OK(aclrtCreateStream(&first));
    EXPECT_OK(aclrtCreateStream(&second));
    EXPECT_OK(aclrtCreateEvent(&event));
    for (int round = 0; round < kRounds; ++round) {
        Upsample call{float(number)};
        float seen = -1;
        EXPECT_OK(call.plan());
        EXPECT_OK(call.run(first));
        EXPECT_OK(aclrtRecordEvent(event, first));
        EXPECT_OK(aclrtStreamWaitEvent(second, event));
        EXPECT_OK(aclrtMemcpyAsync(&seen, sizeof seen, call.result, sizeof seen, ACL_MEMCPY_DEVICE_TO_HOST, second));
        EXPECT_OK(aclrtSynchronizeStream(second));
        EXPECT(seen == 8 * float(number));
        call.destroy();
    }
    EXPECT_OK(aclrtDestroyContext(context));
}

// One stream and one event for all: the order between threads is free, the results are not.
static aclrtStream common_stream;
static aclrtEvent common_event;
static aclrtContext common_context;

static void one_stream_for_all(int number) {
    EXPECT_OK(aclrtSetCurrentContext(common_context));
    for (int round = 0; round < kRounds; ++round) {
        Upsample call{float(number)};
        EXPECT_OK(call.plan());
        EXPECT_OK(call.run(common_stream));
        EXPECT_OK(aclrtRecordEvent(common_event, common_stream));
        EXPECT_OK(aclrtSynchronizeStream(common_stream));
        EXPECT_OK(aclrtSynchronizeEvent(common_event));
        EXPECT_OK(aclrtSynchronizeDevice());
        EXPECT(call.value() == 8 * float(number));
        call.destroy();
    }
}

// Everyone destroys, frees and resets what others may be using: any code is fine, a crash or a race is not.
static std::atomic<void*> shared_handles[4];

static void destroyers(int number) {
    (void)aclrtSetDevice(0);
    for (int round = 0; round < kRounds; ++round) {
        const int slot = (number + round) % 4;
        void* stream = shared_handles[slot].load();
        void* block = nullptr;
        if (aclrtMalloc(&block, 4096, ACL_MEM_MALLOC_HUGE_FIRST) == 0)
            (void)aclrtMemsetAsync(block, 4096, round, 4096, stream);
        (void)aclrtFree(block);
        switch ((number + round) % 5) {
            case 0:
                if (aclrtCreateStream(&stream) == 0) shared_handles[slot] = stream;
                break;
            case 1: (void)aclrtDestroyStream(stream); break;
            case 2: (void)aclrtSynchronizeStream(stream); break;
            case 3:
                (void)aclrtResetDevice(0);
                (void)aclrtSetDevice(0);
                break;
            default: (void)aclrtDestroyStreamForce(stream); break;
        }
    }
    (void)aclrtResetDevice(0);
}

int main() {
    run_threads(shared_device);
    run_threads(own_contexts);
    EXPECT_OK(aclrtCreateContext(&common_context, 0));
    EXPECT_OK(aclrtCreateStream(&common_stream));
    EXPECT_OK(aclrtCreateEvent(&common_event));
    run_threads(one_stream_for_all);
    EXPECT_OK(aclrtDestroyContext(common_context));
    run_threads(destroyers);
    return 0;
}
