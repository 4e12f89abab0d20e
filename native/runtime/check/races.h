// Two accesses to the same bytes that nothing orders.
#pragma once

#include "runtime/check/state.h"

namespace acltwin::check {

// A new access: reports what it races with, and remembers it if it is work on a stream.
void touch(State& state, Block& block, Access access, const Lock& lock);

// Work on the block that the host has not waited for; null when there is none.
const Access* unfinished_access(State& state, Block& block);

}  // namespace acltwin::check
