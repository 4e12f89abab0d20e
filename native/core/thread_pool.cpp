#include "core/thread_pool.h"

#include <pthread.h>
#include <sched.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <mutex>
#include <new>
#include <system_error>
#include <thread>

#include "core/environment.h"
#include "core/float_mode.h"
#include "core/team.h"

namespace acltwin {
namespace {

double now() {  // in nanoseconds
    return double(std::chrono::steady_clock::now().time_since_epoch() / std::chrono::nanoseconds(1));
}

// One call of run_chunks. It lives on the caller's stack: the caller leaves only when no helper is inside.
struct Job {
    void (*body)(const void* context, int64_t chunk, int slot);
    const void* context;
    int64_t chunks;
    double nanoseconds;  // that one thread would take
    std::atomic<int64_t> next_chunk{0};
    int slots;                   // at most this many threads take part; the caller is slot 0
    int next_slot = 1;           // below: guarded by the pool's mutex
    std::atomic<int> inside{0};  // helpers at work; read without the mutex, too
    Job* next = nullptr;         // in the pool's list of jobs that still want helpers
    std::condition_variable left;

    void work(int slot) {
        for (int64_t chunk; (chunk = next_chunk.fetch_add(1, std::memory_order_relaxed)) < chunks;)
            body(context, chunk, slot);
    }
};

// Being woken up takes longer than most waits, so a thread first looks whether its wait is over, for 30 to 100 us.
template <class Condition>
void wait_awake(const Condition& over) {
    for (int i = 0; i < 2000 && !over(); ++i) {
#if defined(__x86_64__)
        __builtin_ia32_pause();
#elif defined(__aarch64__)
        asm volatile("isb");  // takes about as long as a pause on x86, which a yield does not
#endif
    }
}

constexpr int kUnknownCore = CPU_SETSIZE;  // in no set

struct Helper {
    pthread_t thread;
    int core;  // where it was last seen
    bool idle;
};

// Some schedulers leave a thread for many milliseconds on the core of the one that woke it, while other cores have
// nothing to do. So idle helpers that were last seen on the caller's core, or on another helper's, must leave it.
void spread(Helper* helpers, int count) {
    cpu_set_t taken, free;
    CPU_ZERO(&taken);
    CPU_SET(sched_getcpu(), &taken);
    for (int i = 0; i < count; ++i) {
        Helper& helper = helpers[i];
        if (helper.idle && CPU_ISSET(helper.core, &taken)) {
            if (sched_getaffinity(0, sizeof free, &free) != 0) return;
            for (int core = 0; core < CPU_SETSIZE; ++core)
                if (CPU_ISSET(core, &taken)) CPU_CLR(core, &free);
            if (CPU_COUNT(&free) == 0 || pthread_setaffinity_np(helper.thread, sizeof free, &free) != 0) return;
            helper.core = kUnknownCore;
        }
        CPU_SET(helper.core, &taken);
    }
}

class Pool {
public:
    void run(Job& job) {
        int asleep = 0;  // of those that shall help
        {
            std::lock_guard<std::mutex> lock(mutex_);
            asleep = choose_helpers(job);
            if (job.slots > 1) {
                grow(job.slots - 1);
                spread(helpers_, helper_count_);
                job.next = open_jobs_;
                open_jobs_ = &job;
                any_open_ = true;
            }
        }
        for (int i = 0; i < asleep; ++i) wake_.notify_one();
        job.work(0);
        {
            std::lock_guard<std::mutex> lock(mutex_);
            close(job);
        }
        wait_awake([&] { return job.inside.load(std::memory_order_relaxed) == 0; });
        // The mutex in any case: the last helper holds it until it is done with the job.
        std::unique_lock<std::mutex> lock(mutex_);
        job.left.wait(lock, [&] { return job.inside == 0; });
        last_end_ = now();
    }

    std::mutex& mutex() { return mutex_; }

private:
    // Helpers that are awake always take part. Others must be worth the time that it takes to wake them, one by one;
    // but calls that follow each other at once wake one more each time, which stays awake for the next of them. Returns
    // how many are to be woken.
    int choose_helpers(Job& job) {
        const double start = now();
        const bool in_a_row = start - last_end_ < waking_time_;
        const int most = job.slots - 1, awake = std::min(awake_, most);
        const double worth_waking = job.nanoseconds / waking_time_ - 1;
        const int helpers = int(std::clamp(worth_waking, double(std::min(awake + in_a_row, most)), double(most)));
        job.slots = 1 + helpers;
        if (helpers > awake) woken_at_ = start;
        return helpers - awake;
    }

