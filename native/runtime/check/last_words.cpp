#include "runtime/check/last_words.h"

#include <semaphore.h>
#include <signal.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <ctime>
#include <thread>

#include "runtime/check/fault_frames.h"
#include "runtime/check/pinned_guard.h"
#include "runtime/check/refusals.h"

namespace acltwin::check {
namespace {

constexpr size_t kHeader = 16;  // what malloc keeps before a block of its own
constexpr int kPatienceMs = 30'000, kPatienceForRefusalsMs = 5'000;

// Handed from the signal handler to the thread that reports it.
enum class Stage { none, handed_over, reported };
struct Fault {
    std::atomic<Stage> stage{Stage::none};
    bool is_device_address = false;
    uintptr_t address = 0;
    uintptr_t frames[kMostFaultFrames] = {};
    int frame_count = 0;
} fault;
std::atomic<bool> is_taken{false};
std::atomic<pid_t> listener{0};  // the process whose thread listens
sem_t handed_over;

void sleep_ms(long ms) {
    const timespec time = {0, ms * 1'000'000};
    nanosleep(&time, nullptr);
}

void report_fault(const Lock& lock) {
    State& all = state(lock);
    const char* address = reinterpret_cast<const char*>(fault.address);
    Finding finding(Id::host_device_pointer_followed, "host code follows the device address " + hexadecimal(address) +
                                                          ", which only copies and kernels can");
    const Block* block = block_at(all, address + kHeader);
    if (block != nullptr && address < block->begin + block->requested) {
        finding.what += address < block->begin
                            ? "; it lies right before a block, where free() looks"
                            : "; it is " + std::to_string(address - block->begin) + " bytes into its block";
        finding.about(subject_of(*block));
    } else if (const auto* gone = gone_block_at(all, address)) {
        finding.what += "; its block has been freed";
        finding.about(subject_of(gone->first, gone->second)).calls({{"free", "", gone->second.freed_by}});
    }
    const std::vector<uintptr_t> frames(fault.frames, fault.frames + fault.frame_count);
    finding.calls({{"access", "", call_at("host code", frames, lock)}})
        .fix("copy the data to the host with aclrtMemcpy, and use the copy")
        .report(lock);
}

void listen() {
    while (fault.stage != Stage::handed_over) sem_wait(&handed_over);
    // A thread that faults inside of a call may hold the lock, and will not let go of it.
    const Lock lock = try_lock_runtime();
    guarded([&] {
        report_touched_pages(state(lock), lock);
        if (fault.is_device_address) report_fault(lock);
        report_late_refusals(state(lock), lock);
        report_summary(lock);  // here, because the process ends without its exit handlers
    });
    fault.stage = Stage::reported;
}

void report_in_short() {
    constexpr char text[] =
        "acltwin check: host.device-pointer-followed\n"
        "  host code follows a device address, which only copies and kernels can\n"
        "    fix       copy the data to the host with aclrtMemcpy, and use the copy\n";
    if (write(STDERR_FILENO, text, sizeof text - 1) < 0) return;
}

void wait_until_reported(int patience_ms) {
    for (int waited = 0; waited < patience_ms && fault.stage != Stage::reported; waited += 10) sleep_ms(10);
}

void hand_over(int patience_ms) {
    fault.stage = Stage::handed_over;
    sem_post(&handed_over);
    wait_until_reported(patience_ms);
}

// The program's way to die is the default, which comes back before the handler runs.
void on_death(int signal, siginfo_t*, void*) {
    report_last_words();
    raise(signal);
}

void handle_deadly_signals() {
    for (const int signal : {SIGABRT, SIGBUS, SIGFPE, SIGILL, SIGINT, SIGTERM}) {
        struct sigaction current{}, ours{};
        if (sigaction(signal, nullptr, &current) != 0 || current.sa_handler != SIG_DFL) continue;
        ours.sa_sigaction = on_death;
        ours.sa_flags = int(SA_SIGINFO | SA_ONSTACK | SA_NODEFER | SA_RESETHAND);
        sigemptyset(&ours.sa_mask);
        sigaction(signal, &ours, nullptr);
    }
}

}  // namespace

bool is_listening() {
    return looks_for(FindingKind::host) || looks_for(FindingKind::use) || looks_for(FindingKind::race);
}
bool is_dying() { return is_taken; }

void listen_for_signals() {
    if (!is_listening() || listener.exchange(getpid()) == getpid()) return;
    guarded([] {
        sem_init(&handed_over, 0, 0);
        try {
            std::thread(listen).detach();
        } catch (...) {
            listener = 0;  // a fault is reported in short
        }
        if (looks_for(FindingKind::use)) handle_deadly_signals();
    });
}

void report_device_address(uintptr_t address, const void* context) {
    if (is_taken.exchange(true)) return wait_until_reported(kPatienceMs);  // another thread was first
    fault.is_device_address = true;
    fault.address = address;
    fault.frame_count = fault_frames(context, fault.frames);
    if (listener != getpid()) return report_in_short();
    hand_over(kPatienceMs);
    if (fault.stage != Stage::reported) report_in_short();
}

void report_last_words() {
    if ((!has_late_refusals() && !any_page_touched()) || listener != getpid() || is_taken.exchange(true)) return;
    const int error = errno;
    hand_over(kPatienceForRefusalsMs);
    errno = error;
}

}  // namespace acltwin::check
