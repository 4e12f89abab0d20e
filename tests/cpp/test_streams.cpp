// Streams and events: order, asynchrony, timeouts, waiting across streams, failures that surface at synchronisation.
#include <chrono>
#include <cstring>
#include <vector>

#include "upsample.h"

static const size_t kLarge = size_t(64) << 20;

static aclrtStream new_stream() {
    aclrtStream stream = nullptr;
    EXPECT_OK(aclrtCreateStream(&stream));
    return stream;
}

static aclrtEvent new_event() {
    aclrtEvent event = nullptr;
    EXPECT_OK(aclrtCreateEvent(&event));
    return event;
}

// Keeps a stream busy for some milliseconds.
struct SlowWork {
    void* block;
    SlowWork() : block(nullptr) { EXPECT_OK(aclrtMalloc(&block, kLarge, ACL_MEM_MALLOC_HUGE_FIRST)); }
    void queue(aclrtStream stream, int times) {
        for (int i = 0; i < times; ++i) EXPECT_OK(aclrtMemsetAsync(block, kLarge, i, kLarge, stream));
    }
    ~SlowWork() { EXPECT_OK(aclrtFree(block)); }
};

static void order() {
    aclrtStream stream = new_stream();
    unsigned char* device = nullptr;
    EXPECT_OK(aclrtMalloc(reinterpret_cast<void**>(&device), 1, ACL_MEM_MALLOC_HUGE_FIRST));
    std::vector<unsigned char> seen(200);
    for (int i = 0; i < 200; ++i) {
        EXPECT_OK(aclrtMemsetAsync(device, 1, i, 1, stream));
        EXPECT_OK(aclrtMemcpyAsync(&seen[size_t(i)], 1, device, 1, ACL_MEMCPY_DEVICE_TO_HOST, stream));
    }
    EXPECT_OK(aclrtSynchronizeStream(stream));
    for (int i = 0; i < 200; ++i) EXPECT(seen[size_t(i)] == i);
    EXPECT_OK(aclrtFree(device));
    EXPECT_OK(aclrtDestroyStream(stream));
    EXPECT_CODE(107017, aclrtDestroyStream(stream));
    EXPECT_CODE(107017, aclrtSynchronizeStream(stream));
    EXPECT_MESSAGE("a stream that has been destroyed");
    EXPECT_CODE(100000, aclrtDestroyStream(nullptr));
    EXPECT_CODE(100000, aclrtDestroyStreamForce(nullptr));
    EXPECT_CODE(100000, aclrtCreateStream(nullptr));
    EXPECT_OK(aclrtCreateStreamWithConfig(&stream, 0, 0));
    EXPECT_OK(aclrtDestroyStreamForce(stream));
}

static void asynchrony_and_timeouts() {
    aclrtStream stream = new_stream();
    aclrtStreamStatus status;
    SlowWork work;
    EXPECT_CODE(100000, aclrtStreamQuery(stream, nullptr));
    work.queue(stream, 20);
    EXPECT_OK(aclrtStreamQuery(stream, &status));
    EXPECT(status == ACL_STREAM_STATUS_NOT_READY);
    EXPECT_CODE(507046, aclrtSynchronizeStreamWithTimeout(stream, 1));
    EXPECT_CODE(107000, aclrtSynchronizeStreamWithTimeout(stream, -2));
    EXPECT_OK(aclrtSynchronizeStreamWithTimeout(stream, -1));
    EXPECT_OK(aclrtSynchronizeStreamWithTimeout(stream, 0));
    EXPECT_OK(aclrtStreamQuery(stream, &status));
    EXPECT(status == ACL_STREAM_STATUS_COMPLETE);
    work.queue(stream, 10);
    EXPECT_OK(aclrtDestroyStream(stream));  // waits
    stream = new_stream();
    work.queue(stream, 200);
    const auto start = std::chrono::steady_clock::now();
    EXPECT_OK(aclrtDestroyStreamForce(stream));  // does not wait for what has not begun
    EXPECT(std::chrono::steady_clock::now() - start < std::chrono::seconds(2));
    work.queue(nullptr, 5);
    EXPECT_OK(aclrtSynchronizeDevice());
    EXPECT_OK(aclrtStreamQuery(nullptr, &status));
    EXPECT(status == ACL_STREAM_STATUS_COMPLETE);
}

