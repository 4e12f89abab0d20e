// A stream: work that runs in order, beside the thread that queues it.
#pragma once

#include <deque>
#include <functional>
#include <memory>

#include "acl/acl_base.h"
#include "runtime/handles.h"
#include "runtime/lock.h"
#include "runtime/memory.h"

namespace acltwin {

class Capture;
class Stream;

struct Task {
    std::function<Failure(Stream& on)> run;
    Held held;                   // what it uses: it fails when one of these blocks was freed
    const char* name = nullptr;  // of the C function, for messages
    // After a failure the work queued behind it is dropped, as on the device, until somebody synchronises. Events are
    // recorded all the same, or their waiters would hang.
    bool runs_after_failure = false;
    // Tells check mode, when it is queued, what it will do: see Stream::push.
    std::function<void(const Stream& on, const Lock& lock)> note;

    Failure perform(Stream& on) const;
};

class Stream : public std::enable_shared_from_this<Stream> {
public:
    static constexpr Kind kKind = Kind::stream;

    // Fails when the system has no thread for it.
    static Failure create(aclrtContext context, int device, const Lock& lock, std::shared_ptr<Stream>* stream);
    Stream(const Stream&) = delete;
    Stream& operator=(const Stream&) = delete;

    aclrtContext context() const { return context_; }
    int device() const { return device_; }
    int32_t id() const { return id_; }  // no other stream of the process has it

    // Queues the task, or records it when the stream is captured.
    Failure push(Task task, const Lock& lock);
    // Waits for all that was queued before; what has not begun runs right here.
    void finish(Lock& lock);
    // The same, at most so long; a negative timeout waits for ever. The first failure since the last call is handed
    // over, once.
    Failure synchronize(int timeout_ms, Lock& lock);
    bool idle(const Lock&) const { return done_ == pushed_; }
    // What has gone wrong so far and was not reported.
    const Failure& pending_failure(const Lock&) const { return failure_; }
    // Takes no more work; waits for what is queued, or drops what has not begun. Returns a failure that was not
    // reported. Several threads may close a stream, each of them waits.
    Failure close(bool drop_queued, Lock& lock);
    const std::shared_ptr<Capture>& capture(const Lock&) const { return capture_; }  // null: its work runs
    size_t place_in_capture(const Lock&) const { return place_in_capture_; }
    void set_capture(std::shared_ptr<Capture> capture, size_t place, const Lock&) {
        capture_ = std::move(capture);
        place_in_capture_ = place;
    }
    // One without a thread, which stands for this one in what check mode learns of recorded work.
    std::shared_ptr<Stream> stand_in() const { return std::shared_ptr<Stream>(new Stream(context_, device_, id_)); }
    // For a forked child: what was queued or running is not done here, and `why` is what synchronising reports.
    void abandon(const Failure& why, const Lock& lock);

private:
    Stream(aclrtContext context, int device, int32_t id) : context_(context), device_(device), id_(id) {}
    Failure ensure_worker();
    void work();
    void run_next(Lock& lock);

    const aclrtContext context_;
    const int device_;
    const int32_t id_;
    // All of this is guarded by the runtime's lock. Changes of queue_ and closed_ are notified at queue_, changes
    // of done_ and busy_ at done_.
    std::deque<Task> queue_;
    uint64_t pushed_ = 0, done_ = 0;
    bool busy_ = false;  // a task is running, on the worker or on a thread that synchronises
    bool closed_ = false;
    bool has_worker_ = false;  // a thread that nobody joins: it keeps the stream alive, and ends after it was closed
    Failure failure_;
    std::shared_ptr<Capture> capture_;
    size_t place_in_capture_ = 0;
};

// The stream of a handle, null meaning the current context's default one; it must belong to the current context.
Failure find_stream(aclrtStream handle, const Lock& lock, std::shared_ptr<Stream>* stream);

Failure check_timeout(int32_t timeout);

}  // namespace acltwin
