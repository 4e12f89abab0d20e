// Captured work: what it does happens when it is executed, in the order of the stream that it is queued on.
#include "runtime/check/hooks.h"
#include "runtime/check/state.h"
#include "runtime/stream.h"

namespace acltwin::check {

uint32_t captured_call(const Lock& lock) noexcept {
    uint32_t call = 0;
    guarded([&] { call = this_call(lock); });
    return call;
}

AsRecorded::AsRecorded(uint32_t call, const Lock& lock) noexcept : lock_(lock), before_(exchange_call(call)) {
    state(lock_).is_recorded = true;
}

AsRecorded::~AsRecorded() {
    state(lock_).is_recorded = false;
    exchange_call(before_);
}

void stands_in(const Stream& stand_in, const void* handle, const Lock& lock) noexcept {
    guarded([&] { stream_state(state(lock), stand_in).handle = handle; });
}

void executed(const void* capture, const Stream& on, const Lock& lock) noexcept {
    guarded([&] {
        State& all = state(lock);
        all.executions[capture] = all.timeline.end_of(stream_state(all, on).number);
    });
}

void ending_capture(const void* capture, const Lock& lock) noexcept {
    guarded([&] {
        State& all = state(lock);
        const auto last = all.executions.find(capture);
        if (last == all.executions.end() || last->second.before(all.timeline.host())) return;
        Finding(Id::race_destroy_in_use, "captured work is destroyed while it may still run: nobody has waited for it")
            .about(subject_of(all, "capture", capture))
            .calls({{"destroy", "", this_call(lock)}})
            .fix("call aclrtSynchronizeStream on the stream that it runs on before aclmdlRIDestroy")
            .report(lock);
        host_learns(all, last->second, lock);
    });
}

}  // namespace acltwin::check
