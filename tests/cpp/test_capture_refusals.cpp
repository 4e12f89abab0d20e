// What cannot be captured is refused, says why, and ends the capture where it would have lost work; nothing of what
// callers may do to captures, streams and events meanwhile crashes or hangs.
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <thread>
#include <vector>

#include "capture.h"

#define AS_RELAXED(code)                                     \
    do {                                                     \
        aclmdlRICaptureMode mode = kRelaxed;                 \
        EXPECT_OK(aclmdlRICaptureThreadExchangeMode(&mode)); \
        code;                                                \
        EXPECT_OK(aclmdlRICaptureThreadExchangeMode(&mode)); \
    } while (false)

template <class Body>
static void in_thread(const Body& body) {
    std::thread thread([&] {
        EXPECT_OK(aclrtSetDevice(0));
        body();
        EXPECT_OK(aclrtResetDevice(0));
    });
    thread.join();
}

static void arguments() {
    Streams on;
    aclmdlRI captured = nullptr;
    aclmdlRICaptureStatus status;
    EXPECT_CODE(107031, aclmdlRICaptureBegin(nullptr, kGlobal));
    EXPECT_MESSAGE("default");
    EXPECT_CODE(107000, aclmdlRICaptureBegin(on.first, aclmdlRICaptureMode(3)));
    EXPECT_CODE(107017, aclmdlRICaptureBegin(on.fork, kGlobal));
    EXPECT_CODE(107029, aclmdlRICaptureEnd(on.first, &captured));
    EXPECT_CODE(100000, aclmdlRICaptureEnd(on.first, nullptr));
    EXPECT_CODE(100000, aclmdlRICaptureGetInfo(on.first, nullptr, nullptr));
    captured = on.first;
    EXPECT_OK(aclmdlRICaptureGetInfo(nullptr, &status, &captured));
    EXPECT(status == ACL_MODEL_RI_CAPTURE_STATUS_NONE && captured == nullptr);
    EXPECT_CODE(100000, aclmdlRICaptureThreadExchangeMode(nullptr));
    aclmdlRICaptureMode mode = aclmdlRICaptureMode(-1);
    EXPECT_CODE(107000, aclmdlRICaptureThreadExchangeMode(&mode));
    mode = kRelaxed;
    EXPECT_OK(aclmdlRICaptureThreadExchangeMode(&mode));
    EXPECT(mode == kGlobal);
    EXPECT_OK(aclmdlRICaptureThreadExchangeMode(&mode));
    EXPECT(mode == kRelaxed);
    EXPECT_CODE(100000, aclmdlRIExecuteAsync(nullptr, on.first));
    EXPECT_CODE(107017, aclmdlRIExecuteAsync(on.first, on.first));
    EXPECT_CODE(100000, aclmdlRIExecute(nullptr, -1));
    EXPECT_CODE(107000, aclmdlRIExecute(on.first, 0));
    EXPECT_CODE(107000, aclmdlRIExecute(on.first, -2));
    EXPECT_CODE(100000, aclmdlRIDestroy(nullptr));
    EXPECT_CODE(107017, aclmdlRIDestroy(&captured));
}

static void pairing() {
    Streams on;
    aclmdlRI captured = nullptr, begun = nullptr;
    EXPECT_OK(aclmdlRICaptureBegin(on.first, kGlobal));
    EXPECT_CODE(107027, aclmdlRICaptureBegin(on.first, kGlobal));
    EXPECT_CODE(107027, aclrtDestroyStream(on.first));
    EXPECT_CODE(107027, aclrtDestroyStreamForce(on.first));
    EXPECT_OK(aclmdlRICaptureGetInfo(on.first, nullptr, &begun));
    EXPECT_CODE(107026, aclmdlRIExecuteAsync(begun, on.second));
    EXPECT_CODE(107026, aclmdlRIExecute(begun, -1));
    in_thread([&] {
        aclmdlRI none = nullptr;
        EXPECT_CODE(107038, aclmdlRICaptureEnd(on.first, &none));
        EXPECT_MESSAGE("another thread");
    });
    on.fork_and_join(true);
    EXPECT_CODE(107036, aclmdlRICaptureEnd(on.second, &captured));
    EXPECT_CODE(107027, aclrtDestroyStream(on.second));
    EXPECT_OK(aclmdlRICaptureEnd(on.first, &captured));  // nothing of this has harmed it
    EXPECT_CODE(107029, aclmdlRICaptureEnd(on.first, &captured));
    EXPECT_OK(aclmdlRIExecuteAsync(captured, on.first));
    EXPECT_OK(aclrtSynchronizeStream(on.first));
    EXPECT_OK(aclmdlRIDestroy(captured));
    EXPECT_CODE(107017, aclmdlRIDestroy(captured));
    EXPECT_CODE(107017, aclmdlRIExecuteAsync(captured, on.first));
    // Relaxed ones may be ended by any thread, and all may be given up.
    EXPECT_OK(aclmdlRICaptureBegin(on.first, kRelaxed));
    in_thread([&] { EXPECT_OK(aclmdlRICaptureEnd(on.first, &captured)); });
    EXPECT_OK(aclmdlRIDestroy(captured));
    EXPECT_OK(aclmdlRICaptureBegin(on.first, kGlobal));
    EXPECT_OK(aclmdlRICaptureGetInfo(on.first, nullptr, &begun));
    EXPECT_OK(aclmdlRIDestroy(begun));
    EXPECT(on.status(on.first) == ACL_MODEL_RI_CAPTURE_STATUS_NONE);
}

