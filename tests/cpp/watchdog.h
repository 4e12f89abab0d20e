// Tells which call stands still, and ends the program: a hang is a failure with a name.
#ifndef ACLTWIN_TESTS_CPP_WATCHDOG_H
#define ACLTWIN_TESTS_CPP_WATCHDOG_H

#include <unistd.h>

#include <atomic>
#include <cstdint>
#include <cstdio>
#include <thread>

namespace watchdog {

static const int kMostThreads = 16, kPatience = 60;  // seconds; calls take microseconds, and machines may be busy

// What a thread is doing.
struct Post {
    std::atomic<const char*> call;
    std::atomic<uint64_t> calls;
};

inline Post& post(int thread) {
    static Post posts[kMostThreads];
    return posts[thread];
}

// What has led to where the program is, for the report.
static char story[1024];

// The call of `thread` that runs while this object lives.
class Watched {
public:
    Watched(int thread, const char* call) : post_(post(thread)) {
        ++post_.calls;
        post_.call = call;
    }
    ~Watched() { post_.call = nullptr; }

private:
    Post& post_;
};

inline void report_and_exit(int stuck) {
    std::fprintf(stderr, "%s stands still for %d seconds\n", post(stuck).call.load(), kPatience);
    std::fprintf(stderr, "  %s\n", story);
    for (int i = 0; i < kMostThreads; ++i)
        if (const char* call = post(i).call) std::fprintf(stderr, "  thread %d is in %s\n", i, call);
    _exit(1);
}

inline void start() {
    std::thread([] {
        uint64_t seen[kMostThreads] = {};
        int seconds[kMostThreads] = {};
        for (;; sleep(1)) {
            for (int i = 0; i < kMostThreads; ++i) {
                const uint64_t calls = post(i).calls;
                seconds[i] = post(i).call != nullptr && calls == seen[i] ? seconds[i] + 1 : 0;
                seen[i] = calls;
                if (seconds[i] == kPatience) report_and_exit(i);
            }
        }
    }).detach();
}

}  // namespace watchdog

#endif
