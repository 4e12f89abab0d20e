// What linear and cubic resampling and their gradients share: weighted sums by tables along each axis.
#pragma once

#include "ops/texts.h"
#include "ops/weight_table.h"

namespace acltwin::resample {

// How the device finds the weights along a spatial axis (0 is the first).
using DeviceRule = ResampleRule (*)(const Call& call, int axis, int64_t in, int64_t out);

std::unique_ptr<Plan> plan(const Call& call, Filter filter, DeviceRule device_rule);

}  // namespace acltwin::resample