// The call is refused with `code`, and so is the rest, until the end.
template <class Call>
static void ends_capture(int code, const char* word, const Call& call) {
    Streams on;
    Bytes bytes;
    EXPECT_OK(aclmdlRICaptureBegin(on.first, kGlobal));
    EXPECT_OK(aclrtRecordEvent(on.fork, on.first));
    EXPECT_CODE(code, call(on, bytes));
    EXPECT_MESSAGE(word, "expected", ";");
    EXPECT(on.status(on.first) == ACL_MODEL_RI_CAPTURE_STATUS_INVALIDATED);
    EXPECT_CODE(507903, aclrtMemsetAsync(bytes.device, 1, 0, 1, on.first));
    EXPECT_CODE(507903, aclrtRecordEvent(on.fork, on.first));
    EXPECT_CODE(507903, aclrtStreamWaitEvent(on.second, on.fork));
    EXPECT_CODE(507903, aclrtSynchronizeStream(on.first));
    aclmdlRI captured = nullptr, begun = nullptr;
    EXPECT_OK(aclmdlRICaptureGetInfo(on.first, nullptr, &begun));
    EXPECT_CODE(507903, aclmdlRICaptureEnd(on.first, &captured));
    EXPECT_MESSAGE(word);
    EXPECT(captured == nullptr);
    EXPECT_CODE(107017, aclmdlRIDestroy(begun));
    EXPECT_OK(aclrtMemsetAsync(bytes.device, 1, 0, 1, on.first));
    EXPECT_OK(aclrtSynchronizeStream(on.first));
}

static void waits_and_queries() {
    typedef const Streams& On;
    typedef const Bytes& Data;
    ends_capture(107027, "a stream is waited for", [](On on, Data) { return aclrtSynchronizeStream(on.first); });
    ends_capture(107027, "a stream", [](On on, Data) { return aclrtSynchronizeStreamWithTimeout(on.first, 5); });
    ends_capture(107027, "a stream", [](On, Data) { return aclrtSynchronizeDevice(); });
    ends_capture(107027, "a stream", [](On, Data) { return aclrtSynchronizeDeviceWithTimeout(5); });
    ends_capture(107027, "a stream", [](On on, Data) {
        aclrtStreamStatus status;
        return aclrtStreamQuery(on.first, &status);
    });
    ends_capture(107028, "an event", [](On on, Data) { return aclrtSynchronizeEvent(on.fork); });
    ends_capture(107028, "an event", [](On on, Data) { return aclrtSynchronizeEventWithTimeout(on.fork, 5); });
    ends_capture(107028, "an event", [](On on, Data) {
        aclrtEventRecordedStatus status;
        return aclrtQueryEventStatus(on.fork, &status);
    });
    ends_capture(107028, "an event", [](On on, Data) {
        float ms;
        return aclrtEventElapsedTime(&ms, on.fork, on.fork);
    });
    ends_capture(107028, "an event", [](On on, Data) {
        uint64_t time;
        return aclrtEventGetTimestamp(on.fork, &time);
    });
    ends_capture(107030, "a captured copy", [](On on, Data bytes) {
        char own = 0;
        return aclrtMemcpyAsync(bytes.device, 1, &own, 1, ACL_MEMCPY_HOST_TO_DEVICE, on.first);
    });
    ends_capture(107024, "a captured stream waits", [](On on, Data) {
        return aclrtStreamWaitEvent(on.first, on.join);  // never recorded
    });
    ends_capture(107024, "a captured stream waits", [](On on, Data) {
        EXPECT_OK(aclrtRecordEvent(on.join, on.second));
        return aclrtStreamWaitEvent(on.first, on.join);
    });
    ends_capture(107024, "the event was recorded and is reset", [](On on, Data) {
        EXPECT_OK(aclrtRecordEvent(on.join, on.second));
        return aclrtResetEvent(on.join, on.first);
    });
    ends_capture(107028, "the event was recorded and is reset",
                 [](On on, Data) { return aclrtResetEvent(on.fork, on.second); });
    ends_capture(107031, "the default stream waits",
                 [](On on, Data) { return aclrtStreamWaitEvent(nullptr, on.fork); });
    aclmdlRI inner = nullptr;
    {
        Streams on;
        EXPECT_OK(aclmdlRICaptureBegin(on.second, kGlobal));
        EXPECT_OK(aclmdlRICaptureEnd(on.second, &inner));
        EXPECT_OK(aclmdlRICaptureBegin(on.first, kGlobal));
        EXPECT_CODE(107027, aclmdlRIExecuteAsync(inner, on.first));
        EXPECT_MESSAGE("one capture cannot contain another");
        aclmdlRI captured = nullptr;
        EXPECT_CODE(507903, aclmdlRICaptureEnd(on.first, &captured));
    }
    EXPECT_OK(aclrtSetDevice(0));
    EXPECT_CODE(107017, aclmdlRIExecuteAsync(inner, nullptr));  // it has ended with its context
    EXPECT_OK(aclrtResetDevice(0));
}

