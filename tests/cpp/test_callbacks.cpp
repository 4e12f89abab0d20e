// Host functions in streams: those that run by themselves, and those that a subscribed thread runs.
#include <pthread.h>

#include <atomic>
#include <climits>
#include <thread>
#include <vector>

#include "expect.h"

typedef std::vector<int> Story;

static Story* story = nullptr;
static void tell_one(void*) { story->push_back(1); }
static void tell_two(void*) { story->push_back(2); }
static void count_up(void* counter) { ++*static_cast<std::atomic<int>*>(counter); }

static void in_order(aclrtStream stream) {
    Story told;
    story = &told;
    char host = 0;
    void* block = nullptr;
    EXPECT_OK(aclrtMalloc(&block, 1, ACL_MEM_MALLOC_HUGE_FIRST));
    EXPECT_CODE(100000, aclrtLaunchHostFunc(stream, nullptr, nullptr));
    EXPECT_CODE(107017, aclrtLaunchHostFunc(&told, tell_one, nullptr));
    for (int i = 0; i < 50; ++i) {
        EXPECT_OK(aclrtLaunchHostFunc(stream, tell_one, nullptr));
        EXPECT_OK(aclrtMemsetAsync(block, 1, i, 1, stream));
        EXPECT_OK(aclrtLaunchHostFunc(stream, tell_two, nullptr));
    }
    EXPECT_OK(aclrtSynchronizeStream(stream));
    EXPECT(told.size() == 100);
    for (size_t i = 0; i < told.size(); ++i) EXPECT(told[i] == int(i % 2 + 1));
    EXPECT_OK(aclrtMemcpy(&host, 1, block, 1, ACL_MEMCPY_DEVICE_TO_HOST));
    EXPECT(host == 49);
    EXPECT_OK(aclrtFree(block));
}

struct Inside {
    aclrtStream stream;
    int without_context, synchronized, destroyed, reset, copied;
};

// What a host function may not do is refused, whichever thread it runs in: it never waits for itself.
static void inside(aclrtStream stream) {
    Inside seen = {stream, 0, 0, 0, 0, 0};
    EXPECT_OK(aclrtLaunchHostFunc(
        stream,
        [](void* given) {
            Inside* const seen = static_cast<Inside*>(given);
            seen->without_context = aclrtSynchronizeStream(seen->stream);
            EXPECT_OK(aclrtSetDevice(0));
            seen->synchronized = aclrtSynchronizeStream(seen->stream);
            seen->destroyed = aclrtDestroyStream(seen->stream);
            void* block = nullptr;
            char host = 1;
            EXPECT_OK(aclrtMalloc(&block, 1, ACL_MEM_MALLOC_HUGE_FIRST));
            seen->copied = aclrtMemcpyAsync(block, 1, &host, 1, ACL_MEMCPY_HOST_TO_DEVICE, seen->stream);
            EXPECT_OK(aclrtFree(block));
            EXPECT_OK(aclrtResetDevice(0));
            seen->reset = aclrtResetDevice(0);
        },
        &seen));
    EXPECT_OK(aclrtSynchronizeStream(stream));
    EXPECT(seen.without_context == 107002);
    EXPECT(seen.synchronized == 107000 && seen.destroyed == 107000 && seen.reset == 107000 && seen.copied == 107000);
    int32_t device = -1;
    EXPECT_OK(aclrtGetDevice(&device));  // this thread still has its own
}

struct Reports {
    std::atomic<bool> is_over, is_ready;
    pthread_t thread;
    std::thread runner;

    Reports() : is_over(false), is_ready(false) {
        runner = std::thread([this] {
            thread = pthread_self();
            is_ready = true;
            while (!is_over) (void)aclrtProcessReport(10);
        });
        while (!is_ready) std::this_thread::yield();
    }
    void end() {
        is_over = true;
        runner.join();
    }
};

