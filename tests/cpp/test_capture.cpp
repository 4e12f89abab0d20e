// Captured work does nothing until it is executed, and then what the same calls would do: on the same addresses, with
// what is there then, as often as it is executed.
#include <pthread.h>

#include <atomic>
#include <vector>

#include "capture.h"

static void to_host(const Bytes& bytes, aclrtStream stream, size_t count = 1) {
    EXPECT_OK(aclrtMemcpyAsync(bytes.host, count, bytes.device, count, ACL_MEMCPY_DEVICE_TO_HOST, stream));
}
static void to_device(const Bytes& bytes, aclrtStream stream, size_t count = 1) {
    EXPECT_OK(aclrtMemcpyAsync(bytes.device, count, bytes.host, count, ACL_MEMCPY_HOST_TO_DEVICE, stream));
}

static aclmdlRI end(aclrtStream stream) {
    aclmdlRI captured = nullptr;
    EXPECT_OK(aclmdlRICaptureEnd(stream, &captured));
    return captured;
}

static void run(aclmdlRI captured, aclrtStream stream) {
    EXPECT_OK(aclmdlRIExecuteAsync(captured, stream));
    EXPECT_OK(aclrtSynchronizeStream(stream));
}

static void set(const Upsample& call, float value) {
    const std::vector<float> values(8, value);
    EXPECT_OK(aclrtMemcpy(call.source, 32, values.data(), 32, ACL_MEMCPY_HOST_TO_DEVICE));
}

// Executors that run once are ended by the capture, and what they have planned lives with it; descriptions may go.
static void operators() {
    Streams on;
    Upsample once(1), repeated(1);
    EXPECT_OK(once.plan());
    EXPECT_OK(repeated.plan());
    EXPECT_OK(aclSetAclOpExecutorRepeatable(repeated.executor));
    EXPECT_OK(aclmdlRICaptureBegin(on.first, kGlobal));
    EXPECT_OK(once.run(on.first));
    EXPECT_CODE(561000, once.run(on.first));  // it has ended, as always
    EXPECT_OK(repeated.run(on.first));
    const aclmdlRI captured = end(on.first);
    EXPECT(once.value() == -1 && repeated.value() == -1);
    EXPECT_OK(aclDestroyAclOpExecutor(repeated.executor));
    once.destroy_descriptions();
    repeated.destroy_descriptions();
    for (int i = 1; i <= 3; ++i) {
        set(once, float(i));
        set(repeated, float(10 * i));
        run(captured, i == 2 ? on.second : i == 3 ? nullptr : on.first);  // anywhere
        EXPECT(once.value() == 8 * float(i) && repeated.value() == 80 * float(i));
    }
    set(once, 5);
    EXPECT_OK(aclmdlRIExecute(captured, -1));
    EXPECT(once.value() == 40);
    EXPECT_OK(aclmdlRIExecute(captured, 60000));
    EXPECT_OK(aclmdlRIDestroy(captured));
    for (const Upsample* call : {&once, &repeated}) {
        EXPECT_OK(aclrtFree(call->source));
        EXPECT_OK(aclrtFree(call->result));
    }
}

// A tensor that is moved after the capture is moved for later calls only.
static void addresses_stay() {
    Streams on;
    Upsample call(1), other(100);
    EXPECT_OK(call.plan());
    EXPECT_OK(aclSetAclOpExecutorRepeatable(call.executor));
    EXPECT_OK(aclmdlRICaptureBegin(on.first, kGlobal));
    EXPECT_OK(call.run(on.first));
    const aclmdlRI captured = end(on.first);
    EXPECT_OK(aclSetInputTensorAddr(call.executor, 0, call.grad_out, other.source));
    run(captured, on.first);
    EXPECT(call.value() == 8);
    EXPECT_OK(call.run(on.first));
    EXPECT_OK(aclrtSynchronizeStream(on.first));
    EXPECT(call.value() == 800);
    EXPECT_OK(aclDestroyAclOpExecutor(call.executor));
    EXPECT_OK(aclmdlRIDestroy(captured));
    call.destroy();
    other.destroy();
}

static void copies_and_memsets() {
    Streams on;
    Bytes bytes;
    unsigned char early = 7;
    EXPECT_OK(aclrtMemset(bytes.device, 64, 0, 64));
    EXPECT_OK(aclmdlRICaptureBegin(on.first, kGlobal));
    to_device(bytes, on.first);
    EXPECT_OK(aclrtMemcpy2dAsync(bytes.device + 8, 4, bytes.device, 1, 1, 3, ACL_MEMCPY_DEVICE_TO_DEVICE, on.first));
    EXPECT_OK(aclrtMemsetAsync(bytes.device + 1, 8, 9, 2, on.first));
    // This kind reads its source at once, so it may be anybody's.
    EXPECT_OK(aclrtMemcpyAsync(bytes.device + 3, 1, &early, 1, ACL_MEMCPY_HOST_TO_BUF_TO_DEVICE, on.first));
    early = 0;
    EXPECT_OK(aclrtMemcpyAsync(bytes.host + 16, 16, bytes.device, 16, ACL_MEMCPY_DEVICE_TO_HOST, on.first));
    const aclmdlRI captured = end(on.first);
    bytes.host[16] = 99;
    for (unsigned char value = 1; value < 4; ++value) {
        *bytes.host = value;
        run(captured, on.first);
        const unsigned char* const seen = bytes.host + 16;
        EXPECT(seen[0] == value && seen[1] == 9 && seen[2] == 9 && seen[3] == 7 && seen[8] == value);
        EXPECT(seen[12] == (value > 1 ? 9 : 0) && seen[16 - 1] == 0);  // the last row copies what the memset left
    }
    EXPECT_OK(aclmdlRIDestroy(captured));
}

