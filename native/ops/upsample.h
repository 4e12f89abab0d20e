// What upsamplings and their gradients share: (self, outputSize, scales, out), and (gradOut, outputSize, inputSize,
// scales, gradInput). A scale is the factor out / in of the forward pass. Axes are spatial ones, 0 is the first.
#pragma once

#include <algorithm>

#include "ops/checks.h"
#include "ops/nearest_table.h"
#include "ops/weight_table.h"

namespace acltwin::upsample {

// The sizes of the forward pass.
struct Sizes {
    explicit Sizes(const Call& call);
    bool stay() const { return std::equal(in, in + axes, out); }
    int axes;
    int64_t in[3] = {}, out[3] = {};
};

// Whether every scale is given: some operators of the device use all of them or none.
bool all_given(const Call& call);

// Nearest cells and weighted sums, by what the device does along an axis.
using NearestRule = SourceRule (*)(const Call& call, int axis, int64_t in, int64_t out);
using WeightRule = ResampleRule (*)(const Call& call, int axis, int64_t in, int64_t out);
std::unique_ptr<Plan> plan_nearest(const Call& call, NearestRule rule);
std::unique_ptr<Plan> plan_resampled(const Call& call, Filter filter, WeightRule rule);

}  // namespace acltwin::upsample
