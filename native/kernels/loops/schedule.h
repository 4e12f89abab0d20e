// How much work a plan is, and how it is spread over threads: one decision for all kernels.
#pragma once

#include <algorithm>
#include <atomic>

#include "core/thread_pool.h"

namespace acltwin {

// What is worth a thread that is awake; the pool decides whether those that sleep are woken for it.
inline int threads_for(double nanoseconds) {
    constexpr double kWorthAThread = 12.5e3;
    return int(std::clamp(nanoseconds / kWorthAThread, 1.0, double(num_threads())));
}

class Schedule {
public:
    Schedule() = default;
    // So many tasks, which take so long altogether on one thread. `threads` for a plan that has asked before, and has
    // scratch memory for no more.
    Schedule(int64_t tasks, double nanoseconds) : Schedule(tasks, nanoseconds, threads_for(nanoseconds)) {}
    Schedule(int64_t tasks, double nanoseconds, int threads)
        : tasks_(tasks), per_turn_(std::max<int64_t>(1, tasks)), nanoseconds_(nanoseconds), threads_(threads) {
        // Small enough that a thread that is held up leaves the rest to the others, large enough to be worth a turn.
        constexpr double kTurn = 25e3;
        if (threads == 1 || tasks <= 1) return;
        const double turns = std::clamp(nanoseconds / kTurn, 2.0, double(tasks));
        per_turn_ = std::max<int64_t>(1, int64_t(double(tasks) / turns));
    }

    int threads() const { return threads_; }

    // Calls body(first, last, slot) for ranges of tasks that cover them all, on several threads.
    template <class Body>
    void run(const Body& body) const {
        const auto take_turn = [&](int64_t turn, int slot) {
            const int64_t first = turn * per_turn_;
            body(first, first + std::min(per_turn_, tasks_ - first), slot);
        };
        parallel(tasks_ / per_turn_ + (tasks_ % per_turn_ != 0), threads_, take_turn, nanoseconds_);
    }

    // The same for a body that may fail: none starts once one has returned false, and that is what this returns.
    template <class Body>
    bool run_while_good(const Body& body) const {
        std::atomic<bool> good{true};
        run([&](int64_t first, int64_t last, int slot) {
            if (good.load(std::memory_order_relaxed) && !body(first, last, slot))
                good.store(false, std::memory_order_relaxed);
        });
        return good;
    }

private:
    int64_t tasks_ = 0, per_turn_ = 1;
    double nanoseconds_ = 0;
    int threads_ = 1;
};

}  // namespace acltwin