static void add_one(void* counter) { ++*static_cast<std::atomic<int>*>(counter); }

// The second stream takes part between its waits; host functions run with each execution, in order.
static void two_streams_and_functions() {
    Streams on;
    Bytes bytes;
    std::atomic<int> count(0);
    EXPECT_OK(aclmdlRICaptureBegin(on.first, kThreadLocal));
    EXPECT(on.status(on.first) == ACL_MODEL_RI_CAPTURE_STATUS_ACTIVE);
    EXPECT(on.status(on.second) == ACL_MODEL_RI_CAPTURE_STATUS_NONE);
    to_device(bytes, on.first);
    EXPECT_OK(aclrtRecordEvent(on.fork, on.first));
    EXPECT_OK(aclrtStreamWaitEvent(on.second, on.fork));
    EXPECT_OK(aclrtResetEvent(on.fork, on.second));
    EXPECT(on.status(on.second) == ACL_MODEL_RI_CAPTURE_STATUS_ACTIVE);
    EXPECT_OK(aclrtMemcpyAsync(bytes.device + 1, 1, bytes.device, 1, ACL_MEMCPY_DEVICE_TO_DEVICE, on.second));
    EXPECT_OK(aclrtLaunchHostFunc(on.second, add_one, &count));
    EXPECT_OK(aclrtRecordEvent(on.join, on.second));
    EXPECT_OK(aclrtStreamWaitEvent(on.first, on.join));
    EXPECT_OK(aclrtLaunchHostFunc(on.first, add_one, &count));
    to_host(bytes, on.first, 2);
    aclmdlRI begun = nullptr;
    EXPECT_OK(aclmdlRICaptureGetInfo(on.second, nullptr, &begun));
    const aclmdlRI captured = end(on.first);
    EXPECT(captured == begun);
    EXPECT(on.status(on.first) == ACL_MODEL_RI_CAPTURE_STATUS_NONE);
    EXPECT(on.status(on.second) == ACL_MODEL_RI_CAPTURE_STATUS_NONE);
    EXPECT(count == 0);
    EXPECT_OK(aclrtSynchronizeEvent(on.join));  // events of a capture that is over were never recorded
    for (int i = 1; i <= 10; ++i) {
        *bytes.host = static_cast<unsigned char>(i);
        run(captured, on.first);
        EXPECT(count == 2 * i && bytes.host[0] == i && bytes.host[1] == i);
    }
    // Both streams run their own work again.
    EXPECT_OK(aclrtMemsetAsync(bytes.device, 1, 200, 1, on.second));
    EXPECT_OK(aclrtSynchronizeStream(on.second));
    to_host(bytes, on.first);
    EXPECT_OK(aclrtSynchronizeStream(on.first));
    EXPECT(*bytes.host == 200);
    EXPECT_OK(aclmdlRIDestroy(captured));
}

// A function of aclrtLaunchCallback goes to the thread that is subscribed to the stream it was captured on.
static void callbacks() {
    Streams on;
    std::atomic<int> count(0);
    const uint64_t thread = uint64_t(pthread_self());
    EXPECT_OK(aclrtSubscribeReport(thread, on.first));
    EXPECT_OK(aclmdlRICaptureBegin(on.first, kGlobal));
    EXPECT_OK(aclrtLaunchCallback(add_one, &count, ACL_CALLBACK_BLOCK, on.first));
    const aclmdlRI captured = end(on.first);
    for (int i = 1; i <= 3; ++i) {
        EXPECT_OK(aclmdlRIExecuteAsync(captured, on.second));
        EXPECT_OK(aclrtProcessReport(-1));
        EXPECT_OK(aclrtSynchronizeStream(on.second));
        EXPECT(count == i);
    }
    EXPECT_OK(aclrtUnSubscribeReport(thread, on.first));
    EXPECT_OK(aclmdlRIExecuteAsync(captured, on.second));
    EXPECT_CODE(507015, aclrtSynchronizeStream(on.second));
    EXPECT_MESSAGE("unsubscribed");
    EXPECT_OK(aclrtDestroyStream(on.first));
    EXPECT_OK(aclrtCreateStream(&on.first));
    EXPECT_OK(aclmdlRIExecuteAsync(captured, on.second));
    EXPECT_CODE(507015, aclrtSynchronizeStream(on.second));
    EXPECT_OK(aclmdlRIDestroy(captured));
    EXPECT(count == 3);
}

// Executions of one capture never overlap, whichever streams they are queued on.
static std::atomic<int> inside(0), most(0);
static void enter(void*) {
    if (++inside > most) most = inside.load();
    for (volatile int i = 0; i < 20000; i = i + 1) continue;
    --inside;
}
static void one_after_the_other() {
    Streams on;
    EXPECT_OK(aclmdlRICaptureBegin(on.first, kGlobal));
    for (int i = 0; i < 3; ++i) EXPECT_OK(aclrtLaunchHostFunc(on.first, enter, nullptr));
    const aclmdlRI captured = end(on.first);
    for (int i = 0; i < 40; ++i) EXPECT_OK(aclmdlRIExecuteAsync(captured, i % 2 == 0 ? on.first : on.second));
    EXPECT_OK(aclrtSynchronizeDevice());
    EXPECT(most == 1 && inside == 0);
    EXPECT_OK(aclmdlRIDestroy(captured));
}

int main() {
    EXPECT_OK(aclInit(nullptr));
    operators();
    addresses_stay();
    copies_and_memsets();
    two_streams_and_functions();
    callbacks();
    one_after_the_other();
    EXPECT_OK(aclFinalize());
    return 0;
}
