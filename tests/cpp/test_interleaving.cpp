// Every pair of calls in every order that locks allow: while one thread is about to ask for its first, second, third
// ... mutex in one call, another thread makes the other call.
#include <chrono>
#include <climits>
#include <condition_variable>
#include <mutex>

#include "mutex_hook.h"
#include "shared_calls.h"

static const std::chrono::milliseconds kALittle(5);  // who waits longer may be waiting for the one that waits for it

// A thread that makes one call when asked to.
class Guest {
public:
    Guest() : shared_(nullptr), call_(nullptr), pauses_(false), host_is_done_(false), thread_([this] { work(); }) {
        thread_.detach();
    }

    // Until the call is over, or pauses, or takes long.
    void begin(Shared& shared, const SharedCall& call) {
        std::unique_lock<std::mutex> lock(mutex_);
        shared_ = &shared;
        call_ = &call;
        host_is_done_ = false;
        changed_.notify_all();
        changed_.wait_for(lock, kALittle, [&] { return call_ == nullptr || pauses_; });
    }
    // In the guest's own thread: lets the host go on.
    void pause() {
        std::unique_lock<std::mutex> lock(mutex_);
        pauses_ = true;
        changed_.notify_all();
        changed_.wait_for(lock, kALittle, [&] { return host_is_done_; });
        pauses_ = false;
    }
    void finish() {
        std::unique_lock<std::mutex> lock(mutex_);
        host_is_done_ = true;
        changed_.notify_all();
        changed_.wait(lock, [&] { return call_ == nullptr; });
    }

private:
    void work();

    std::mutex mutex_;
    std::condition_variable changed_;
    Shared* shared_;
    const SharedCall* call_;
    bool pauses_, host_is_done_;
    std::thread thread_;
};

static Guest* guest;
static Shared* shared;
static const SharedCall* guests_call;
static int hosts_mutexes, guests_mutexes;  // left until the host lets the guest in, and the guest the host

static void let_guest_in() {
    if (hosts_mutexes-- == 0) guest->begin(*shared, *guests_call);
}

static void let_host_go_on() {
    if (guests_mutexes-- == 0) guest->pause();
}

void Guest::work() {
    std::unique_lock<std::mutex> lock(mutex_);
    for (;;) {
        changed_.wait(lock, [&] { return call_ != nullptr; });
        lock.unlock();
        {
            watchdog::Watched watched(1, call_->name);
            shared_->enter();
            before_mutex = let_host_go_on;
            call_->make(*shared_);
            before_mutex = nullptr;
        }
        lock.lock();
        call_ = nullptr;
        changed_.notify_all();
    }
}

struct Meeting {
    bool host_had_enough_mutexes, guest_had_enough_mutexes;
};

static const int kNoPause = INT_MAX;

// `bytes` of work keep the first stream busy meanwhile.
static Meeting meet(const SharedCall& host, int hosts_mutex, const SharedCall& other, int guests_mutex = kNoPause,
                    size_t bytes = 0) {
    EXPECT_OK(aclrtSetDevice(0));
    Shared state;
    void* block = nullptr;
    if (bytes > 0) EXPECT_OK(aclrtMalloc(&block, bytes, ACL_MEM_MALLOC_HUGE_FIRST));
    if (bytes > 0) EXPECT_OK(aclrtMemsetAsync(block, bytes, 1, bytes, state.streams[0]));
    shared = &state;
    guests_call = &other;
    hosts_mutexes = hosts_mutex;
    guests_mutexes = guests_mutex;
    std::snprintf(watchdog::story, sizeof watchdog::story,
                  "before mutex %d of: %s\n  another thread did: %s\n  and paused before its mutex %d", hosts_mutex + 1,
                  host.name, other.name, guests_mutex);
    {
        watchdog::Watched watched(0, host.name);
        before_mutex = let_guest_in;
        host.make(state);
        before_mutex = nullptr;
    }
    guest->finish();
    const Meeting meeting = {hosts_mutexes < 0, guests_mutexes < 0};
    state.settle();
    return meeting;
}

static int stream_status, context_status;

// A busy stream is destroyed, and its context with it: both wait for the work, and both succeed.
static void two_wait_for_a_stream() {
    const SharedCall stream = {"aclrtDestroyStream",
                               [](Shared& s) { stream_status = aclrtDestroyStream(s.streams[0]); }};
    const SharedCall context = {"aclrtDestroyContext",
                                [](Shared& s) { context_status = aclrtDestroyContext(s.context); }};
    for (int i = 0;; ++i) {
        Meeting meeting = {true, true};
        for (int j = 0; meeting.guest_had_enough_mutexes; ++j) {
            meeting = meet(stream, i, context, j, size_t(16) << 20);
            EXPECT_OK(context_status);
            EXPECT(stream_status == 0 || stream_status == 107017 || stream_status == 107002);
            if (!meeting.host_had_enough_mutexes) return;
        }
    }
}

static long every_pair_meets() {
    long meetings = 0;
    for (const SharedCall& host : kSharedCalls)
        for (const SharedCall& other : kSharedCalls)
            for (int i = 0; meet(host, i, other).host_had_enough_mutexes; ++i) ++meetings;
    return meetings;
}

int main() {
    watchdog::start();
    guest = new Guest;
    two_wait_for_a_stream();
    const long meetings = every_pair_meets();
    expect_working_runtime();
    std::printf("%d calls, %ld meetings\n", kSharedCallCount, meetings);
    return 0;
}
