// Calls that the runtime refuses.
#pragma once

#include "runtime/check/state.h"

namespace acltwin::check {

void forget_refusals();           // a new call of this thread begins
void planned_call(State& state);  // this call is a first phase, and has succeeded
// At the end: the operators that were called and that the twin lacks.
void note_missing_operators(const State& state);
bool has_late_refusals();  // perhaps; for signal handlers
// Refused calls whose message nobody has asked for, and those of other threads than the first.
void report_late_refusals(State& state, const Lock& lock);

}  // namespace acltwin::check
