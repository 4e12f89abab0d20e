#include "runtime/stream.h"

#include <cstdint>
#include <cstring>
#include <system_error>
#include <thread>
#include <utility>

#include "runtime/callbacks.h"
#include "runtime/capture.h"

namespace acltwin {
namespace {

Failure run_without_exceptions(const Task& task, Stream& on) {
    try {
        return task.perform(on);
    } catch (const std::exception& error) {
        return refuse(kKernelException, "queued work ended with '", error.what(),
                      "'; free memory, or use smaller tensors");
    }
}

}  // namespace

Failure Task::perform(Stream& on) const {
    const BlockUse use(held);
    Failure failure = use.failure();
    if (!failure) failure = run(on);
    if (!failure) failure = use.failure();
    if (failure && name != nullptr) failure.text = sentence(name, ": ", failure.text);
    return failure;
}

Failure Stream::create(aclrtContext context, int device, const Lock&, std::shared_ptr<Stream>* stream) {
    static int32_t next_id = 0;  // guarded by the lock
    std::shared_ptr<Stream> fresh(new Stream(context, device, next_id));
    next_id = next_id == INT32_MAX ? 0 : next_id + 1;
    if (Failure failure = fresh->ensure_worker()) return failure;
    *stream = std::move(fresh);
    return {};
}

Failure Stream::ensure_worker() {
    if (has_worker_) return {};
    try {
        std::thread([self = shared_from_this()] { self->work(); }).detach();
    } catch (const std::system_error& error) {
        return refuse(ACL_ERROR_RT_NO_STREAM_RESOURCE, "the system has no thread left for the stream's work (",
                      error.code().message(),
                      "); destroy streams that are not needed, or raise the limit on threads (ulimit -u)");
    }
    has_worker_ = true;
    return {};
}

Failure Stream::push(Task task, const Lock& lock) {
    if (closed_)
        return refuse(ACL_ERROR_RT_INVALID_HANDLE,
                      "the stream was destroyed by another thread; let the last user do it");
    if (capture_ != nullptr) return capture_->add(*this, std::move(task), lock);
    if (Failure failure = ensure_worker()) return failure;
    queue_.push_back(std::move(task));
    ++pushed_;
    notify_change(&queue_, lock);
    if (check::on && queue_.back().note) queue_.back().note(*this, lock);
    return {};
}

// For a small kernel, waking the worker would cost more than the kernel.
void Stream::finish(Lock& lock) {
    const uint64_t target = pushed_;
    while (done_ < target) {
        if (!busy_)
            run_next(lock);
        else
            wait_until(&done_, lock, [&] { return !busy_ || done_ >= target; });
    }
}

Failure Stream::synchronize(int timeout_ms, Lock& lock) {
    if (Failure failure = check_not_inside(*this)) return failure;
    if (Failure failure = refuse_waiting(*this, lock)) return failure;
    const uint64_t target = pushed_;
    check::Waiting* const waiting = check::on ? check::waiting_for(*this, lock) : nullptr;
    if (timeout_ms < 0) {
        finish(lock);
    } else if (!wait_until(&done_, lock, timeout_ms, [&] { return done_ >= target; })) {
        if (check::on) check::waited(waiting, false, {}, lock);
        return refuse(ACL_ERROR_RT_STREAM_SYNC_TIMEOUT, "the stream still has work after ", timeout_ms,
                      " ms; wait longer, or -1 for ever");
    }
    if (check::on) check::waited(waiting, true, failure_, lock);
    return std::exchange(failure_, Failure{});
}

Failure Stream::close(bool drop_queued, Lock& lock) {
    closed_ = true;
    if (drop_queued && !failure_) failure_ = refuse(ACL_ERROR_RT_STREAM_CONTEXT, "the stream was destroyed by force");
    notify_change(&queue_, lock);
    wait_until(&done_, lock, [&] { return done_ == pushed_; });
    if (check::on) check::closed_stream(*this, lock);
    return drop_queued ? Failure{} : std::exchange(failure_, Failure{});
}

void Stream::abandon(const Failure& why, const Lock&) {
    if (done_ != pushed_) failure_ = why;
    queue_.clear();
    done_ = pushed_;
    busy_ = false;
    has_worker_ = false;
}

void Stream::work() {
    Lock lock = lock_runtime();
    for (;;) {
        wait_until(&queue_, lock, [&] { return !queue_.empty() || closed_; });
        if (busy_)
            wait_until(&done_, lock, [&] { return !busy_; });
        else if (!queue_.empty())
            run_next(lock);
        else
            return;
    }
}

// Needs a task in the queue, and nobody busy.
void Stream::run_next(Lock& lock) {
    Task task = std::move(queue_.front());
    queue_.pop_front();
    const bool skip = failure_ && !task.runs_after_failure;
    busy_ = true;
    lock.unlock();
    Failure failure;
    if (!skip) failure = run_without_exceptions(task, *this);
    task = Task();  // lets go of the blocks that the task held
    lock.lock();
    busy_ = false;
    ++done_;
    // Check mode has reported the free already; whether it or the work was faster must not show.
    if (check::on && std::strcmp(failure.rule, "freed_while_queued") == 0) failure = {};
    if (failure && !failure_) failure_ = std::move(failure);
    notify_change(&done_, lock);
}

}  // namespace acltwin
