#include "runtime/stream.h"

#include <chrono>
#include <utility>

namespace acltwin {
namespace {

Failure run_without_exceptions(const Task& task) {
    try {
        return task.run();
    } catch (const std::exception& error) {
        return refuse(kKernelException, "queued work ended with '", error.what(),
                      "'; free memory, or use smaller tensors");
    }
}

}  // namespace

Stream::Stream(aclrtContext context, int device) : context_(context), device_(device), worker_([this] { work(); }) {}

Stream::~Stream() { close(true); }

Failure Stream::push(Task task) {
    {
        std::lock_guard<std::mutex> lock(mutex_);
        if (closed_)
            return refuse(ACL_ERROR_RT_INVALID_HANDLE,
                          "the stream was destroyed by another thread; let the last user do it");
        queue_.push_back(std::move(task));
        ++pushed_;
    }
    queued_.notify_one();  // after the lock, or the worker would wake up only to wait for it
    return {};
}

Failure Stream::synchronize(int timeout_ms) {
    std::unique_lock<std::mutex> lock(mutex_);
    const uint64_t target = pushed_;
    const auto reached = [&] { return done_ >= target; };
    if (timeout_ms < 0) {
        // Work that has not begun runs right here: for a small kernel, waking the worker would cost more than the
        // kernel.
        while (!reached()) {
            if (!busy_)
                run_next(lock);
            else
                finished_.wait(lock);
        }
    } else if (!finished_.wait_for(lock, std::chrono::milliseconds(timeout_ms), reached)) {
        return refuse(ACL_ERROR_RT_STREAM_SYNC_TIMEOUT, "the stream still has work after ", timeout_ms,
                      " ms; wait longer, or -1 for ever");
    }
    return std::exchange(failure_, Failure{});
}

bool Stream::idle() const {
    std::lock_guard<std::mutex> lock(mutex_);
    return done_ == pushed_;
}

Failure Stream::pending_failure() const {
    std::lock_guard<std::mutex> lock(mutex_);
    return failure_;
}

Failure Stream::close(bool drop_queued) {
    {
        std::lock_guard<std::mutex> lock(mutex_);
        closed_ = true;
        if (drop_queued && !failure_)
            failure_ = refuse(ACL_ERROR_RT_STREAM_CONTEXT, "the stream was destroyed by force");
        queued_.notify_one();
    }
    if (worker_.joinable()) worker_.join();
    std::lock_guard<std::mutex> lock(mutex_);
    return drop_queued ? Failure{} : std::exchange(failure_, Failure{});
}

void Stream::work() {
    std::unique_lock<std::mutex> lock(mutex_);
    for (;;) {
        queued_.wait(lock, [&] { return !queue_.empty() || closed_; });
        if (busy_)
            finished_.wait(lock, [&] { return !busy_; });
        else if (!queue_.empty())
            run_next(lock);
        else
            return;
    }
}

// Needs the lock, a task in the queue, and nobody busy.
void Stream::run_next(std::unique_lock<std::mutex>& lock) {
    Task task = std::move(queue_.front());
    queue_.pop_front();
    const bool skip = failure_ && !task.runs_after_failure;
    busy_ = true;
    lock.unlock();
    Failure failure;
    if (!skip) failure = run_without_exceptions(task);
    task.run = nullptr;  // lets go of the blocks that the task held
    lock.lock();
    busy_ = false;
    ++done_;
    if (failure && !failure_) failure_ = std::move(failure);
    finished_.notify_all();
}

}  // namespace acltwin
