// Two accesses to the same bytes that nothing orders.
#pragma once

#include "runtime/check/state.h"

namespace acltwin::check {

// A new access: reports what it races with, and remembers it if it is work on a stream.
void touch(State& state, Block& block, Access access, const Lock& lock);

// `later` uses bytes that `earlier` may still use; `role`: "read", "write" or "use".
void report_race(const State& state, const Block& block, const Access& earlier, const Access& later, const char* role,
                 const Lock& lock);

// These bytes of the block go: reports work that may still use them, and takes it to be over.
void end_bytes(State& state, Block& block, Interval bytes, const char* does, const Lock& lock);

// The bytes of this block are new, whatever was there before.
void forget_accesses(State& state, Block& block);

}  // namespace acltwin::check
