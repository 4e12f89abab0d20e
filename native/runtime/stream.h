// A stream: work that runs in order, beside the thread that queues it.
#pragma once

#include <condition_variable>
#include <deque>
#include <functional>
#include <mutex>
#include <thread>

#include "acl/acl_base.h"
#include "runtime/handles.h"

namespace acltwin {

struct Task {
    std::function<Failure()> run;
    // After a failure the work queued behind it is dropped, as on the device, until somebody synchronises. Events are
    // recorded all the same, or their waiters would hang.
    bool runs_after_failure = false;
};

class Stream {
public:
    static constexpr Kind kKind = Kind::stream;

    explicit Stream(aclrtContext context, int device);
    ~Stream();
    Stream(const Stream&) = delete;
    Stream& operator=(const Stream&) = delete;

    aclrtContext context() const { return context_; }
    int device() const { return device_; }

    Failure push(Task task);
    // Waits for all that was queued before; the first failure since the last call is handed over, once.
    // A negative timeout waits for ever.
    Failure synchronize(int timeout_ms);
    bool idle() const;
    // What has gone wrong so far and nobody has been told.
    Failure pending_failure() const;
    // Takes no more work; waits for what is queued, or drops what has not begun. Returns a failure nobody was told of.
    Failure close(bool drop_queued);

private:
    void work();
    void run_next(std::unique_lock<std::mutex>& lock);

    const aclrtContext context_;
    const int device_;
    mutable std::mutex mutex_;
    std::condition_variable queued_, finished_;
    std::deque<Task> queue_;
    uint64_t pushed_ = 0, done_ = 0;
    bool busy_ = false;  // a task is running, on the worker or on a thread that synchronises
    bool closed_ = false;
    Failure failure_;
    std::thread worker_;
};

// The stream of a handle, null meaning the current context's default one; it must belong to the current context.
Failure find_stream(aclrtStream handle, std::shared_ptr<Stream>* stream);

Failure check_timeout(int32_t timeout);

}  // namespace acltwin
