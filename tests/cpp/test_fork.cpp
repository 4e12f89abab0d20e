// A forked child, whatever the parent's other threads were doing: nothing in it stands still.
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <thread>
#include <vector>

#include "upsample.h"

// The thread sanitizer cannot follow threads that a forked child starts: there the child uses no stream. The address
// sanitizer's allocator may be locked for ever in a child whose parent allocates meanwhile: there everybody rests. An
// emulator (qemu-user 7.2) fails at the first thread of a forked child, and at a fork beside running threads.
#if defined(__SANITIZE_THREAD__)
static const bool kChildStartsThreads = false, kOthersWork = true;
extern "C" __attribute__((visibility("default"))) const char* __tsan_default_options() { return "die_after_fork=0"; }
#elif defined(ACLTWIN_EMULATED)
static const bool kChildStartsThreads = false, kOthersWork = false;
#elif defined(__SANITIZE_ADDRESS__)
static const bool kChildStartsThreads = true, kOthersWork = false;
#else
static const bool kChildStartsThreads = true, kOthersWork = true;
#endif

static const unsigned kPatience = 60;  // seconds, then a child has hung

static int wait_for(pid_t child) {
    int status = -1;
    EXPECT(waitpid(child, &status, 0) == child);
    return status;
}

// Runs `body` in a child. Its expectations end the child with 1, SIGALRM ends it when it hangs.
template <class Body>
static void in_child(const char* what, const Body& body) {
    const pid_t child = fork();
    EXPECT(child >= 0);
    if (child == 0) {
        alarm(kPatience);
        body();
        _exit(0);
    }
    const int status = wait_for(child);
    if (WIFSIGNALED(status) && WTERMSIG(status) == SIGALRM) give_up(what + std::string(" hangs"), __FILE__, __LINE__);
    if (status != 0) give_up(what + std::string(" fails"), __FILE__, __LINE__);
}

static void use_records() {
    int32_t device = -1;
    EXPECT_OK(aclrtGetDevice(&device));
    EXPECT(device == 0);
    aclrtEvent event = nullptr;
    EXPECT_OK(aclrtCreateEvent(&event));
    EXPECT_OK(aclrtDestroyEvent(event));
    EXPECT_CODE(107017, aclrtDestroyEvent(event));
    EXPECT_MESSAGE("destroyed");
    Upsample call;
    EXPECT_OK(call.plan());
    EXPECT_OK(aclDestroyAclOpExecutor(call.executor));
    call.destroy();
    EXPECT(aclrtGetSocName() != nullptr);
    EXPECT_OK(aclrtSetDevice(0));
    EXPECT_OK(aclrtResetDevice(0));
}

static void use_streams() {
    aclrtStream stream = nullptr;
    aclrtEvent event = nullptr;
    EXPECT_OK(aclrtCreateStream(&stream));
    EXPECT_OK(aclrtCreateEvent(&event));
    Upsample call{2};
    EXPECT_OK(call.plan());
    EXPECT_OK(call.run(stream));
    EXPECT_OK(aclrtRecordEvent(event, stream));
    EXPECT_OK(aclrtStreamWaitEvent(nullptr, event));
    EXPECT_OK(aclrtSynchronizeEvent(event));
    EXPECT(call.value() == 16);
    EXPECT_OK(aclrtSynchronizeDevice());
    call.destroy();
    EXPECT_OK(aclrtDestroyEvent(event));
    EXPECT_OK(aclrtDestroyStream(stream));
    EXPECT_CODE(107017, aclrtDestroyStream(stream));
}

static void use_everything() {
    use_records();
    if (!kChildStartsThreads) return;
    (void)aclrtSynchronizeDevice();  // in a child it may tell of work that other threads of the parent had queued
    use_streams();
}

static std::atomic<bool> stop{false};

static void keep_busy(int number) {
    EXPECT_OK(aclrtSetDevice(0));
    aclrtStream stream = nullptr;
    EXPECT_OK(aclrtCreateStream(&stream));
    void* block = nullptr;
    EXPECT_OK(aclrtMalloc(&block, 64, ACL_MEM_MALLOC_HUGE_FIRST));
    while (!stop) {
        if (number == 0) use_records();
        if (number == 1) use_streams();
        EXPECT_OK(aclrtMemsetAsync(block, 64, 1, 64, stream));
        EXPECT_OK(aclrtMemsetAsync(block, 64, 1, 64, stream));
        EXPECT_OK(aclrtSynchronizeStream(stream));
        const int64_t values[] = {1, 2};
        EXPECT_OK(aclDestroyIntArray(aclCreateIntArray(values, 2)));
        void* other = nullptr;
        EXPECT_OK(aclrtMalloc(&other, 64, ACL_MEM_MALLOC_HUGE_FIRST));
        EXPECT_OK(aclrtFree(other));
        EXPECT_CODE(100000, aclrtFree(nullptr));  // leaves a message
        EXPECT(aclGetRecentErrMsg() != nullptr);
    }
    EXPECT_OK(aclrtDestroyStream(stream));
    EXPECT_OK(aclrtResetDevice(0));
}

