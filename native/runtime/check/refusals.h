// Calls that the runtime refuses.
#pragma once

#include "runtime/check/state.h"

namespace acltwin::check {

void forget_refusals();           // a new call of this thread begins
void planned_call(State& state);  // this call is a first phase, and has succeeded

}  // namespace acltwin::check
