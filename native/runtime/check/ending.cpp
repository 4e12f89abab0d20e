#include "runtime/check/ending.h"

#include <algorithm>
#include <cstring>
#include <utility>

#include "runtime/check/settings.h"
#include "runtime/memory.h"

namespace acltwin::check {
namespace {

struct Sort {
    Id id;
    std::string label, noun;
    const char* fix;
};

// Things of one sort that one call has made.
struct Group {
    Id id = Id::none;
    std::string label, noun;
    const char* fix = "";
    CallId made_by = 0;
    uint64_t sequence = 0;  // of the first
    uint64_t count = 0, bytes = 0;
};

class Groups {
public:
    void add(const Sort& sort, CallId made_by, uint64_t sequence, uint64_t bytes) {
        for (Group& group : all_) {
            if (group.id != sort.id || group.made_by != made_by || group.noun != sort.noun) continue;
            group.sequence = std::min(group.sequence, sequence);
            group.bytes += bytes;
            ++group.count;
            return;
        }
        all_.push_back({sort.id, sort.label, sort.noun, sort.fix, made_by, sequence, 1, bytes});
    }

    const std::vector<Group>& in_order() {
        std::sort(all_.begin(), all_.end(), [](const Group& a, const Group& b) { return a.sequence < b.sequence; });
        return all_;
    }

private:
    std::vector<Group> all_;
};

std::string described(const Group& group) {
    std::string text = std::to_string(group.count) + " " + group.noun + (group.count == 1 ? "" : "s");
    if (group.bytes > 0) text += ", " + in_bytes(group.bytes);
    return text;
}

Sort sort_of(const Object& object) {
    switch (object.kind) {
        case acltwin::Kind::context:
            return {Id::leak_context, "context", "context",
                    "call aclrtDestroyContext for each aclrtCreateContext, aclrtResetDevice for each aclrtSetDevice"};
        case acltwin::Kind::stream: return {Id::leak_stream, "stream", "stream", "call aclrtDestroyStream"};
        case acltwin::Kind::event: return {Id::leak_event, "event", "event", "call aclrtDestroyEvent"};
        case acltwin::Kind::tensor: return {Id::leak_tensor, "tensor", "aclTensor", "call aclDestroyTensor"};
        case acltwin::Kind::tensor_list:
            return {Id::leak_tensor, "tensor", "aclTensorList", "call aclDestroyTensorList"};
        case acltwin::Kind::scalar: return {Id::leak_array, "array", "aclScalar", "call aclDestroyScalar"};
        case acltwin::Kind::scalar_list: return {Id::leak_array, "array", "aclScalarList", "call aclDestroyScalarList"};
        case acltwin::Kind::int_array: return {Id::leak_array, "array", "aclIntArray", "call aclDestroyIntArray"};
        case acltwin::Kind::float_array: return {Id::leak_array, "array", "aclFloatArray", "call aclDestroyFloatArray"};
        case acltwin::Kind::bool_array: return {Id::leak_array, "array", "aclBoolArray", "call aclDestroyBoolArray"};
        case acltwin::Kind::executor:
            if (object.ran)
                return {Id::leak_executor, "executor", "aclOpExecutor",
                        "call aclDestroyAclOpExecutor after its last run"};
            return {Id::leak_executor_never_run, "executor", "aclOpExecutor",
                    "call the second phase, or leave out the first"};
        case acltwin::Kind::capture: return {Id::leak_capture, "capture", "aclmdlRI", "call aclmdlRIDestroy"};
        case acltwin::Kind::physical_memory:
            return {Id::leak_block, "memory", "aclrtDrvMemHandle", "call aclrtFreePhysical"};
    }
    return {Id::none, "", "", ""};
}

Sort sort_of(const Block& block) {
    if (block.is_reserved) return {Id::leak_block, "reservation", "reservation", "call aclrtReleaseMemAddress"};
    if (block.device == kHost) return {Id::leak_block, "block", "block", "call aclrtFreeHost"};
    return {Id::leak_block, "block", "block", "call aclrtFree"};
}

Finding leak_of(const Group& group) {
    return Finding(group.id, described(group) + (group.count == 1 ? " still lives" : " still live") +
                                 (group.id == Id::leak_executor_never_run ? " and never ran" : "") + " at the end")
        .about({group.label, described(group), group.made_by, group.bytes, group.count})
        .fix(group.fix);
}

void report_unfinished(State& state, const void* context, bool is_reset, const Lock& lock) {
    std::map<int, StreamState> in_order;
    for (const auto& [stream, known] : state.streams)
        if (known.owner == context && known.number >= 0) in_order[known.number] = known;
    for (const auto& [number, known] : in_order) {
        if (!state.timeline.has_unfinished(number)) continue;
        Finding(is_reset ? Id::race_reset_in_use : Id::race_destroy_in_use,
                std::string(this_function()) + " while " + check::described(known) +
                    " may still have work: nobody has waited for it")
            .about(subject_of(state, "stream", known.handle))
            .calls({{is_reset ? "reset" : "destroy", "", this_call(lock)}})
            .fix(std::string("call aclrtSynchronizeDevice before ") + this_function())
            .report(lock);
        host_learns(state, state.timeline.end_of(number), lock);
    }
}

}  // namespace

void report_ending_context(State& state, const void* context, int device, bool blocks, const Lock& lock) {
    const bool is_reset = std::strcmp(this_function(), "aclrtResetDevice") == 0;
    report_unfinished(state, context, is_reset, lock);
    Groups groups;
    for (const auto& [handle, object] : state.objects)
        if (object.owner == context) groups.add(sort_of(object), object.made_by, object.sequence, 0);
    if (blocks)
        for (const auto& [begin, block] : state.blocks)
            if (block.device == device) groups.add(sort_of(block), block.made_by, block.sequence, block.requested);
    if (groups.in_order().empty()) return;
    Finding finding(Id::use_reset_with_live_objects,
                    std::string(this_function()) + " ends things that the program has not ended");
    finding.calls({{is_reset ? "reset" : "destroy", "", this_call(lock)}});
    for (const Group& group : groups.in_order())  // "3 blocks, 4096 bytes, made"
        finding.calls({{"alive", ": " + described(group) + ", made", group.made_by}});
    finding.fix(std::string("free the blocks and destroy the streams and events before ") + this_function())
        .report(lock);
}

void note_leaks(State& state, const Lock& lock) {
    Groups groups;
    for (auto& [begin, block] : state.blocks) {
        if (std::exchange(block.reported, true)) continue;
        groups.add(sort_of(block), shown_alike(block.made_by, lock), block.sequence, block.requested);
    }
    for (auto& [handle, object] : state.objects) {
        if (std::exchange(object.reported, true)) continue;
        groups.add(sort_of(object), shown_alike(object.made_by, lock), object.sequence, 0);
    }
    for (const Group& group : groups.in_order()) state.leaks.push_back(leak_of(group));
}

void report_leaks(State& state, int exit_status, const Lock& lock) {
    std::map<std::string, uint64_t> counts;
    for (const Finding& leak : state.leaks) {
        if (exit_status == 0) leak.report(lock);
        counts[leak.subject.kind] += leak.subject.count;
    }
    state.leaks.clear();
    if (exit_status == 0 || counts.empty() || !looks_for(FindingKind::leak)) return;
    std::string all;
    for (const auto& [kind, count] : counts)
        all += (all.empty() ? "" : ", ") + std::to_string(count) + " " + kind + (count == 1 ? "" : "s");
    remark("the program failed (status " + std::to_string(exit_status) + ") and left " + all);
}

void report_unread_results(State& state, const Lock& lock) {
    if (state.any_refused) return;  // the program may have given up
    for (auto& [launch, read] : state.results) {
        if (std::exchange(read, true)) continue;
        Finding(Id::use_result_never_read,
                "no result of " + function_of(launch, lock) + " was read by a copy or another launch")
            .calls({{"launch", ", launched", launch}})
            .fix("copy the result to the host (aclrtMemcpy) or use it, or leave out the launch")
            .report(lock);
    }
}

}  // namespace acltwin::check
