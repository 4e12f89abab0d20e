// Events: a mark in a stream that others wait for, with the time it was reached.
#pragma once

#include <chrono>
#include <condition_variable>
#include <memory>
#include <mutex>

#include "acl/acl_rt.h"
#include "runtime/handles.h"

namespace acltwin {

// One recording of an event. Recording again makes a new one; who waits keeps waiting for the one it saw.
class Recording {
public:
    void complete(Failure failure_so_far);
    // False when the time is over; a negative timeout waits for ever.
    bool wait(int timeout_ms);
    bool completed() const;
    Failure failure() const;
    std::chrono::steady_clock::time_point time() const;

private:
    mutable std::mutex mutex_;
    std::condition_variable reached_;
    bool completed_ = false;
    Failure failure_;
    std::chrono::steady_clock::time_point time_;
};

class Event {
public:
    static constexpr Kind kKind = Kind::event;

    Event(aclrtContext context, uint32_t flag) : context(context), has_time((flag & ACL_EVENT_TIME_LINE) != 0) {}

    const aclrtContext context;
    const bool has_time;

    std::shared_ptr<Recording> begin_recording();
    std::shared_ptr<Recording> latest() const;           // null when it was never recorded, or reset
    void reset(const std::shared_ptr<Recording>& seen);  // unless it was recorded anew since

private:
    mutable std::mutex mutex_;
    std::shared_ptr<Recording> latest_;
};

Failure find_event(aclrtEvent handle, const char* name, std::shared_ptr<Event>* event);

}  // namespace acltwin