static void events() {
    aclrtStream first = new_stream(), second = new_stream();
    aclrtEvent start = new_event(), end = new_event(), without_time = nullptr;
    aclrtEventRecordedStatus status;
    float ms = -1;
    SlowWork work;
    EXPECT_CODE(100000, aclrtCreateEvent(nullptr));
    EXPECT_OK(aclrtQueryEventStatus(start, &status));
    EXPECT(status == ACL_EVENT_RECORDED_STATUS_NOT_READY);
    EXPECT_CODE(107006, aclrtEventElapsedTime(&ms, start, end));
    EXPECT_OK(aclrtSynchronizeEvent(start));        // never recorded: nothing to wait for
    EXPECT_OK(aclrtStreamWaitEvent(first, start));  // the same
    EXPECT_OK(aclrtRecordEvent(start, first));
    work.queue(first, 20);
    EXPECT_OK(aclrtRecordEvent(end, first));
    EXPECT_CODE(507047, aclrtSynchronizeEventWithTimeout(end, 0));
    EXPECT_CODE(507006, aclrtEventElapsedTime(&ms, start, end));
    EXPECT_CODE(107000, aclrtSynchronizeEventWithTimeout(end, -5));

    // The second stream overtakes the first unless it waits for it.
    unsigned char seen = 0;
    EXPECT_OK(aclrtMemcpyAsync(&seen, 1, work.block, 1, ACL_MEMCPY_DEVICE_TO_HOST, first));
    EXPECT_OK(aclrtStreamWaitEvent(second, end));
    unsigned char after = 0;
    EXPECT_OK(aclrtMemcpyAsync(&after, 1, work.block, 1, ACL_MEMCPY_DEVICE_TO_HOST, second));
    EXPECT_OK(aclrtSynchronizeStream(second));
    EXPECT(after == 19);
    EXPECT_OK(aclrtQueryEventStatus(end, &status));
    EXPECT(status == ACL_EVENT_RECORDED_STATUS_COMPLETE);
    EXPECT_OK(aclrtEventElapsedTime(&ms, start, end));
    EXPECT(ms > 1 && ms < 60000);

    EXPECT_OK(aclrtSynchronizeStream(first));
    EXPECT_OK(aclrtResetEvent(end, first));
    EXPECT_OK(aclrtSynchronizeStream(first));
    EXPECT_OK(aclrtQueryEventStatus(end, &status));
    EXPECT(status == ACL_EVENT_RECORDED_STATUS_NOT_READY);
    EXPECT_OK(aclrtResetEvent(end, first));
    EXPECT_OK(aclrtRecordEvent(end, first));  // recorded after the reset was queued, so the reset leaves it alone
    EXPECT_OK(aclrtSynchronizeEvent(end));
    EXPECT_OK(aclrtEventElapsedTime(&ms, start, end));

    EXPECT_OK(aclrtCreateEventWithFlag(&without_time, ACL_EVENT_SYNC));
    EXPECT_OK(aclrtRecordEvent(without_time, first));
    EXPECT_OK(aclrtSynchronizeEvent(without_time));
    EXPECT_CODE(107006, aclrtEventElapsedTime(&ms, start, without_time));
    EXPECT_MESSAGE("ACL_EVENT_TIME_LINE");
    EXPECT_CODE(100000, aclrtEventElapsedTime(nullptr, start, end));
    EXPECT_CODE(100000, aclrtRecordEvent(nullptr, first));
    EXPECT_OK(aclrtDestroyEvent(without_time));
    EXPECT_CODE(107017, aclrtDestroyEvent(without_time));
    EXPECT_CODE(107017, aclrtRecordEvent(without_time, first));
    EXPECT_CODE(100000, aclrtDestroyEvent(nullptr));
    // Destroying an event that others wait for is fine: they saw its recording.
    work.queue(first, 10);
    EXPECT_OK(aclrtRecordEvent(end, first));
    EXPECT_OK(aclrtStreamWaitEvent(second, end));
    EXPECT_OK(aclrtDestroyEvent(end));
    EXPECT_OK(aclrtSynchronizeStream(second));
    // An event in a stream that is destroyed by force is still reached.
    work.queue(first, 100);
    EXPECT_OK(aclrtRecordEvent(start, first));
    EXPECT_OK(aclrtStreamWaitEvent(second, start));
    EXPECT_OK(aclrtDestroyStreamForce(first));
    EXPECT_OK(aclrtSynchronizeStream(second));
    EXPECT_OK(aclrtDestroyStream(second));
    EXPECT_OK(aclrtDestroyEvent(start));
}