static void not_joined() {
    Streams on;
    Bytes bytes;
    aclmdlRI captured = nullptr;
    for (int kind = 0; kind < 3; ++kind) {
        EXPECT_OK(aclmdlRICaptureBegin(on.first, kGlobal));
        on.fork_and_join(kind > 0);
        if (kind == 1) EXPECT_OK(aclrtMemsetAsync(bytes.device, 1, 0, 1, on.second));  // behind the join
        if (kind == 2) EXPECT_OK(aclrtStreamWaitEvent(on.second, on.fork));
        EXPECT_CODE(107025, aclmdlRICaptureEnd(on.first, &captured));
        EXPECT_MESSAGE("has joined the capture", "aclrtStreamWaitEvent");
        EXPECT(on.status(on.first) == ACL_MODEL_RI_CAPTURE_STATUS_NONE);
        EXPECT(on.status(on.second) == ACL_MODEL_RI_CAPTURE_STATUS_NONE);
    }
}

static void two_captures() {
    Streams on;
    aclmdlRI captured = nullptr;
    EXPECT_OK(aclmdlRICaptureBegin(on.first, kGlobal));
    EXPECT_OK(aclmdlRICaptureBegin(on.second, kGlobal));
    EXPECT_OK(aclrtRecordEvent(on.fork, on.first));
    EXPECT_CODE(107032, aclrtStreamWaitEvent(on.second, on.fork));
    EXPECT_MESSAGE("another capture");
    EXPECT_CODE(507903, aclmdlRICaptureEnd(on.first, &captured));
    EXPECT_CODE(507903, aclmdlRICaptureEnd(on.second, &captured));
    aclrtContext other = nullptr, here = nullptr;
    EXPECT_OK(aclrtGetCurrentContext(&here));
    EXPECT_OK(aclmdlRICaptureBegin(on.first, kGlobal));
    EXPECT_OK(aclrtRecordEvent(on.fork, on.first));
    EXPECT_OK(aclrtCreateContext(&other, 0));
    aclrtStream far = nullptr;
    EXPECT_OK(aclrtCreateStream(&far));
    EXPECT_CODE(107032, aclrtStreamWaitEvent(far, on.fork));
    EXPECT_OK(aclrtSetCurrentContext(here));
    EXPECT_CODE(507903, aclmdlRICaptureEnd(on.first, &captured));
    EXPECT_OK(aclmdlRICaptureBegin(on.first, kGlobal));
    EXPECT_OK(aclmdlRICaptureEnd(on.first, &captured));
    EXPECT_OK(aclrtSetCurrentContext(other));
    EXPECT_CODE(107004, aclmdlRIExecuteAsync(captured, far));
    EXPECT_OK(aclrtSetCurrentContext(here));
    EXPECT_OK(aclrtDestroyContext(other));
    EXPECT_OK(aclmdlRIDestroy(captured));
}

