// Every mutex of the program is locked through here, the library's own included: tests can act at that moment, when a
// thread is about to ask for a lock. Include it in one file of a program.
#ifndef ACLTWIN_TESTS_CPP_MUTEX_HOOK_H
#define ACLTWIN_TESTS_CPP_MUTEX_HOOK_H

#include <dlfcn.h>
#include <pthread.h>
#include <sched.h>
#include <unistd.h>

#include <atomic>
#include <cstdint>

// What the calling thread does before it asks for a mutex; null for nothing. While it does so, it is not called again.
static thread_local void (*before_mutex)() = nullptr;

extern "C" __attribute__((visibility("default"))) int pthread_mutex_lock(pthread_mutex_t* mutex) noexcept {
    typedef int (*Function)(pthread_mutex_t*);
    static std::atomic<Function> next;
    if (next.load() == nullptr) next = reinterpret_cast<Function>(dlsym(RTLD_NEXT, "pthread_mutex_lock"));
    void (*const action)() = before_mutex;
    if (action != nullptr) {
        before_mutex = nullptr;
        action();
        before_mutex = action;
    }
    return next.load()(mutex);
}

// One in some calls takes its time, some let another thread go first, most go on.
inline void dawdle() {
    static std::atomic<uint32_t> threads{0};
    static thread_local uint32_t state = 2654435769u * ++threads;
    state ^= state << 13;
    state ^= state >> 17;
    state ^= state << 5;
    if (state % 32 == 0)
        usleep(state >> 8 & 127);
    else if (state % 4 == 0)
        sched_yield();
}

#endif
