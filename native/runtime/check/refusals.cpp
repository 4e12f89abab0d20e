// Calls that the runtime refuses: what a mistake like that is called, and which calls led to it.
#include "runtime/check/refusals.h"

#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cstring>
#include <iterator>
#include <utility>

#include "runtime/check/hooks.h"
#include "runtime/memory.h"

namespace acltwin::check {
namespace {

// Of the call that this thread is in.
struct Refusal {
    Id id = Id::none;
    const void* about = nullptr;
};
thread_local Refusal pending;
std::atomic<bool> any_late{false};

bool is_first_thread() { return syscall(SYS_gettid) == getpid(); }

constexpr const char* kFirstPhase = "GetWorkspaceSize";

// What the status of a call that works well may also say; for some of them it depends on who was faster.
bool is_answer(const char* function, int code) {
    // A thread for reports may begin its loop before it is subscribed, and ends it after that.
    if (code == ACL_ERROR_RT_THREAD_SUBSCRIBE) return std::strcmp(function, "aclrtProcessReport") == 0;
    static constexpr int kAnswers[] = {
        ACL_ERROR_REPEAT_INITIALIZE, ACL_ERROR_RT_STREAM_SYNC_TIMEOUT, ACL_ERROR_RT_EVENT_SYNC_TIMEOUT,
        ACL_ERROR_RT_REPORT_TIMEOUT, ACL_ERROR_RT_EVENT_NOT_COMPLETE,  ACL_ERROR_RT_SYSPARAMOPT_NOT_SET,
    };
    return std::find(std::begin(kAnswers), std::end(kAnswers), code) != std::end(kAnswers);
}

void report_late(State& state, Finding refusal, const Lock& lock) {
    if (refusal.id == Id::none) return;
    Again& again = state.late_refusals[{refusal.id, shown_alike(refusal.involved.back().call, lock)}];
    if (again.count++ == 0 || refusal.what < again.finding.what) again.finding = std::move(refusal);
}

// The second phase's name if this is a first phase, else empty.
std::string second_phase_of(const std::string& function) {
    const size_t length = std::strlen(kFirstPhase);
    if (function.size() <= length || function.compare(function.size() - length, length, kFirstPhase) != 0) return {};
    return function.substr(0, function.size() - length);
}

// The operator of either phase.
std::string operator_of(const std::string& function) {
    const std::string second = second_phase_of(function);
    return second.empty() ? function : second;
}

// Messages end with how to fix it, behind the last semicolon.
void split(const std::string& text, Finding* finding) {
    const size_t semicolon = text.find_last_of(';');
    if (semicolon == std::string::npos) {
        finding->what += text;
        finding->fix("correct the call; aclGetRecentErrMsg tells more");
        return;
    }
    finding->what += text.substr(0, semicolon);
    finding->remedy = text.substr(semicolon + 1);
    finding->remedy.erase(0, finding->remedy.find_first_not_of(' '));
    const size_t status = finding->remedy.find(" (runtime status ");  // a code helps nobody to fix it
    if (status != std::string::npos) finding->remedy.resize(status);
}

void add_gone(const State& state, const void* handle, Finding* finding) {
    const auto gone = state.gone.find(handle);
    if (gone == state.gone.end()) return;
    finding->subject = {"handle", hexadecimal(handle), gone->second.made_by, 0, 1};
    finding->calls({{"end", "", gone->second.ended_by}});
}

// The address lies in a block that has been freed.
bool add_gone_block(const State& state, const void* address, Finding* finding) {
    const auto* gone = gone_block_at(state, address);
    if (gone == nullptr) return false;
    finding->subject = subject_of(gone->first, gone->second);
    finding->calls({{"free", "", gone->second.freed_by}});
    return true;
}

void add_block(State& state, const void* address, Finding* finding) {
    const Block* block = block_at(state, address);
    if (block != nullptr) finding->subject = subject_of(*block);
}

// An executor that is no longer one: its first phase has failed, it has run, or it was destroyed.
void explain_executor(const State& state, const void* executor, Finding* finding, const Lock& lock) {
    const auto failed = state.failed_phases.find(this_function());
    const auto gone = state.gone.find(executor);
    if (failed != state.failed_phases.end()) {
        finding->id = Id::use_phase1_failed;
        finding->what = std::string(this_function()) + " is called although its first phase failed with status " +
                        std::to_string(failed->second.status) + ", and so gave no executor";
        finding->calls({{"failed", "", failed->second.call}});
        finding->fix("look at the status of the first phase, and call the second only if it is 0");
    } else if (gone == state.gone.end()) {
        finding->id = Id::none;  // it never was one: the status tells
    } else {
        add_gone(state, executor, finding);
        const bool ran = function_of(gone->second.ended_by, lock) != "aclDestroyAclOpExecutor";
        if (!ran) finding->id = Id::use_stale_handle;
        if (ran) finding->involved.back().role = "first";
    }
}

// An address that was refused: in a block that was freed, in the middle of a living one, or nobody's.
void explain_address(State& state, const void* address, Finding* finding) {
    const Block* block = block_at(state, address);
    const bool lives = block != nullptr && static_cast<const char*>(address) < block->begin + block->requested;
    if (lives && block->device != kHost)
        finding->id = Id::none;
    else if (lives)
        finding->subject = subject_of(*block);
    else if (add_gone_block(state, address, finding))
        finding->id = Id::use_stale_handle;
}

void explain(State& state, Finding* finding, const void* about, const Lock& lock) {
    switch (finding->id) {
        case Id::use_executor_twice: return explain_executor(state, about, finding, lock);
        case Id::use_stale_handle:
        case Id::use_tensor_destroyed_between_phases: return add_gone(state, about, finding);
        case Id::host_host_pointer_given: return explain_address(state, about, finding);
        case Id::bounds_tensor_beyond_block:
        case Id::bounds_copy_beyond_block:
        case Id::bounds_workspace_too_small:
        case Id::use_wrong_kind:
            if (about != nullptr) add_block(state, about, finding);
            return;
        case Id::use_wrong_device:
            finding->subject = subject_of(state, "stream", about);
            return finding->subject.kind.empty() ? add_block(state, about, finding) : void();
        default: return;
    }
}

}  // namespace

void will_refuse(Id id, const void* about) noexcept { pending = {id, about}; }

void forget_refusals() { pending = Refusal{}; }

void planned_call(State& state) { state.failed_phases.erase(second_phase_of(this_function())); }

void refused(const char* function, const Failure& failure) noexcept {
    guarded([&] {
        const Refusal refusal = std::exchange(pending, Refusal{});
        const Lock lock = lock_runtime();
        State& all = state(lock);
        if (is_answer(function, failure.code)) return;
        // Whether the work, or the free, was faster differs from run to run; what came too early has been reported.
        if (std::strcmp(failure.rule, "freed_while_queued") == 0) return;
        if (std::strcmp(failure.rule, "still_running") == 0) return;
        all.any_refused = true;
        const std::string second = second_phase_of(function);
        if (!second.empty()) all.failed_phases[second] = {this_call(lock), failure.code};
        if (failure.code == ACL_ERROR_BAD_ALLOC) return;  // a shortage, and no mistake
        const std::string what = std::string(function) + ": ",
                          status = " (status " + std::to_string(failure.code) + ")";
        Finding finding(refusal.id, what);
        if (finding.id == Id::bounds_tensor_beyond_block && std::strncmp(function, "aclrt", 5) == 0)
            finding.id = Id::bounds_copy_beyond_block;
        split(failure.text, &finding);
        explain(all, &finding, refusal.about, lock);
        const bool told_otherwise = finding.id != Id::none;
        if (!told_otherwise) {
            finding = Finding(Id::use_refused_call, what);
            split(failure.text, &finding);
            finding.what += status;
        }
        finding.calls({{"call", "", this_call(lock)}});
        Finding& unread = all.unread_refusals[std::this_thread::get_id()];
        report_late(all, std::move(unread), lock);  // its message is lost now
        const bool is_missing = finding.id == Id::use_missing_operator;
        const bool is_known = is_missing && all.missing_operators[operator_of(function)]++ > 0;
        unread = told_otherwise ? Finding() : finding;
        any_late = any_late || !told_otherwise || !is_first_thread();
        if (!told_otherwise || is_known) return;
        if (is_first_thread())
            finding.report(lock);
        else
            report_late(all, std::move(finding), lock);  // threads make their calls in another order each time
    });
}

bool has_late_refusals() { return any_late; }

void note_missing_operators(const State& state) {
    if (state.missing_operators.empty()) return;
    std::string all;
    for (const auto& [name, calls] : state.missing_operators)
        all += (all.empty() ? "" : ", ") + name + " (" + std::to_string(calls) + (calls == 1 ? " call)" : " calls)");
    remark("not in the twin: " + all);
}

void message_read() noexcept {
    guarded([] {
        const Lock lock = lock_runtime();
        state(lock).unread_refusals.erase(std::this_thread::get_id());
    });
}

void report_late_refusals(State& state, const Lock& lock) {
    for (auto& [thread, finding] : state.unread_refusals) report_late(state, std::move(finding), lock);
    state.unread_refusals.clear();
    std::map<std::string, const Again*> in_order;
    for (const auto& [key, again] : state.late_refusals)
        in_order[described_site(site_of(key.second, lock)) + name_of(key.first) + std::to_string(key.second)] = &again;
    for (const auto& [place, again] : in_order) again->finding.report(lock, again->count);
    state.late_refusals.clear();
}

}  // namespace acltwin::check
