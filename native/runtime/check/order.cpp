// Waits, events and the ends of streams: what orders the work that is queued.
#include <atomic>
#include <chrono>
#include <cstring>
#include <thread>
#include <utility>

#include "runtime/check/accesses.h"
#include "runtime/check/history.h"
#include "runtime/check/hooks.h"
#include "runtime/check/pinned_guard.h"
#include "runtime/stream.h"

namespace acltwin::check {

struct Waiting {
    Clock clock;
    int stream = -1;
    CallId call = 0;
    bool is_late = false;  // a host function that waits until its launcher has gone on
};

namespace {

constexpr size_t kMostWaits = 64;  // that are remembered
constexpr std::chrono::milliseconds kLateness(20);
constexpr const char* kWaits = "aclrtSynchronize";

// Waiting for an unrecorded event has no effect.
bool check_recorded(State& state, const void* event, const char* who, const Lock& lock) {
    if (state.events.count(event) > 0) return true;
    Finding(Id::race_event_not_recorded,
            std::string(who) + " waits for an event that was not recorded, so it waits for nothing")
        .about(subject_of(state, "event", event))
        .calls({{"wait", "", this_call(lock)}})
        .fix("call aclrtRecordEvent behind the work to wait for, before the wait")
        .report(lock);
    return false;
}

// A kernel has failed, and what was queued behind it was dropped: at least the last launch has no results.
void mark_failed(State& state, const Waiting& waiting, int status) {
    for (const auto& [stream, known] : state.streams) {
        if (known.number != waiting.stream || known.last.call == 0 || !known.last.moment.before(waiting.clock))
            continue;
        for (const char* begin : known.last.results) {
            const auto block = state.blocks.find(begin);
            if (block != state.blocks.end()) block->second.failed = {known.last.call, waiting.call, status};
        }
    }
}

// What has not run by now may never run: its results are unwritten.
void drop_work(State& state, int stream, CallId by) {
    for (auto& [begin, block] : state.blocks) {
        for (const Access& access : block.unfinished) {
            if (access.moment.stream != stream || access.moment.before(state.timeline.host())) continue;
            if (access.writes && access.actor != Actor::workspace) lose(block, access, Fate::dropped, {"drop", "", by});
            const auto result = state.results.find(access.call);
            if (result != state.results.end()) result->second = true;  // nobody is to read it
        }
    }
}

template <class Make>
Waiting* make_waiting(const Make& make) noexcept {
    Waiting* waiting = nullptr;
    guarded([&] { waiting = make(); });
    return waiting;
}

}  // namespace

Waiting* waiting_for(const Stream& stream, const Lock& lock) noexcept {
    return make_waiting([&] {
        State& all = state(lock);
        const int number = stream_state(all, stream).number;
        return new Waiting{all.timeline.end_of(number), number, this_call(lock)};
    });
}

Waiting* waiting_for_event(const void* event, const Lock& lock) noexcept {
    return make_waiting([&]() -> Waiting* {
        State& all = state(lock);
        if (!check_recorded(all, event, this_function(), lock)) return nullptr;
        const Recorded& recorded = all.events[event];
        return new Waiting{recorded.clock, recorded.stream, this_call(lock)};
    });
}

void waited(Waiting* waiting, bool done, const Failure& failure, const Lock& lock) noexcept {
    guarded([&] {
        State& all = state(lock);
        if (failure)  // of the work: its results are worth nothing, and nobody is to read them
            for (auto& [launch, read] : all.results) read = true;
        if (waiting == nullptr || !done) return;
        report_touched_pages(all, lock);  // that came before the end of this wait
        host_learns(all, waiting->clock, lock);
        if (failure.raises == Raises::index_error) mark_failed(all, *waiting, failure.code);
        all.waits.push_back({waiting->stream, ++all.sequence, waiting->call});
        if (all.waits.size() > kMostWaits) all.waits.pop_front();
    });
    delete waiting;
}

// From when it begins, not before: what it tells other threads (a flag, a condition) nobody sees here.
std::shared_ptr<const Waiting> queued_callback(const Stream& stream, const void* argument, const Lock& lock) noexcept {
    std::shared_ptr<const Waiting> known;
    guarded([&] {
        State& all = state(lock);
        const int number = stream_state(all, stream).number;
        const bool is_first = all.host_functions.insert(this_call(lock)).second;
        known =
            std::make_shared<const Waiting>(Waiting{all.timeline.end_of(number), number, this_call(lock), is_first});
        give_to_host_function(all, stream, argument, lock);
    });
    return known;
}

void callback_begins(const Waiting* known) noexcept {
    if (known == nullptr) return;
    // The next call of who launched it comes first, unless that waits: once for each place.
    if (known->is_late) std::this_thread::sleep_for(kLateness);
    guarded([&] {
        const Lock lock = lock_runtime();
        host_learns(state(lock), known->clock, lock);
    });
}

void wait_late(const char* function) noexcept {
    static std::atomic<std::thread::id> first;
    static std::atomic<bool> are_several{false};
    std::thread::id nobody;
    if (!first.compare_exchange_strong(nobody, std::this_thread::get_id()) && nobody != std::this_thread::get_id())
        are_several = true;
    if (!are_several || std::strncmp(function, kWaits, std::strlen(kWaits)) != 0) return;
    bool is_first = false;
    guarded([&] {
        const Lock lock = lock_runtime();
        is_first = state(lock).late_waits.insert(this_call(lock)).second;
    });
    if (is_first) std::this_thread::sleep_for(kLateness);
}

bool may_be_done(const Stream& stream, const Lock& lock) noexcept {
    bool may = true;
    guarded([&] {
        State& all = state(lock);
        StreamState& asked = stream_state(all, stream);
        const uint64_t queued = all.timeline.queued(asked.number);
        may = !all.timeline.has_unfinished(asked.number) || std::exchange(asked.asked, queued) == queued;
    });
    return may;
}

bool may_be_reached(const void* event, const Lock& lock) noexcept {
    bool may = true;
    guarded([&] {
        State& all = state(lock);
        const auto found = all.events.find(event);
        if (found == all.events.end()) return;
        Recorded& recorded = found->second;
        const bool is_known = recorded.clock.of(recorded.stream) <= all.timeline.host().of(recorded.stream);
        may = std::exchange(recorded.asked, true) || is_known;
    });
    return may;
}

void closing_stream(const Stream& stream, bool drops_work, const Lock& lock) noexcept {
    guarded([&] {
        State& all = state(lock);
        const StreamState& closing = stream_state(all, stream);
        if (!all.timeline.has_unfinished(closing.number)) return;
        if (drops_work) return drop_work(all, closing.number, this_call(lock));
        Finding(Id::race_destroy_in_use,
                described(closing) + " is destroyed while it may still have work: nobody has waited for it")
            .about(subject_of(all, "stream", closing.handle))
            .calls({{"destroy", "", this_call(lock)}})
            .fix("call aclrtSynchronizeStream before aclrtDestroyStream")
            .report(lock);
    });
}

void closed_stream(const Stream& stream, const Lock& lock) noexcept {
    guarded([&] {
        State& all = state(lock);
        const auto found = all.streams.find(&stream);
        if (found == all.streams.end()) return;
        const int number = found->second.number;
        all.streams.erase(found);
        if (number < 0) return;
        all.timeline.remove_stream(number);
        open_pages(all, lock);
    });
}

void recorded_event(const void* event, const Stream& stream, const Lock& lock) noexcept {
    guarded([&] {
        State& all = state(lock);
        const int number = stream_state(all, stream).number;
        all.events[event] = {all.timeline.end_of(number), number};
    });
}

void reset_event(const void* event, const Lock& lock) noexcept {
    guarded([&] { state(lock).events.erase(event); });
}

void let_stream_wait(const Stream& stream, const void* event, const Lock& lock) noexcept {
    guarded([&] {
        State& all = state(lock);
        if (!check_recorded(all, event, "the stream", lock)) return;
        all.timeline.stream_learns(stream_state(all, stream).number, all.events[event].clock);
    });
}

}  // namespace acltwin::check
