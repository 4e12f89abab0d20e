// What averages and their gradients share.
#pragma once

#include "ops/texts.h"
#include "ops/weight_table.h"

namespace acltwin::average {

// A plan of averages: the sums of the tables' windows, divided by their divisors or, if it is not 0, by `divisor`.
std::unique_ptr<Plan> plan_forward(const Call& call, const Tensor& source, const Tensor& result,
                                   WeightTable (*table)(const Call& call, int axis, int64_t in, int64_t out),
                                   int64_t divisor = 0);
// And of the gradients, from that of the averages to that of the source.
std::unique_ptr<Plan> plan_gradient(const Call& call, const Tensor& source, const Tensor& result,
                                    WeightTable (*table)(const Call& call, int axis, int64_t in, int64_t out),
                                    int64_t divisor = 0);

}  // namespace acltwin::average
