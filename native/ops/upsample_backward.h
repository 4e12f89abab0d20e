// What the upsamplings' gradients share: (gradOut, outputSize, inputSize, scales, gradInput) with two or three spatial
// axes.
#pragma once

#include "ops/texts.h"

namespace acltwin::upsample_backward {

Tensor infer(const Call& call, int);

// The factor of the forward pass along a spatial axis (0 is its first), as an operator of the device finds it.
using DeviceFactor = float (*)(const Call& call, int axis, int64_t in, int64_t out);

// Each scale counts on its own.
float image_factor(const Call& call, int axis, int64_t in, int64_t out);

std::unique_ptr<Plan> plan(const Call& call, DeviceFactor factor);

}  // namespace acltwin::upsample_backward