    // If the system gives no more threads, fewer of them do the same work.
    void grow(int helpers) {
        try {
            for (; helper_count_ < helpers; ++helper_count_) {
                Helper& helper = helpers_[helper_count_];
                std::thread thread([this, &helper] { help(helper); });
                helper = {thread.native_handle(), sched_getcpu(), true};
                pthread_setname_np(helper.thread, "acltwin");  // as debuggers and top show it
                thread.detach();
            }
        } catch (const std::system_error&) {
        }
    }

    void help(Helper& self) {
        FloatMode::set_default();  // a new thread inherits its creator's mode
        std::unique_lock<std::mutex> lock(mutex_);
        for (;;) {
            while (open_jobs_ == nullptr) sleep(lock);
            Job& job = *open_jobs_;
            const int slot = job.next_slot++;
            if (job.next_slot == job.slots) close(job);
            ++job.inside;
            self.idle = false;
            lock.unlock();
            job.work(slot);
            const int core = sched_getcpu();
            lock.lock();
            self.idle = true;
            self.core = core;
            if (--job.inside == 0) job.left.notify_one();
            ++awake_;
            lock.unlock();
            wait_awake([&] { return any_open_.load(std::memory_order_relaxed); });
            lock.lock();
            --awake_;
        }
    }

    void sleep(std::unique_lock<std::mutex>& lock) {
        wake_.wait(lock);
        const double took = std::clamp(now() - woken_at_, 10e3, 200e3);  // beyond, it was not for the waking
        waking_time_ += (took - waking_time_) / 8;
    }

    void close(Job& job) {  // takes no more helpers; the job may be closed already
        for (Job** link = &open_jobs_; *link != nullptr; link = &(*link)->next) {
            if (*link == &job) {
                *link = job.next;
                any_open_ = open_jobs_ != nullptr;
                return;
            }
        }
    }

    std::mutex mutex_;
    std::condition_variable wake_;
    Job* open_jobs_ = nullptr;
    std::atomic<bool> any_open_{false};  // read without the mutex, too
    Helper helpers_[kMaxThreads];
    int helper_count_ = 0, awake_ = 0;                         // awake: without work, but not asleep yet
    double waking_time_ = 50e3, woken_at_ = 0, last_end_ = 0;  // in nanoseconds; the first as this machine shows it
};

// Never destroyed: its threads may still wait in it while the process ends.
alignas(Pool) char pool_storage[sizeof(Pool)];

Pool* const pool = new (pool_storage) Pool;  // at load: a fork could catch a first use half way

// A forked child has none of the threads: it starts over with an empty pool, and grows it when needed.
const int registered =
    pthread_atfork([] { pool->mutex().lock(); }, [] { pool->mutex().unlock(); }, [] { new (pool_storage) Pool; });

int usable_cores() {
    cpu_set_t set;
    if (sched_getaffinity(0, sizeof set, &set) == 0) return std::min(CPU_COUNT(&set), kMaxThreads);
    return std::clamp(int(std::thread::hardware_concurrency()), 1, kMaxThreads);
}

bool run_on(const Team& team, Job& job) {
    const auto work = [](void* context, int slot) {
        const FloatMode mode;
        static_cast<Job*>(context)->work(slot);
    };
    if (!team.run(job.slots, work, &job)) return false;
    job.work(0);  // whatever is left, should the team have failed
    return true;
}

thread_local int counted_threads = 1;

std::atomic<int> thread_count{int(environment_number("ACLTWIN_NUM_THREADS", 1, kMaxThreads, usable_cores()))};

}  // namespace

int num_threads() {
    const int most = thread_count.load(std::memory_order_relaxed);
    const Team* team = team_in_use();
    return team == nullptr ? most : std::clamp(team->threads(), 1, most);
}

void begin_counting_threads() { counted_threads = 1; }

int threads_counted() { return counted_threads; }

void set_num_threads(int n) { thread_count.store(n, std::memory_order_relaxed); }

void run_chunks(int64_t chunks, int threads, double nanoseconds,
                void (*body)(const void* context, int64_t chunk, int slot), const void* context) {
    const FloatMode mode;
    const Team* team = team_in_use();
    int64_t slots = std::min<int64_t>(threads, chunks);
    if (team != nullptr && slots > 1) slots = std::min<int64_t>(slots, num_threads());  // plans outlive settings
    if (slots <= 1) {
        for (int64_t chunk = 0; chunk < chunks; ++chunk) body(context, chunk, 0);
        return;
    }
    counted_threads = std::max(counted_threads, int(slots));
    Job job;
    job.body = body;
    job.context = context;
    job.chunks = chunks;
    job.nanoseconds = nanoseconds;
    job.slots = int(slots);
    if (team == nullptr || !run_on(*team, job)) pool->run(job);
}

}  // namespace acltwin
