// The runtime's one lock, and where threads wait.
//
// Everything that C calls share is guarded by this lock: handles, devices, contexts, the queues of streams, recordings
// of events, blocks, options. It is held for moments only: whoever runs queued work, copies, plans, fills memory or
// waits has let go of it. A call that must see one state, such as "this stream still takes work, so this event is now
// recorded in it", does all of it under one hold.
//
// Lock order: none; no thread ever holds two of the lock here, the thread pool's and the output pool's. fork() takes
// all three, so that a child finds nothing half done, see lock.cpp.
#pragma once

#include <chrono>
#include <condition_variable>
#include <mutex>

namespace acltwin {

// Functions that need the lock ask for it: `const Lock&` keeps it, `Lock&` lets go of it for a while.
using Lock = std::unique_lock<std::mutex>;

Lock lock_runtime();
// The same at the end of the process, when whoever holds the lock may never let go of it: without it after a while.
Lock try_lock_runtime();

// Where to wait for a change of `object`. Objects share a fixed set of places, so a thread may be woken for another
// object's sake: always wait with a condition, and wake all.
std::condition_variable& waiting_place(const void* object);

template <class Condition>
void wait_until(const void* object, Lock& lock, const Condition& condition) {
    waiting_place(object).wait(lock, condition);
}

// False when the time is over; a negative one waits for ever.
template <class Condition>
bool wait_until(const void* object, Lock& lock, int timeout_ms, const Condition& condition) {
    if (timeout_ms >= 0) return waiting_place(object).wait_for(lock, std::chrono::milliseconds(timeout_ms), condition);
    wait_until(object, lock, condition);
    return true;
}

inline void notify_change(const void* object, const Lock&) { waiting_place(object).notify_all(); }

}  // namespace acltwin
