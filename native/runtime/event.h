// Events: a mark in a stream that others wait for, with the time it was reached.
#pragma once

#include <chrono>
#include <memory>

#include "acl/acl_rt.h"
#include "runtime/capture.h"
#include "runtime/handles.h"
#include "runtime/lock.h"

namespace acltwin {

// One recording of an event, guarded by the runtime's lock. Recording again makes a new one; who waits keeps waiting
// for the one it saw. It stands in a stream's queue before anybody sees it, so it is reached; and who waits for it in a
// stream was queued later, so no streams wait for each other in a circle.
struct Recording {
    bool completed = false;
    Failure failure;
    std::chrono::steady_clock::time_point time;

    void complete(const Failure& failure_so_far, const Lock& lock);
    // False when the time is over; a negative timeout waits for ever.
    bool wait(int timeout_ms, Lock& lock) const;
};

struct Event {
    static constexpr Kind kKind = Kind::event;

    Event(aclrtContext context, uint32_t flag) : context(context), has_time((flag & ACL_EVENT_TIME_LINE) != 0) {}

    const aclrtContext context;
    const bool has_time;
    // This and the next are guarded by the runtime's lock.
    std::shared_ptr<Recording> latest;  // null when it was never recorded, or reset
    std::shared_ptr<const Mark> mark;   // where it was recorded in a capture; it means nothing once that is over
};

}  // namespace acltwin
