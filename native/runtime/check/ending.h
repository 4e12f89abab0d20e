// What still lives when a context, the runtime or the process ends.
#pragma once

#include "runtime/check/state.h"

namespace acltwin::check {

void report_ending_context(State& state, const void* context, int device, bool blocks, const Lock& lock);

// Everything that still lives and was not noted before, one finding for each call that made some of it.
void note_leaks(State& state, const Lock& lock);
// What was noted; of a program that has failed in one line, because it may have had no chance to give things back.
void report_leaks(State& state, int exit_status, const Lock& lock);
void report_unread_results(State& state, const Lock& lock);

}  // namespace acltwin::check
