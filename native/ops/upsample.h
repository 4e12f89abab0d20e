// What the upsamplings share: (self, outputSize, scales, out) with any spatial axes.
#pragma once

#include "ops/source_table.h"
#include "ops/texts.h"

namespace acltwin::upsample {

// How an operator of the device finds its cells along a spatial axis (0 is its first).
using DeviceRule = SourceRule (*)(const Call& call, int axis, int64_t in, int64_t out);

// Small images have kernels of their own, in PyTorch and on the device.
bool is_small_image(const Call& call);
// Whether the size stays along every axis.
bool keeps_size(const Call& call);

Tensor infer(const Call& call, int);
std::unique_ptr<Plan> plan(const Call& call, DeviceRule device_rule);

}  // namespace acltwin::upsample
