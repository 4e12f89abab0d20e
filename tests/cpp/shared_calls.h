// Objects that several threads use and destroy at once, and the calls that they do it with. Any status is fine; a
// crash, a race or a call that never returns is not. What the blocks hold is the callers' to guard, so these fill 0
// bytes of them.
#ifndef ACLTWIN_TESTS_CPP_SHARED_CALLS_H
#define ACLTWIN_TESTS_CPP_SHARED_CALLS_H

#include <pthread.h>

#include <atomic>
#include <memory>

#include "upsample.h"
#include "virtual_memory.h"
#include "watchdog.h"

#if defined(__SANITIZE_THREAD__)
// An executor that two streams run at once writes its result twice, as it was told to: that race is in the kernel.
extern "C" __attribute__((visibility("default"))) const char* __tsan_default_suppressions() {
    return "race:interval_sum_tasks\n";
}
#endif

typedef std::atomic<void*> Slot;

struct Shared {
    Slot context, streams[2], events[2], blocks[2], executor, tensor, array, list, area, memory, captured;
    Upsample call;

    // On device 0, which must be set. Both streams have work, and each event is recorded in its stream.
    Shared() : call(1) {
        aclrtContext fresh = nullptr;
        EXPECT_OK(aclrtCreateContext(&fresh, 0));
        context = fresh;
        for (int i = 0; i < 2; ++i) {
            create_stream(i);
            create_event(i);
            allocate(i);
            for (int task = 0; task < 20; ++task) EXPECT_OK(aclrtMemsetAsync(blocks[i], 64, task, 0, streams[i]));
            EXPECT_OK(aclrtRecordEvent(events[i], streams[i]));
        }
        plan(true);
        create_tensor();
        create_array();
        area = nullptr;
        memory = nullptr;
        captured = nullptr;
        reserve_area();
        make_memory();
        const aclTensor* const member = call.grad_out;
        list = aclCreateTensorList(&member, 1);
    }

    void enter() { (void)aclrtSetCurrentContext(context); }

    void create_stream(int i) {
        aclrtStream fresh = nullptr;
        if (aclrtCreateStream(&fresh) == 0) streams[i] = fresh;
    }
    void create_event(int i) {
        aclrtEvent fresh = nullptr;
        if (aclrtCreateEvent(&fresh) == 0) events[i] = fresh;
    }
    void allocate(int i) {
        void* fresh = nullptr;
        if (aclrtMalloc(&fresh, 64, ACL_MEM_MALLOC_HUGE_FIRST) == 0) blocks[i] = fresh;
    }
    void create_tensor() {
        const int64_t dims[] = {1, 1, 2, 2, 2};
        (void)aclDestroyTensor(static_cast<aclTensor*>(
            tensor.exchange(aclCreateTensor(dims, 5, ACL_FLOAT, nullptr, 0, ACL_FORMAT_NCDHW, dims, 5, blocks[0]))));
    }
    void describe_tensor() {
        const int64_t dims[] = {1, 1, 2, 2, 1};
        (void)aclInitTensor(static_cast<aclTensor*>(tensor.load()), dims, 5, ACL_FLOAT, nullptr, 0, ACL_FORMAT_NCDHW,
                            dims, 5, blocks[1]);
    }
    aclTensorList* get_list() { return static_cast<aclTensorList*>(list.load()); }
    void create_array() {
        const int64_t values[] = {1, 2, 3};
        (void)aclDestroyIntArray(static_cast<aclIntArray*>(array.exchange(aclCreateIntArray(values, 3))));
    }
    void reserve_area() {
        void* fresh = nullptr;
        if (aclrtReserveMemAddress(&fresh, kPiece, 0, nullptr, 1) == 0) area = fresh;
    }
    void make_memory() {
        const aclrtPhysicalMemProp prop = property();
        void* fresh = nullptr;
        if (aclrtMallocPhysical(&fresh, kPiece, &prop, 0) == 0) memory = fresh;
    }
    // Host memory of the program's, which outlives every registration.
    static void register_page(bool ends) {
        alignas(65536) static char page[65536];
        void* device = nullptr;
        if (ends)
            (void)aclrtHostUnregister(page);
        else
            (void)aclrtHostRegister(page, sizeof page, ACL_HOST_REGISTER_MAPPED, &device);
    }
    void end_capture() {
        aclmdlRI fresh = nullptr;
        if (aclmdlRICaptureEnd(streams[0], &fresh) == 0) captured = fresh;
    }
    static void nothing(void*) {}
    static uint64_t this_thread() { return uint64_t(pthread_self()); }

    aclOpExecutor* get_executor() { return static_cast<aclOpExecutor*>(executor.load()); }
    void plan(bool repeatable) {
        uint64_t size = 0;
        aclOpExecutor* fresh = nullptr;
        if (aclnnUpsampleNearestExact3dBackwardGetWorkspaceSize(call.grad_out, call.output_size, call.input_size, 0, 0,
                                                                0, call.grad_input, &size, &fresh) != 0)
            return;
        if (repeatable) (void)aclSetAclOpExecutorRepeatable(fresh);
        (void)aclDestroyAclOpExecutor(static_cast<aclOpExecutor*>(executor.exchange(fresh)));
    }
    void run(void* stream) { (void)aclnnUpsampleNearestExact3dBackward(nullptr, 0, get_executor(), stream); }