static void while_others_work() {
    std::vector<std::thread> threads;
    for (int i = 0; i < 3; ++i) threads.emplace_back(keep_busy, i);
    for (int i = 0; i < 200; ++i) in_child("a call in a child", use_everything);
    stop = true;
    for (std::thread& thread : threads) thread.join();
}

// What was queued is done in the parent; the child is told so once, and may queue work of its own.
static void with_work_in_the_queue() {
    const size_t bytes = size_t(64) << 20;
    aclrtStream stream = nullptr;
    aclrtEvent reached = nullptr, pending = nullptr;
    unsigned char* block = nullptr;
    EXPECT_OK(aclrtCreateStream(&stream));
    EXPECT_OK(aclrtCreateEvent(&reached));
    EXPECT_OK(aclrtCreateEvent(&pending));
    EXPECT_OK(aclrtMalloc(reinterpret_cast<void**>(&block), bytes, ACL_MEM_MALLOC_HUGE_FIRST));
    EXPECT_OK(aclrtRecordEvent(reached, stream));
    EXPECT_OK(aclrtSynchronizeStream(stream));
    for (int i = 1; i <= 30; ++i) EXPECT_OK(aclrtMemsetAsync(block, bytes, i, bytes, stream));
    EXPECT_OK(aclrtRecordEvent(pending, stream));
    std::thread waiter([=] { EXPECT_OK(aclrtSynchronizeEvent(pending)); });
    in_child("an inherited stream", [=] {
        EXPECT_OK(aclrtSynchronizeEvent(reached));
        EXPECT_CODE(507015, aclrtSynchronizeEvent(pending));
        EXPECT_MESSAGE("before the fork", "queue the work in the child");
        EXPECT_CODE(507015, aclrtSynchronizeStream(stream));
        EXPECT_OK(aclrtSynchronizeStream(stream));
        unsigned char seen = 0;
        EXPECT_OK(aclrtMemsetAsync(block, bytes, 77, 64, stream));
        EXPECT_OK(aclrtMemcpyAsync(&seen, 1, block, 1, ACL_MEMCPY_DEVICE_TO_HOST, stream));
        EXPECT_OK(aclrtRecordEvent(pending, stream));
        EXPECT_OK(aclrtSynchronizeEvent(pending));
        EXPECT(seen == 77);
        EXPECT_OK(aclrtDestroyEvent(pending));
        EXPECT_OK(aclrtDestroyStream(stream));
        in_child("a child of a child", use_everything);
        EXPECT_OK(aclrtResetDevice(0));
    });
    waiter.join();
    EXPECT_OK(aclrtSynchronizeStream(stream));
    EXPECT(*block == 30);
    EXPECT_OK(aclrtDestroyStream(stream));
}

static void while_others_rest() {
    aclrtStream stream = nullptr;
    EXPECT_OK(aclrtCreateStream(&stream));
    Upsample before;
    EXPECT_OK(before.plan());
    EXPECT_OK(before.run(stream));
    EXPECT_OK(aclrtSynchronizeStream(stream));
    before.destroy();
    in_child("a call in a child", [=] {
        use_everything();
        Upsample call{5};
        EXPECT_OK(call.plan());
        if (kChildStartsThreads) EXPECT_OK(call.run(stream));
        EXPECT_OK(aclrtSynchronizeStream(stream));
        EXPECT(call.value() == (kChildStartsThreads ? 40 : -1));
        EXPECT_OK(aclrtDestroyStream(stream));
    });
    EXPECT_OK(aclrtDestroyStream(stream));
}

int main() {
    EXPECT_OK(aclrtSetDevice(0));
    while_others_rest();
    if (kOthersWork) while_others_work();
    if (kChildStartsThreads && kOthersWork) with_work_in_the_queue();
    EXPECT_OK(aclrtResetDevice(0));
    return 0;
}