// Copies and memsets that happen at once, by the mode of the capture and the thread's own.
static void modes() {
    Streams on;
    Bytes bytes;
    const auto copy = [&] { return aclrtMemcpy(bytes.device, 1, bytes.host, 1, ACL_MEMCPY_HOST_TO_DEVICE); };
    const auto unsafe = [&](int code) {
        char own = 0;
        EXPECT_CODE(code, copy());
        EXPECT_CODE(code, aclrtMemcpy2d(bytes.device, 1, bytes.host, 1, 1, 1, ACL_MEMCPY_HOST_TO_DEVICE));
        EXPECT_CODE(code, aclrtMemset(bytes.device, 1, 0, 1));
        EXPECT_CODE(code, aclrtMemcpyAsync(bytes.device, 1, &own, 1, ACL_MEMCPY_HOST_TO_DEVICE, on.second));
        void *to = bytes.device, *from = bytes.host;
        size_t one = 1, first = 0, failed = 0;
        aclrtMemcpyBatchAttr attribute = {};
        attribute.dstLoc.type = ACL_MEM_LOCATION_TYPE_DEVICE;
        EXPECT_CODE(code, aclrtMemcpyBatch(&to, &one, &from, &one, 1, &attribute, &first, 1, &failed));
        from = &own;
        EXPECT_CODE(code, aclrtMemcpyBatchAsync(&to, &one, &from, &one, 1, &attribute, &first, 1, &failed, on.second));
        if (code != 0) EXPECT_MESSAGE("aclrtMallocHost", "aclmdlRICaptureThreadExchangeMode");
    };
    struct Case {
        aclmdlRICaptureMode mode;
        int here, there, there_as_thread_local;
    };
    for (const Case& one :
         {Case{kGlobal, 107030, 107030, 0}, Case{kThreadLocal, 107030, 0, 0}, Case{kRelaxed, 0, 0, 0}}) {
        aclmdlRI captured = nullptr;
        EXPECT_OK(aclmdlRICaptureBegin(on.first, one.mode));
        unsafe(one.here);
        AS_RELAXED(unsafe(0));
        // What is not a copy or memset is allowed to everybody.
        void* block = nullptr;
        EXPECT_OK(aclrtMalloc(&block, 1, ACL_MEM_MALLOC_HUGE_FIRST));
        EXPECT_OK(aclrtFree(block));
        EXPECT_OK(aclrtSynchronizeStream(on.second));
        in_thread([&] {
            unsafe(one.there);
            AS_RELAXED(unsafe(0));
            aclmdlRICaptureMode mode = kThreadLocal;
            EXPECT_OK(aclmdlRICaptureThreadExchangeMode(&mode));
            unsafe(one.there_as_thread_local);
        });
        EXPECT_OK(aclmdlRICaptureEnd(on.first, &captured));
        unsafe(0);
        EXPECT_OK(aclrtSynchronizeStream(on.second));
        EXPECT_OK(aclmdlRIDestroy(captured));
    }
}

static void wait_for_flag(void* flag) {
    while (!*static_cast<std::atomic<bool>*>(flag)) std::this_thread::yield();
}

// What a capture uses may go before it runs, while it is queued and while it runs.
static void ends_meanwhile() {
    Streams on;
    aclmdlRI captured = nullptr;
    {
        Bytes bytes;
        EXPECT_OK(aclmdlRICaptureBegin(on.first, kGlobal));
        EXPECT_OK(aclrtMemsetAsync(bytes.device, 1, 1, 1, on.first));
        EXPECT_OK(aclmdlRICaptureEnd(on.first, &captured));
    }
    EXPECT_CODE(107000, aclmdlRIExecuteAsync(captured, on.first));
    EXPECT_MESSAGE("was freed since", "aclmdlRIDestroy");
    EXPECT_OK(aclmdlRIDestroy(captured));

    Bytes bytes;
    std::atomic<bool> go(false);
    EXPECT_OK(aclmdlRICaptureBegin(on.first, kGlobal));
    EXPECT_OK(aclrtLaunchHostFunc(on.first, wait_for_flag, &go));
    EXPECT_OK(aclrtMemsetAsync(bytes.device, 1, 1, 1, on.first));
    EXPECT_OK(aclmdlRICaptureEnd(on.first, &captured));
    EXPECT_OK(aclmdlRIExecuteAsync(captured, on.second));
    EXPECT_OK(aclmdlRIExecuteAsync(captured, on.first));
    EXPECT_CODE(107037, aclmdlRIDestroy(captured));
    EXPECT_MESSAGE("synchronise");
    EXPECT_CODE(507046, aclmdlRIExecute(captured, 1));
    EXPECT_OK(aclrtFree(bytes.device));
    bytes.device = nullptr;
    go = true;
    EXPECT_CODE(507015, aclrtSynchronizeStream(on.second));
    EXPECT_MESSAGE("was freed while queued work used it");
    EXPECT_CODE(507015, aclrtSynchronizeStream(on.first));
    EXPECT_CODE(507015, aclrtSynchronizeStream(nullptr));
    EXPECT_OK(aclmdlRIDestroy(captured));
}