static void failures() {
    aclrtStream stream = new_stream();
    aclrtEvent event = new_event();
    SlowWork work;
    void* doomed = nullptr;
    EXPECT_OK(aclrtMalloc(&doomed, 64, ACL_MEM_MALLOC_HUGE_FIRST));
    work.queue(stream, 5);
    EXPECT_OK(aclrtMemsetAsync(doomed, 64, 1, 64, stream));
    EXPECT_OK(aclrtFree(doomed));  // while its memset waits
    unsigned char untouched = 77;
    EXPECT_OK(aclrtMemcpyAsync(&untouched, 1, work.block, 1, ACL_MEMCPY_DEVICE_TO_HOST, stream));
    EXPECT_OK(aclrtRecordEvent(event, stream));
    EXPECT_CODE(507015, aclrtSynchronizeEvent(event));
    EXPECT_MESSAGE("aclrtMemsetAsync: the block", "freed while queued work used it",
                   "synchronise the stream before aclrtFree ");
    EXPECT_CODE(507015, aclrtSynchronizeStream(stream));
    EXPECT_MESSAGE("aclrtSynchronizeStream", "freed_while_queued", "[507015");
    EXPECT(untouched == 77);                    // what was queued behind the failure is dropped
    EXPECT_OK(aclrtSynchronizeStream(stream));  // told once, then the stream works again
    EXPECT_OK(aclrtMemcpyAsync(&untouched, 1, work.block, 1, ACL_MEMCPY_DEVICE_TO_HOST, stream));
    EXPECT_OK(aclrtSynchronizeStream(stream));
    EXPECT(untouched == 4);

    void* pinned = nullptr;
    EXPECT_OK(aclrtMallocHost(&pinned, 64));
    work.queue(stream, 5);
    EXPECT_OK(aclrtMemcpyAsync(work.block, 1, pinned, 1, ACL_MEMCPY_HOST_TO_DEVICE, stream));
    EXPECT_OK(aclrtFreeHost(pinned));
    EXPECT_CODE(507015, aclrtSynchronizeStream(stream));
    EXPECT_MESSAGE("aclrtMemcpyAsync: the block", "synchronise the stream before aclrtFreeHost");

    Upsample call;
    EXPECT_OK(call.plan());
    work.queue(stream, 5);
    EXPECT_OK(call.run(stream));
    call.destroy();  // the descriptions may go at once; the blocks may not
    EXPECT_CODE(507015, aclrtSynchronizeDevice());
    EXPECT_MESSAGE("aclnnUpsampleNearestExact3dBackward", "freed while queued");
    EXPECT_OK(aclrtDestroyEvent(event));

    EXPECT_OK(aclrtMalloc(&doomed, 64, ACL_MEM_MALLOC_HUGE_FIRST));
    work.queue(stream, 5);
    EXPECT_OK(aclrtMemsetAsync(doomed, 64, 1, 64, stream));
    EXPECT_OK(aclrtFree(doomed));
    EXPECT_CODE(507015, aclrtDestroyStream(stream));  // nobody had been told
    EXPECT_CODE(107017, aclrtDestroyStream(stream));  // it is gone all the same
}

int main() {
    aclrtStream stream = nullptr;
    aclrtEvent event = nullptr;
    EXPECT_CODE(107002, aclrtCreateStream(&stream));
    EXPECT_CODE(107002, aclrtCreateEvent(&event));
    EXPECT_CODE(107002, aclrtSynchronizeStream(nullptr));
    EXPECT_CODE(107002, aclrtSynchronizeDevice());
    EXPECT_OK(aclrtSetDevice(0));
    order();
    asynchrony_and_timeouts();
    events();
    failures();
    EXPECT_OK(aclrtResetDevice(0));
    return 0;
}
