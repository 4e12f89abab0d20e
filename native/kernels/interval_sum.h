// A plan of interval sums for given kernels: those of this machine's level, or, in a test, those of any other.
#pragma once

#include "kernels/interval_sum_task.h"
#include "kernels/plans.h"

namespace acltwin {

struct IntervalSumKernel {
    int (*lanes)(DType dtype);
    void (*tasks)(const IntervalRows& rows, DType dtype, const void* source, void* result, int64_t first, int64_t last);
};

std::unique_ptr<Plan> plan_interval_sum(IntervalSum geometry, const IntervalSumKernel& kernel,
                                        const CacheSizes& caches);

}  // namespace acltwin
