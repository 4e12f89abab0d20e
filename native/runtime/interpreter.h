// The end of an interpreter, Python's, and of the arrays that it has made.
//
// Its threads go on while it ends, and one of them may be in the middle of a copy from or to an array. So the end waits
// for copies that run, and later ones of other threads do not begin. Threads that run no Python code never notice.
#pragma once

#include <thread>

#include "core/failure.h"
#include "runtime/lock.h"

namespace acltwin {

// The thread on whose behalf ordinary host memory is touched, now or when its stream comes to it.
struct HostUser {
    bool is_interpreted = false;
    std::thread::id thread;
};
HostUser this_thread_as_host_user();

// Why the user's memory may be gone.
Failure host_memory_gone(const HostUser& user, const Lock& lock);

// While it lives and did not fail, the user's memory may be touched.
class HostAccess {
public:
    explicit HostAccess(const HostUser& user);
    ~HostAccess();
    HostAccess(const HostAccess&) = delete;
    HostAccess& operator=(const HostAccess&) = delete;

    const Failure& failure() const { return failure_; }

private:
    bool is_counted_ = false;
    Failure failure_;
};

// For a call that comes too late: the interpreter ends within moments, and the calling thread with it. Gives it time
// for that, so that the program does not see the failure.
Failure linger(Failure failure);

void forget_parents_copies(const Lock& lock);  // in a forked child

}  // namespace acltwin
