// Planning and running a checked call. No Python object is touched, so no lock is needed.
#pragma once

#include "ops/operator.h"

namespace acltwin {

// For a call that passed its check, with results that have memory; plans may be null. Throw std::bad_alloc.
std::unique_ptr<Plan> plan_call(const Operator& op, const Call& call);
Failure run_plan(const Plan* plan, const Operator& op, const Call& call);
Failure run_call(const Operator& op, const Call& call);

// A failure as the user reads it: the operator, the sentence, the rule.
std::string message_of(const Operator& op, const Failure& failure);
bool is_index_failure(const Failure& failure);

}  // namespace acltwin
