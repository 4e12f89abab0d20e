#include "runtime/check/races.h"

#include <algorithm>
#include <utility>

#include "runtime/check/pinned_guard.h"

namespace acltwin::check {
namespace {

constexpr size_t kMostAccesses = 512;  // of one block; older ones are forgotten, which may hide a race, never make one

// The host has synchronised with these accesses, so they can no longer race.
void forget_finished(State& state, Block& block) {
    auto& all = unfinished_of(state, block);
    const auto finished = [&](const Access& access) { return access.moment.before(state.timeline.host()); };
    all.erase(std::remove_if(all.begin(), all.end(), finished), all.end());
}

// An earlier access on the same stream that `later` stands for in every comparison.
bool stands_for(const Access& later, const Access& earlier) {
    return earlier.moment.stream == later.moment.stream && (later.writes || !earlier.writes) &&
           later.bytes.surely_covers(earlier.bytes);
}

void remember(std::vector<Access>& all, Access access) {
    const auto superseded = [&](const Access& earlier) { return stands_for(access, earlier); };
    all.erase(std::remove_if(all.begin(), all.end(), superseded), all.end());
    if (all.size() >= kMostAccesses) all.erase(all.begin());
    all.push_back(std::move(access));
}

// The last wait of the host since the access, if it was for another stream.
const Wait* wait_for_another(const State& state, const Access& access) {
    for (auto wait = state.waits.rbegin(); wait != state.waits.rend() && wait->sequence > access.sequence; ++wait)
        if (wait->stream != access.moment.stream) return &*wait;
    return nullptr;
}

Id id_of(const Access& earlier, const Access& later) {
    if (earlier.actor == Actor::workspace && later.actor == Actor::workspace) return Id::race_workspace_shared;
    const int copies = (earlier.actor == Actor::copy) + (later.actor == Actor::copy);
    if (later.by_host() || later.actor == Actor::host_function)
        return earlier.actor == Actor::copy ? Id::race_host_copies : Id::race_kernel_and_copy;
    return copies == 2 ? Id::race_copies : copies == 1 ? Id::race_kernel_and_copy : Id::race_kernels;
}

std::string fix_of(Id id, const Access& later) {
    if (id == Id::race_workspace_shared)
        return "give each launch a workspace of its own, or let the second stream wait for an event of the first";
    if (later.by_host()) return "call aclrtSynchronizeStream on the stream of the first call before the second";
    return "record an event behind the first call (aclrtRecordEvent) and let the second stream wait for it "
           "(aclrtStreamWaitEvent), or use one stream for both";
}

void report_free_in_use(const Block& block, const Access& access, const char* does, const Lock& lock) {
    Finding(Id::race_free_in_use, std::string(this_function()) + " " + does + " that " +
                                      function_of(access.call, lock) + " may still be " + access.doing() +
                                      ": nobody has waited for it")
        .about(subject_of(block))
        .calls({access.involved(), {"free", "", this_call(lock)}})
        .fix(std::string("call aclrtSynchronizeStream on that stream before ") + this_function())
        .report(lock);
}

}  // namespace

void report_race(const State& state, const Block& block, const Access& earlier, const Access& later, const char* role,
                 const Lock& lock) {
    Finding finding(id_of(earlier, later), function_of(later.call, lock) + " " + role + "s" +
                                               (block.begin == nullptr ? " host memory" : " bytes") + " that " +
                                               function_of(earlier.call, lock) + " may still be " + earlier.doing() +
                                               ": nothing orders the two calls");
    finding.about(subject_of(block)).calls({earlier.involved()}).fix(fix_of(finding.id, later));
    const Wait* wait = later.by_host() ? wait_for_another(state, earlier) : nullptr;
    if (wait != nullptr) {
        finding.id = Id::race_wrong_stream;
        finding.what += "; the host has waited for another stream";
        finding.calls({{"wait", " for another stream", wait->call}});
    }
    finding.calls({{role, later.detail, later.call}}).report(lock);
}

void touch(State& state, Block& block, Access access, const Lock& lock) {
    if (access.bytes.empty()) return;
    forget_finished(state, block);
    std::vector<Access>& unfinished = unfinished_of(state, block);
    access.bytes = access.bytes.moved(block.host_address.value_or(0));
    Timeline& timeline = state.timeline;
    for (const Access& earlier : unfinished) {
        const Clock& known = access.by_host() ? timeline.host() : timeline.of(access.moment.stream);
        if (earlier.moment.before(known) || !(earlier.writes || access.writes)) continue;
        if (!earlier.bytes.overlaps(access.bytes)) continue;
        report_race(state, block, earlier, access, access.involved().role.c_str(), lock);
        // What is missing is one wait: with it, what follows would be in order as well.
        if (access.by_host())
            host_learns(state, earlier.moment.after(), lock);
        else
            timeline.stream_learns(access.moment.stream, earlier.moment.after());
    }
    // What a host function tells when it is done, nobody sees: nothing is late for it.
    if (access.by_host() || access.actor == Actor::host_function) return;
    close_pages(state, block, access, lock);
    remember(unfinished, std::move(access));
}

void end_bytes(State& state, Block& block, Interval bytes, const char* does, const Lock& lock) {
    forget_finished(state, block);
    const uint64_t moved = block.host_address.value_or(0);
    const std::vector<Access>& all = unfinished_of(state, block);
    bool is_reported = false;
    for (auto access = all.rbegin(); access != all.rend(); ++access) {
        if (!access->bytes.touches({bytes.begin + moved, bytes.end + moved})) continue;
        if (!std::exchange(is_reported, true)) report_free_in_use(block, *access, does, lock);
        host_learns(state, access->moment.after(), lock);
    }
}

void forget_accesses(State& state, Block& block) {
    const uint64_t begin = block.host_address.value_or(0);
    auto& all = unfinished_of(state, block);
    const auto is_there = [&](const Access& access) { return access.bytes.touches({begin, begin + block.requested}); };
    all.erase(std::remove_if(all.begin(), all.end(), is_there), all.end());
}

}  // namespace acltwin::check