    // Whatever has happened, what was recorded is reached, streams come to rest, and everything can be taken down.
    void settle() {
        enter();
        for (const Slot& event : events) {
            watchdog::Watched watched(0, "aclrtSynchronizeEvent, at the end");
            (void)aclrtSynchronizeEvent(event);
        }
        for (const Slot& stream : streams) {
            watchdog::Watched watched(0, "aclrtSynchronizeStream, at the end");
            (void)aclrtSynchronizeStream(stream);
        }
        for (const Slot& stream : streams) {
            watchdog::Watched watched(0, "aclrtDestroyStreamForce, at the end");
            (void)aclrtDestroyStreamForce(stream);
        }
        watchdog::Watched watched(0, "taking the rest down");
        (void)aclDestroyAclOpExecutor(get_executor());
        (void)aclDestroyTensor(static_cast<aclTensor*>(tensor.load()));
        (void)aclDestroyIntArray(static_cast<aclIntArray*>(array.load()));
        call.destroy_descriptions();
        (void)aclDestroyTensorList(get_list());
        (void)aclrtDestroyContext(context);
        while (aclrtResetDevice(0) == 0) continue;  // ends the blocks
    }
};

// Afterwards the runtime is as good as new.
inline void expect_working_runtime() {
    EXPECT_OK(aclrtSetDevice(0));
    aclrtStream stream = nullptr;
    aclrtEvent event = nullptr;
    EXPECT_OK(aclrtCreateStream(&stream));
    EXPECT_OK(aclrtCreateEvent(&event));
    Upsample call;
    EXPECT_OK(call.plan());
    EXPECT_OK(call.run(stream));
    EXPECT_OK(aclrtRecordEvent(event, stream));
    EXPECT_OK(aclrtSynchronizeEvent(event));
    EXPECT(call.value() == 8);
    call.destroy();
    EXPECT_OK(aclrtDestroyEvent(event));
    EXPECT_OK(aclrtDestroyStream(stream));
    EXPECT_OK(aclrtResetDevice(0));
}

struct SharedCall {
    const char* name;
    void (*make)(Shared& shared);
};

#define SHARED_CALL(code)   \
    {#code, [](Shared& s) { \
         (void)s;           \
         code;              \
     }}
