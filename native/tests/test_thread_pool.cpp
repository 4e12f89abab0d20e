// The pool of threads under everything that callers do to it: many callers, nesting, fork, odd counts. Run it under
// TSan.
#include <sched.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <thread>
#include <vector>

#include "core/float_mode.h"
#include "core/thread_pool.h"

using acltwin::parallel;

static void expect(bool condition, const char* what) {
    if (condition) return;
    std::fprintf(stderr, "FAILED: %s\n", what);
    std::exit(1);
}

static void every_chunk_runs_once(int64_t chunks, int threads) {
    std::vector<std::atomic<int>> seen(static_cast<size_t>(chunks));
    std::vector<std::atomic<int>> busy(static_cast<size_t>(threads));
    parallel(chunks, threads, [&](int64_t chunk, int slot) {
        expect(slot >= 0 && slot < threads, "slot in range");
        expect(busy[size_t(slot)].fetch_add(1) == 0, "a slot belongs to one thread at a time");
        seen[size_t(chunk)].fetch_add(1);
        busy[size_t(slot)].fetch_sub(1);
    });
    for (auto& count : seen) expect(count == 1, "every chunk once");
}

static void many_callers_at_once() {
    std::vector<std::thread> callers;
    for (int i = 0; i < 8; ++i)
        callers.emplace_back([i] {
            for (int round = 0; round < 50; ++round) every_chunk_runs_once(1 + (round * 7 + i) % 23, 1 + i % 5);
        });
    for (auto& caller : callers) caller.join();
}

static void nested_calls() {
    std::atomic<int> total{0};
    parallel(6, 3, [&](int64_t, int) { parallel(5, 3, [&](int64_t, int) { ++total; }); });
    expect(total == 30, "nested calls");
}

static void helpers_leave_the_callers_core() {
    cpu_set_t cores;
    if (sched_getaffinity(0, sizeof cores, &cores) != 0 || CPU_COUNT(&cores) < 2) return;
    for (int round = 0; round < 100; ++round) {  // a core may be busy with something else
        std::atomic<int> begun{0}, core[2] = {-1, -1};
        parallel(2, 2, [&](int64_t, int slot) {
            ++begun;
            for (int i = 0; i < 1000000 && begun < 2; ++i) core[slot] = sched_getcpu();
            core[slot] = sched_getcpu();
        });
        if (core[0] >= 0 && core[1] >= 0 && core[0] != core[1]) return;
    }
    expect(false, "a helper works on another core than its caller");
}

// Whether a helper took part in work of two chunks that is said to take so long.
static bool gets_help(double nanoseconds) {
    std::atomic<int> begun{0};
    std::atomic<bool> helped{false};
    parallel(
        2, 2,
        [&](int64_t, int slot) {
            if (slot == 1) helped = true;
            ++begun;
            for (int i = 0; i < 10000 && begun < 2; ++i) sched_yield();  // time for the other one to come
        },
        nanoseconds);
    return helped;
}

static void helpers_are_woken_if_that_pays() {
    const auto fall_asleep = [] { std::this_thread::sleep_for(std::chrono::milliseconds(200)); };
    for (int round = 0; round < 5; ++round) {
        fall_asleep();
        expect(!gets_help(30e3), "short work leaves helpers asleep");
    }
    int helped = 0;
    for (int call = 0; call < 1000 && helped == 0; ++call) helped += gets_help(30e3);
    expect(helped > 0, "one is woken for short calls in a row");
    helped = 0;
    for (int round = 0; round < 20 && helped == 0; ++round) {
        fall_asleep();
        helped += gets_help(1e9);
    }
    expect(helped > 0, "one is woken for long work");
}

// A sanitised or emulated process with threads cannot be forked reliably: sanitizer and emulator are not built for it.
#if !defined(__SANITIZE_THREAD__) && !defined(ACLTWIN_EMULATED)
static void forked_child_works() {
    every_chunk_runs_once(16, 4);
    const pid_t child = fork();
    if (child == 0) {
        every_chunk_runs_once(16, 4);
        _exit(0);
    }
    int status = 1;
    waitpid(child, &status, 0);
    expect(WIFEXITED(status) && WEXITSTATUS(status) == 0, "the child computes after fork");
    every_chunk_runs_once(16, 4);
}
#endif

#if defined(__x86_64__)
static void float_mode_is_the_default_and_restored() {
    const unsigned before = _mm_getcsr();
    _mm_setcsr(0x9fc0);  // flush to zero, denormals are zero
    std::atomic<int> wrong{0};
    parallel(64, 4, [&](int64_t, int) {
        if ((_mm_getcsr() & ~0x3fu) != 0x1f80) ++wrong;
    });
    expect(wrong == 0, "default floating-point mode inside");
    expect((_mm_getcsr() & ~0x3fu) == 0x9fc0, "the caller's mode afterwards");
    _mm_setcsr(before);
}
#endif

int main() {
    for (int64_t chunks : {0, 1, 2, 3, 100})
        for (int threads : {1, 2, 3, 8}) every_chunk_runs_once(chunks, threads);
    many_callers_at_once();
    nested_calls();
    helpers_leave_the_callers_core();
    helpers_are_woken_if_that_pays();
#if defined(__x86_64__)
    float_mode_is_the_default_and_restored();
#endif
#if !defined(__SANITIZE_THREAD__) && !defined(ACLTWIN_EMULATED)
    forked_child_works();
#endif
    std::puts("thread pool: ok");
}