// A device that is reset takes captures along, active ones and others.
static void reset_while_captured() {
    EXPECT_OK(aclrtSetDevice(0));
    aclrtStream stream = nullptr, second = nullptr;
    aclmdlRI captured = nullptr, active = nullptr;
    EXPECT_OK(aclrtCreateStream(&stream));
    EXPECT_OK(aclrtCreateStream(&second));
    Upsample call(1);
    EXPECT_OK(call.plan());
    EXPECT_OK(aclmdlRICaptureBegin(stream, kGlobal));
    EXPECT_OK(call.run(stream));
    EXPECT_OK(aclmdlRICaptureEnd(stream, &captured));
    EXPECT_OK(aclmdlRIExecuteAsync(captured, second));
    EXPECT_OK(aclmdlRICaptureBegin(stream, kGlobal));
    EXPECT_OK(aclmdlRICaptureGetInfo(stream, nullptr, &active));
    EXPECT_OK(aclrtResetDevice(0));
    call.destroy_descriptions();
    EXPECT_OK(aclrtSetDevice(0));
    EXPECT_CODE(107017, aclmdlRICaptureEnd(stream, &captured));
    EXPECT_CODE(107017, aclmdlRIDestroy(captured));
    EXPECT_CODE(107017, aclmdlRIDestroy(active));
    {
        Bytes bytes;
        EXPECT_OK(aclrtMemset(bytes.device, 1, 0, 1));  // no mode of a capture that is gone forbids it
    }
    EXPECT_OK(aclrtResetDevice(0));
}

// In a forked child a capture is the parent's; the complete ones can be executed.
static void fork_while_captured() {
#if !defined(__SANITIZE_THREAD__) && !defined(ACLTWIN_EMULATED)
    Streams on;
    Bytes bytes;
    aclmdlRI captured = nullptr, lost = nullptr;
    EXPECT_OK(aclmdlRICaptureBegin(on.first, kGlobal));
    EXPECT_OK(aclrtMemsetAsync(bytes.device, 1, 5, 1, on.first));
    EXPECT_OK(aclmdlRICaptureEnd(on.first, &captured));
    EXPECT_OK(aclmdlRIExecuteAsync(captured, on.second));
    EXPECT_OK(aclmdlRICaptureBegin(on.first, kGlobal));
    const pid_t child = fork();
    if (child == 0) {
        alarm(60);
        EXPECT(on.status(on.first) == ACL_MODEL_RI_CAPTURE_STATUS_INVALIDATED);
        EXPECT_OK(aclrtMemset(bytes.device, 1, 0, 1));
        EXPECT_CODE(507903, aclmdlRICaptureEnd(on.first, &lost));
        EXPECT_MESSAGE("forked");
        EXPECT_OK(aclmdlRIExecuteAsync(captured, on.first));
        EXPECT_OK(aclrtSynchronizeStream(on.first));
        EXPECT_OK(aclmdlRIDestroy(captured));
        _exit(0);
    }
    int status = -1;
    EXPECT(waitpid(child, &status, 0) == child && status == 0);
    EXPECT_OK(aclmdlRICaptureEnd(on.first, &lost));
    EXPECT_OK(aclrtSynchronizeStream(on.second));
    EXPECT_OK(aclmdlRIDestroy(lost));
    EXPECT_OK(aclmdlRIDestroy(captured));
#endif
}

int main() {
    EXPECT_CODE(107002, aclmdlRICaptureBegin(nullptr, kGlobal));
    EXPECT_OK(aclInit(nullptr));
    arguments();
    pairing();
    waits_and_queries();
    not_joined();
    two_captures();
    modes();
    ends_meanwhile();
    reset_while_captured();
    fork_while_captured();
    EXPECT_OK(aclFinalize());
    return 0;
}
