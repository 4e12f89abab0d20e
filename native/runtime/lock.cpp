#include "runtime/lock.h"

#include <pthread.h>

#include <cstdint>
#include <new>
#include <thread>

#include "runtime/fork.h"

namespace acltwin {
namespace {

constexpr int kPlaceBits = 6;

struct Places {
    std::condition_variable all[1 << kPlaceBits];
};

std::mutex mutex;  // constant at load and never destroyed, as the places: threads may outlive main
alignas(Places) char place_storage[sizeof(Places)];
Places* const places = new (place_storage) Places;

// In a forked child the caller of fork is the only thread. It holds the lock, and what the others were waiting for will
// not come: a condition variable remembers its waiters, so the child gets fresh ones.
void start_over_in_child() {
    new (place_storage) Places;
    {
        const Lock lock(mutex, std::adopt_lock);
        abandon_parents_work(lock);
    }
}

const int registered = pthread_atfork([] { mutex.lock(); }, [] { mutex.unlock(); }, start_over_in_child);

}  // namespace

Lock lock_runtime() { return Lock(mutex); }

Lock try_lock_runtime() {
    Lock lock(mutex, std::defer_lock);
    for (int attempt = 0; attempt < 200 && !lock.try_lock(); ++attempt)
        std::this_thread::sleep_for(std::chrono::milliseconds(10));
    return lock;
}

std::condition_variable& waiting_place(const void* object) {
    static_assert(sizeof(uintptr_t) == 8, "the hash takes the top bits of 64");
    const uintptr_t mixed = reinterpret_cast<uintptr_t>(object) * 0x9e3779b97f4a7c15u;
    return places->all[mixed >> (64 - kPlaceBits)];
}

}  // namespace acltwin
