#include "runtime/check/host_guard.h"

#include <signal.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cstring>
#include <iterator>

#include "runtime/check/findings.h"
#include "runtime/check/hooks.h"
#include "runtime/check/last_words.h"
#include "runtime/check/pinned_guard.h"
#include "runtime/check/state.h"
#include "runtime/memory.h"

namespace acltwin::check {
namespace {

constexpr size_t kReservation = size_t(64) << 30;  // addresses cost nothing
constexpr int kMostReservations = 1024;
constexpr size_t kGap = kBlockAlignment;  // between blocks, so that one's end is not the other's begin

// Read by the signal handler: only ever grows.
struct Reservation {
    std::atomic<uintptr_t> begin{0}, end{0};
};
Reservation reservations[kMostReservations];
uintptr_t next_address = 0, last_address = 0;  // of the newest one; guarded by the runtime's lock
int reservation_count = 0;
bool is_refused = false;

bool is_reserved(uintptr_t address) {
    return std::any_of(std::begin(reservations), std::end(reservations), [&](const Reservation& one) {
        return address >= one.begin.load(std::memory_order_relaxed) &&
               address < one.end.load(std::memory_order_acquire);
    });
}

// What `previous` decides about a fault that has been reported, or is not ours.
void pass_on(const struct sigaction& previous, bool ours, int signal, siginfo_t* info, void* context) {
    const bool is_plain = (previous.sa_flags & SA_SIGINFO) == 0;
    if (!ours && !is_plain) return previous.sa_sigaction(signal, info, context);
    if (!ours && previous.sa_handler != SIG_DFL && previous.sa_handler != SIG_IGN) return previous.sa_handler(signal);
    if (!ours && previous.sa_handler == SIG_DFL) report_last_words();
    // The instruction runs again, and what was there before us decides: the default is the end of the process.
    sigaction(SIGSEGV, &previous, nullptr);
    if (!ours && info->si_code <= 0) raise(signal);  // somebody has sent it: there is no instruction to run again
}

// A handler that others install after ours may end in ours. So each time that we step in front of one it is with
// another function: who goes back through all of them meets none twice.
constexpr int kMostHandlers = 8;
struct sigaction previous[kMostHandlers];
std::atomic<int> handler_count{0};
std::atomic_flag is_stepping = ATOMIC_FLAG_INIT;
std::atomic<bool> in_front{false};

template <int number>
void on_fault(int signal, siginfo_t* info, void* context) {
    const int error = errno;
    const uintptr_t address = reinterpret_cast<uintptr_t>(info->si_addr);
    const bool opened = info->si_code > 0 && open_page(address, context);
    const bool ours = info->si_code > 0 && !opened && is_reserved(address);
    if (ours) report_device_address(address, context);
    errno = error;
    if (!opened) pass_on(previous[number], ours, signal, info, context);
}

using Handler = void (*)(int, siginfo_t*, void*);
constexpr Handler kHandlers[kMostHandlers] = {on_fault<0>, on_fault<1>, on_fault<2>, on_fault<3>,
                                              on_fault<4>, on_fault<5>, on_fault<6>, on_fault<7>};

bool is_ours(const struct sigaction& action) {
    return (action.sa_flags & SA_SIGINFO) != 0 &&
           std::find(std::begin(kHandlers), std::end(kHandlers), action.sa_sigaction) != std::end(kHandlers);
}

// The handler that goes in front of `current`: the one that did before, or a new one; kMostHandlers: none is left.
int handler_before(const struct sigaction& current) {
    const int count = handler_count;
    for (int i = 0; i < count; ++i)
        if (previous[i].sa_handler == current.sa_handler && previous[i].sa_flags == current.sa_flags) return i;
    if (count < kMostHandlers) previous[count] = current;
    return count;
}

bool add_reservation(size_t bytes) {
    const size_t size = std::max(kReservation, bytes + kGap);
    if (reservation_count == kMostReservations) return false;
    void* const begin = mmap(nullptr, size, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (begin == MAP_FAILED) return false;
    const uintptr_t first = reinterpret_cast<uintptr_t>(begin);
    next_address = first + kGap;  // what lies before a block belongs to nobody, too: free() looks there
    last_address = first + size;
    Reservation& fresh = reservations[reservation_count++];
    fresh.begin.store(first, std::memory_order_relaxed);
    fresh.end.store(last_address, std::memory_order_release);
    return true;
}

}  // namespace

void stay_in_front() {
    if (!is_listening() || is_dying()) return;  // after a fault, those who were before us decide
    struct sigaction current{};
    if (sigaction(SIGSEGV, nullptr, &current) != 0 || is_ours(current) || is_stepping.test_and_set()) return;
    const int number = handler_before(current);
    in_front = number < kMostHandlers;
    if (in_front) {
        handler_count = std::max<int>(handler_count, number + 1);
        struct sigaction ours{};
        ours.sa_sigaction = kHandlers[number];
        ours.sa_flags = SA_SIGINFO | SA_ONSTACK;
        sigemptyset(&ours.sa_mask);
        sigaction(SIGSEGV, &ours, nullptr);
    }
    is_stepping.clear();
}

bool is_in_front() { return in_front; }

bool guard_addresses(const void* begin, size_t bytes, const Lock&) noexcept {
    if (!looks_for(FindingKind::host) || reservation_count == kMostReservations) return false;
    Reservation& fresh = reservations[reservation_count++];
    fresh.begin.store(reinterpret_cast<uintptr_t>(begin), std::memory_order_relaxed);
    fresh.end.store(reinterpret_cast<uintptr_t>(begin) + bytes, std::memory_order_release);
    return true;
}

char* reserve_addresses(size_t bytes) {
    if (!looks_for(FindingKind::host)) return nullptr;
    const size_t size = (bytes + 2 * kGap - 1) / kGap * kGap;
    const Lock lock = lock_runtime();
    if (is_refused) return nullptr;
    if (size > last_address - next_address && !add_reservation(size)) {
        is_refused = true;
        guarded([] {
            note(
                "the system has no addresses left to keep host code away from device memory; the check 'host' ends "
                "here");
        });
        return nullptr;
    }
    char* const reserved = reinterpret_cast<char*>(next_address);
    next_address += size;
    return reserved;
}

}  // namespace acltwin::check
