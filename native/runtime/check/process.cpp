// The beginning and the end: aclInit, aclFinalize, forks, and the summary when the process ends.
#include <atomic>
#include <cstdlib>
#include <utility>

#include "runtime/check/ending.h"
#include "runtime/check/hooks.h"
#include "runtime/check/host_guard.h"
#include "runtime/check/last_words.h"
#include "runtime/check/pinned_guard.h"
#include "runtime/check/refusals.h"

namespace acltwin::check {
namespace {

std::atomic<bool> is_initialised{false}, init_reported{false}, was_initialised{false};
int exit_status = 0;                   // known when the process ends, where the system tells it
thread_local CallId gone_address = 0;  // that the thread's next call uses: the call that gave it
std::atomic<bool> was_used{false};     // since the start of the process, or of the fork

bool needs_init(const char* function) {
    const std::string name = function;
    return name.compare(0, 5, "aclrt") == 0 || (name.compare(0, 5, "aclnn") == 0 && name != "aclnnInit");
}

void report_missing_init() {
    const Lock lock = lock_runtime();
    Finding(Id::use_no_init, std::string(this_function()) +
                                 (was_initialised ? " is called after aclFinalize" : " is called before aclInit"))
        .calls({{"call", "", this_call(lock)}})
        .fix(was_initialised ? "call aclFinalize last" : "call aclInit(nullptr) first")
        .report(lock);
}

void report_gone_address() {
    const Lock lock = lock_runtime();
    Finding(Id::use_stale_handle,
            std::string(this_function()) + " is given the address of an object that is gone: only its address was kept")
        .calls({{"address", "", std::exchange(gone_address, 0)}, {"call", "", this_call(lock)}})
        .fix("keep the array or bytes in a variable until the copy is over")
        .report(lock);
}

// At the first call of the process, and of each child that it forks.
void begin_use() {
    listen_for_signals();
    guarded(begin_log);
#if defined(__GLIBC__)
    static const int registered = on_exit([](int status, void*) { exit_status = status; }, nullptr);
    static_cast<void>(registered);
#endif
}

void note_unknown_words() {
    if (settings().unknown.empty()) return;
    std::string known;
    for (int kind = 0; kind < kFindingKinds; ++kind)
        known += std::string(kind > 0 ? ", " : "") + name_of(FindingKind(kind));
    note("ACLTWIN_CHECK has '" + settings().unknown + "', expected all or some of " + known + "; correct it");
}

__attribute__((constructor)) void begin() { guarded(note_unknown_words); }

// Runs after the program's own handlers and the destructors of its objects, which may still free things.
__attribute__((destructor)) void end() {
    if (!on || !was_used) return;
    const Lock lock = try_lock_runtime();  // or a thread that ended in the middle of a call would keep us for ever
    if (!lock.owns_lock()) return;
    guarded([&] {
        enter_function("exit");
        report_touched_pages(state(lock), lock);
        report_late_refusals(state(lock), lock);
        note_leaks(state(lock), lock);
        report_leaks(state(lock), exit_status, lock);
        if (exit_status == 0) report_unread_results(state(lock), lock);
        note_missing_operators(state(lock));
        report_summary(lock);
    });
}

}  // namespace

void entered(const char* function) noexcept {
    enter_function(function);
    forget_refusals();
    if (!was_used.exchange(true)) begin_use();
    stay_in_front();
    if (any_page_touched())
        guarded([] {
            const Lock lock = lock_runtime();
            report_touched_pages(state(lock), lock);
        });
    if (gone_address != 0) guarded(report_gone_address);
    wait_late(function);
    if (is_initialised || !looks_for(FindingKind::use)) return;
    guarded([&] {
        if (needs_init(function) && !init_reported.exchange(true)) report_missing_init();
    });
}

void initialised() noexcept { was_initialised = is_initialised = true; }

void finalised(const Lock& lock) noexcept {
    is_initialised = init_reported = false;
    guarded([&] {
        note_leaks(state(lock), lock);
        // Unless the program may be giving up; its exit status tells.
        if (!state(lock).any_refused) report_leaks(state(lock), 0, lock);
        report_unread_results(state(lock), lock);
    });
}

void forked(const Lock& lock) noexcept {
    was_used = false;
    guarded([&] {
        State& all = state(lock);
        for (auto& [handle, object] : all.objects) object.reported = true;  // the parent's to free
        for (auto& [begin, block] : all.blocks) {
            block.reported = true;
            block.unfinished.clear();
        }
        all.host_memory.unfinished.clear();
        all.leaks.clear();
        all.late_refusals.clear();
        all.unread_refusals.clear();
        for (auto& [launch, read] : all.results) read = true;
        for (const auto& [stream, known] : all.streams)
            if (known.number >= 0) all.timeline.host_learns(all.timeline.end_of(known.number));
        open_all_pages(lock);
        forget_findings(lock);
    });
}

}  // namespace acltwin::check

// For acltwin.acl: its calls come from Python's frames, which no unwinder sees. `function` lives as long as the
// process.
extern "C" {
ACLTWIN_API int acltwin_check_is_on(void) { return acltwin::check::on ? 1 : 0; }
ACLTWIN_API void acltwin_check_note_frames(const char* frames) { acltwin::check::note_interpreter_frames(frames); }
ACLTWIN_API uint32_t acltwin_check_note_address(const char* function, const char* frames) {
    uint32_t call = 0;
    acltwin::check::guarded([&] {
        acltwin::check::note_interpreter_frames(frames);
        acltwin::check::enter_function(function);
        call = acltwin::check::this_call(acltwin::lock_runtime());
    });
    return call;
}
ACLTWIN_API void acltwin_check_note_gone(uint32_t given_by) { acltwin::check::gone_address = given_by; }
}