static const SharedCall kSharedCalls[] = {
    SHARED_CALL(s.create_stream(0)),
    SHARED_CALL(aclrtDestroyStream(s.streams[0])),
    SHARED_CALL(aclrtDestroyStreamForce(s.streams[0])),
    SHARED_CALL(aclrtSynchronizeStream(s.streams[0])),
    SHARED_CALL(aclrtSynchronizeStream(nullptr)),
    SHARED_CALL(aclrtSynchronizeStreamWithTimeout(s.streams[0], 1)),
    SHARED_CALL(aclrtStreamStatus status; aclrtStreamQuery(s.streams[0], &status)),
    SHARED_CALL(aclrtStreamWaitEvent(s.streams[0], s.events[0])),
    SHARED_CALL(aclrtStreamWaitEvent(s.streams[0], s.events[1])),
    SHARED_CALL(aclrtStreamWaitEvent(s.streams[1], s.events[0])),
    SHARED_CALL(s.create_event(0)),
    SHARED_CALL(aclrtDestroyEvent(s.events[0])),
    SHARED_CALL(aclrtRecordEvent(s.events[0], s.streams[0])),
    SHARED_CALL(aclrtRecordEvent(s.events[0], s.streams[1])),
    SHARED_CALL(aclrtRecordEvent(s.events[1], nullptr)),
    SHARED_CALL(aclrtResetEvent(s.events[0], s.streams[0])),
    SHARED_CALL(aclrtEventRecordedStatus status; aclrtQueryEventStatus(s.events[0], &status)),
    SHARED_CALL(aclrtSynchronizeEvent(s.events[0])),
    SHARED_CALL(aclrtSynchronizeEventWithTimeout(s.events[0], 1)),
    SHARED_CALL(float ms; aclrtEventElapsedTime(&ms, s.events[0], s.events[1])),
    SHARED_CALL(void* fresh = nullptr; aclrtCreateContext(&fresh, 0); aclrtDestroyContext(fresh)),
    SHARED_CALL(aclrtDestroyContext(s.context)),
    SHARED_CALL(aclrtSetCurrentContext(s.context)),
    SHARED_CALL(void* current; aclrtGetCurrentContext(&current)),
    SHARED_CALL(aclrtCtxSetSysParamOpt(ACL_OPT_DETERMINISTIC, 1)),
    SHARED_CALL(int64_t value; aclrtCtxGetSysParamOpt(ACL_OPT_DETERMINISTIC, &value)),
    SHARED_CALL(aclrtSetDevice(0)),
    SHARED_CALL(aclrtResetDevice(0)),
    SHARED_CALL(aclrtSynchronizeDevice()),
    SHARED_CALL(int32_t id; aclrtGetDevice(&id)),
    SHARED_CALL(s.allocate(0)),
    SHARED_CALL(aclrtFree(s.blocks[0])),
    SHARED_CALL(void* host = nullptr; aclrtMallocHost(&host, 64); aclrtFreeHost(host)),
    SHARED_CALL(aclrtMemset(s.blocks[0], 64, 1, 0)),
    SHARED_CALL(aclrtMemsetAsync(s.blocks[0], 64, 1, 0, s.streams[0])),
    SHARED_CALL(aclrtMemsetAsync(s.blocks[0], 64, 1, 0, nullptr)),
    SHARED_CALL(s.create_tensor()),
    SHARED_CALL(aclDestroyTensor(static_cast<aclTensor*>(s.tensor.load()))),
    SHARED_CALL(aclSetRawTensorAddr(static_cast<aclTensor*>(s.tensor.load()), s.blocks[1])),
    SHARED_CALL(void* address; aclGetRawTensorAddr(static_cast<aclTensor*>(s.tensor.load()), &address)),
    SHARED_CALL(s.create_array()),
    SHARED_CALL(aclDestroyIntArray(static_cast<aclIntArray*>(s.array.load()))),
    SHARED_CALL(s.plan(true)),
    SHARED_CALL(s.plan(false)),
    SHARED_CALL(s.run(s.streams[0])),
    SHARED_CALL(s.run(nullptr)),
    SHARED_CALL(AclSetTensorAddr(s.get_executor(), 0, s.call.grad_out, s.call.source)),
    SHARED_CALL(s.describe_tensor()),
    SHARED_CALL(aclSetDynamicTensorAddr(s.get_executor(), 0, 0, s.get_list(), s.call.source)),
    SHARED_CALL(aclDestroyAclOpExecutor(s.get_executor())),
    SHARED_CALL(s.reserve_area()),
    SHARED_CALL(s.make_memory()),
    SHARED_CALL(aclrtReleaseMemAddress(s.area)),
    SHARED_CALL(aclrtFreePhysical(s.memory)),
    SHARED_CALL(aclrtMapMem(s.area, kPiece, 0, s.memory, 0)),
    SHARED_CALL(aclrtUnmapMem(s.area)),
    SHARED_CALL(aclrtMemset(s.area, 64, 1, 0)),
    SHARED_CALL(aclrtMemsetAsync(s.area, 64, 1, 0, s.streams[0])),
    SHARED_CALL(s.register_page(false)),
    SHARED_CALL(s.register_page(true)),
    SHARED_CALL(aclrtPtrAttributes attributes; aclrtPointerGetAttributes(s.area, &attributes)),
    SHARED_CALL(aclrtLaunchHostFunc(s.streams[0], s.nothing, nullptr)),
    SHARED_CALL(aclrtLaunchHostFunc(nullptr, s.nothing, nullptr)),
    SHARED_CALL(aclrtSubscribeReport(s.this_thread(), s.streams[0])),
    SHARED_CALL(aclrtUnSubscribeReport(s.this_thread(), s.streams[0])),
    SHARED_CALL(aclrtLaunchCallback(s.nothing, nullptr, ACL_CALLBACK_NO_BLOCK, s.streams[0])),
    SHARED_CALL(aclrtProcessReport(1)),
    SHARED_CALL(aclmdlRICaptureBegin(s.streams[0], ACL_MODEL_RI_CAPTURE_MODE_RELAXED)),
    SHARED_CALL(aclmdlRICaptureBegin(s.streams[1], ACL_MODEL_RI_CAPTURE_MODE_GLOBAL)),
    SHARED_CALL(s.end_capture()),
    SHARED_CALL(aclmdlRICaptureStatus status; aclmdlRICaptureGetInfo(s.streams[0], &status, nullptr)),
    SHARED_CALL(aclmdlRIExecuteAsync(s.captured, s.streams[0])),
    SHARED_CALL(aclmdlRIExecuteAsync(s.captured, nullptr)),
    SHARED_CALL(aclmdlRIExecute(s.captured, 1)),
    SHARED_CALL(aclmdlRIDestroy(s.captured)),
    SHARED_CALL(int32_t id; aclrtStreamGetId(s.streams[0], &id)),
    SHARED_CALL(uint64_t time; aclrtEventGetTimestamp(s.events[0], &time)),
    SHARED_CALL(aclrtSynchronizeDeviceWithTimeout(1)),
    SHARED_CALL(int32_t can; aclrtDeviceCanAccessPeer(&can, 0, 1)),
    SHARED_CALL(aclInit(nullptr)),
    SHARED_CALL(aclFinalize()),
    SHARED_CALL(aclrtGetSocName()),
};
static const int kSharedCallCount = sizeof kSharedCalls / sizeof kSharedCalls[0];

#endif
