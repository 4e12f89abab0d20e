// What still lives when a context, the runtime or the process ends.
#pragma once

#include "runtime/check/state.h"

namespace acltwin::check {

void tell_ending_context(State& state, const void* context, int device, bool blocks, const Lock& lock);

// Everything that still lives and was not told of before, one finding for each call that made some of it.
void tell_leaks(State& state, const Lock& lock);
void tell_unread_results(State& state, const Lock& lock);

}  // namespace acltwin::check
