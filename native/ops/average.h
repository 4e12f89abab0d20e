// What averages and their gradients share.
#pragma once

#include "ops/weight_table.h"

namespace acltwin::average {

// A plan of sums over the tables' windows, divided by their divisors or, if it is not 0, by `divisor`; and of the
// gradients of that. The source is the first tensor.
std::unique_ptr<Plan> plan(const Call& call, WeightTable (*table)(const Call& call, int axis, int64_t in, int64_t out),
                           int64_t divisor = 0);

}  // namespace acltwin::average
