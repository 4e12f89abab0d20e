// The end of an interpreter waits for copies of its threads, and none begins after it; other threads never notice.
#include <sys/mman.h>

#include <atomic>
#include <chrono>
#include <thread>

#include "expect.h"

extern "C" {
void acltwin_interpreter_begins(void* (*thread_state)(void));
void acltwin_interpreter_ends(void);
}

static const size_t kBytes = size_t(64) << 20;
static thread_local bool is_python = false;
static char* block = nullptr;
static aclrtContext context = nullptr;

static void* state_of_this_thread() { return is_python ? &is_python : nullptr; }

static int upload(const void* source, size_t bytes, bool is_queued) {
    return is_queued ? aclrtMemcpyAsync(block, kBytes, source, bytes, ACL_MEMCPY_HOST_TO_DEVICE, nullptr)
                     : aclrtMemcpy(block, kBytes, source, bytes, ACL_MEMCPY_HOST_TO_DEVICE);
}

static void expect_upload(char value, bool is_queued) {
    EXPECT_OK(aclrtSetCurrentContext(context));
    EXPECT_OK(upload(&value, 1, is_queued));
}

static char first_byte() {
    char byte = 0;
    EXPECT_OK(aclrtMemcpy(&byte, 1, block, 1, ACL_MEMCPY_DEVICE_TO_HOST));
    return byte;
}

// Another thread copies all the time while the interpreter ends; its memory is then given back to the system.
static void end_under_copies(bool is_queued) {
    acltwin_interpreter_begins(state_of_this_thread);
    auto* copies = new std::atomic<int>(0);  // the thread lingers
    void* source = mmap(nullptr, kBytes, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    std::thread([=] {
        is_python = true;
        EXPECT_OK(aclrtSetCurrentContext(context));
        while (upload(source, kBytes, is_queued) == 0) ++*copies;
    }).detach();
    while (*copies < 3) std::this_thread::yield();
    acltwin_interpreter_ends();
    const int copied = *copies;
    munmap(source, kBytes);  // whoever reads it now is killed by the system

    // These still copy: the thread that ends the interpreter, and all that are not Python's.
    expect_upload(2, is_queued);
    EXPECT(first_byte() == 2);
    std::thread(expect_upload, 3, is_queued).join();
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
    EXPECT(first_byte() == 3);
    EXPECT(*copies <= copied + 1);
    EXPECT_OK(aclrtSynchronizeStream(nullptr));
}

int main() {
    EXPECT_OK(aclrtSetDevice(0));
    EXPECT_OK(aclrtGetCurrentContext(&context));
    void* fresh = nullptr;
    EXPECT_OK(aclrtMalloc(&fresh, kBytes, ACL_MEM_MALLOC_HUGE_FIRST));
    block = static_cast<char*>(fresh);
    is_python = true;
    end_under_copies(false);
    end_under_copies(true);
    // A new one begins: its threads copy again.
    acltwin_interpreter_begins(state_of_this_thread);
    std::thread([] {
        is_python = true;
        expect_upload(4, false);
    }).join();
    EXPECT(first_byte() == 4);
    return 0;
}
