// A plan of weighted sums for given kernels: those of this machine's level, or, in a test, those of any other.
#pragma once

#include "kernels/plans.h"
#include "kernels/weighted_sum_task.h"

namespace acltwin {

struct WeightedSumKernel {
    int (*lanes)(DType dtype);
    void (*tasks)(const WeightedRows& rows, DType dtype, const void* source, void* result, int64_t first, int64_t last);
    void (*planes)(const WeightedPlanes& planes, DType dtype, const void* source, void* result, void* buffer,
                   int64_t first, int64_t last);
};

// Whether planes are summed side by side, as many as fill a vector.
bool planes_side_by_side(const WeightedSum& geometry, int64_t lanes);

std::unique_ptr<Plan> plan_weighted_sum(WeightedSum geometry, const WeightedSumKernel& kernel,
                                        const CacheSizes& caches);

}  // namespace acltwin
