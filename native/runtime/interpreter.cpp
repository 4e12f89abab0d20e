#include "runtime/interpreter.h"

#include <atomic>
#include <optional>
#include <utility>

#include "core/export.h"
#include "runtime/error.h"

namespace acltwin {
namespace {

constexpr std::chrono::seconds kPatience{5};

// Gives Python's state of the calling thread, null for threads that run no Python code.
using ThreadState = void* (*)();
std::atomic<ThreadState> state_of_this_thread{nullptr};

// Guarded by the runtime's lock.
std::optional<std::thread::id> ended_by;  // the one thread that still runs Python code
int running = 0;                          // copies of interpreted threads

}  // namespace

HostUser this_thread_as_host_user() {
    const ThreadState state = state_of_this_thread;
    return {state != nullptr && state() != nullptr, std::this_thread::get_id()};
}

Failure host_memory_gone(const HostUser& user, const Lock&) {
    if (!user.is_interpreted || !ended_by || *ended_by == user.thread) return {};
    return refuse(
        kKernelException,
        "the interpreter has ended, and its arrays end with it; join threads that copy before the program ends");
}

HostAccess::HostAccess(const HostUser& user) {
    if (!user.is_interpreted) return;
    const Lock lock = lock_runtime();
    failure_ = host_memory_gone(user, lock);
    is_counted_ = !failure_;
    running += is_counted_;
}

HostAccess::~HostAccess() {
    if (!is_counted_) return;
    const Lock lock = lock_runtime();
    if (--running == 0) notify_change(&running, lock);
}

Failure linger(Failure failure) {
    std::this_thread::sleep_for(kPatience);
    return failure;
}

void forget_parents_copies(const Lock&) { running = 0; }

}  // namespace acltwin

using namespace acltwin;

// For acltwin.acl. The second one is called by the thread that ends the interpreter, while all arrays still live.
extern "C" {
ACLTWIN_API void acltwin_interpreter_begins(void* (*thread_state)(void)) {
    const Lock lock = lock_runtime();
    state_of_this_thread = thread_state;
    ended_by.reset();
}

ACLTWIN_API void acltwin_interpreter_ends(void) {
    Lock lock = lock_runtime();
    ended_by = std::this_thread::get_id();
    wait_until(&running, lock, [] { return running == 0; });
}
}