static void subscribed(aclrtStream stream) {
    std::atomic<int> count(0);
    EXPECT_CODE(107015, aclrtLaunchCallback(count_up, &count, ACL_CALLBACK_BLOCK, stream));
    EXPECT_MESSAGE("aclrtSubscribeReport");
    EXPECT_CODE(107012, aclrtProcessReport(10));
    EXPECT_CODE(107000, aclrtProcessReport(0));
    EXPECT_CODE(107000, aclrtProcessReport(-2));
    Reports reports;
    const uint64_t thread = uint64_t(reports.thread);
    EXPECT_CODE(107011, aclrtUnSubscribeReport(thread, stream));
    EXPECT_OK(aclrtSubscribeReport(thread, stream));
    EXPECT_CODE(107011, aclrtSubscribeReport(thread, stream));
    EXPECT_CODE(100000, aclrtLaunchCallback(nullptr, &count, ACL_CALLBACK_BLOCK, stream));
    EXPECT_CODE(100000, aclrtLaunchCallback(count_up, &count, aclrtCallbackBlockType(2), stream));
    for (int i = 0; i < 20; ++i) {
        EXPECT_OK(aclrtLaunchCallback(count_up, &count, ACL_CALLBACK_BLOCK, stream));
        EXPECT_OK(aclrtSynchronizeStream(stream));
        EXPECT(count == i + 1);  // the stream waits for it
    }
    EXPECT_OK(aclrtLaunchCallback(count_up, &count, ACL_CALLBACK_NO_BLOCK, stream));
    EXPECT_OK(aclrtSynchronizeStream(stream));
    while (count < 21) std::this_thread::yield();
    // The default stream, too, and one thread for both.
    EXPECT_OK(aclrtSubscribeReport(thread, nullptr));
    EXPECT_OK(aclrtLaunchCallback(count_up, &count, ACL_CALLBACK_BLOCK, nullptr));
    EXPECT_OK(aclrtSynchronizeStream(nullptr));
    EXPECT(count == 22);
    EXPECT_CODE(107012, aclrtUnSubscribeReport(thread + 1, stream));
    EXPECT_OK(aclrtUnSubscribeReport(thread, nullptr));
    EXPECT_OK(aclrtUnSubscribeReport(thread, stream));
    reports.end();
}

// This thread is subscribed, and runs what comes in its own time.
static void in_this_thread(aclrtStream stream) {
    std::atomic<int> count(0);
    const uint64_t thread = uint64_t(pthread_self());
    EXPECT_OK(aclrtSubscribeReport(thread, stream));
    EXPECT_CODE(507012, aclrtProcessReport(1));
    EXPECT_OK(aclrtLaunchCallback(count_up, &count, ACL_CALLBACK_BLOCK, stream));
    EXPECT_OK(aclrtProcessReport(-1));
    EXPECT(count == 1);
    EXPECT_OK(aclrtSynchronizeStream(stream));
    // Nobody runs this one: the stream is not kept by it.
    EXPECT_OK(aclrtLaunchCallback(count_up, &count, ACL_CALLBACK_BLOCK, stream));
    EXPECT_CODE(507046, aclrtSynchronizeStreamWithTimeout(stream, 1));
    EXPECT_OK(aclrtUnSubscribeReport(thread, stream));
    EXPECT_CODE(507015, aclrtSynchronizeStream(stream));
    EXPECT_MESSAGE("unsubscribed");
    EXPECT(count == 1);
    EXPECT_OK(aclrtSubscribeReport(thread, stream));
    EXPECT_OK(aclrtLaunchCallback(count_up, &count, ACL_CALLBACK_BLOCK, stream));
    EXPECT_OK(aclrtDestroyStreamForce(stream));  // gives it up
    EXPECT_CODE(107012, aclrtProcessReport(1));
}

int main() {
    aclrtStream stream = nullptr;
    EXPECT_CODE(107002, aclrtLaunchHostFunc(nullptr, tell_one, nullptr));
    EXPECT_OK(aclInit(nullptr));
    EXPECT_OK(aclrtSetDevice(0));
    EXPECT_OK(aclrtCreateStreamWithConfig(&stream, 0, ACL_STREAM_FAST_LAUNCH | ACL_STREAM_FAST_SYNC));
    in_order(stream);
    in_order(nullptr);
    inside(stream);
    subscribed(stream);
    in_this_thread(stream);
    EXPECT_OK(aclrtResetDevice(0));
    EXPECT_OK(aclFinalize());
    return 0;
}
