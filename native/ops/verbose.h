// With ACLTWIN_VERBOSE=1 every call prints a line to standard error: what was called, which variant of the kernel ran,
// on how many threads, and how long it took.
#pragma once

#include "ops/operator.h"

namespace acltwin {

ACLTWIN_API bool verbose();

// "array upsample_nearest2d (1, 3, 4, 4) -> (1, 3, 8, 8) float32": the tensors of a call with its results.
ACLTWIN_API std::string described(Door door, const Operator& op, const Tensor* const tensors[]);

ACLTWIN_API Failure run_verbosely(const Plan& plan, void* const data[], void* scratch, const std::string& call);

}  // namespace acltwin
