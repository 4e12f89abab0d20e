// Runs the plan of a checked call. No Python object is touched, so no lock is needed.
#pragma once

#include "ops/operator.h"

namespace acltwin {

// For results that have memory; the plan may be null. Throws std::bad_alloc.
Failure execute(const Plan* plan, const Operator& op, const Call& call);
// Plans the call first.
inline Failure execute(const Operator& op, const Call& call) { return execute(op.plan(call).get(), op, call); }

// A failure as the user reads it: the operator, the sentence, the rule.
std::string message_of(const Operator& op, const Failure& failure);
inline bool is_index_failure(const Failure& failure) { return failure.raises == Raises::index_error; }

}  // namespace acltwin
