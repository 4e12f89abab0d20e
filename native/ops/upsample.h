// What the upsamplings share: (self, outputSize, scales, out) with two or three spatial axes.
#pragma once

#include "ops/source_table.h"
#include "ops/texts.h"

namespace acltwin::upsample {

// How an operator finds its step along a spatial axis (0 is its first).
using Step = StepRule (*)(const Call& call, int axis, int64_t in, int64_t out);

// PyTorch's: each scale counts on its own.
StepRule given_step(const Call& call, int axis, int64_t in, int64_t out);

// Of the 3-D operators: all scales count or none, except on Ascend950, where each counts on its own.
StepRule volume_step(const Call& call, int axis, int64_t in, int64_t out);

Tensor infer(const Call& call, int);
std::unique_ptr<Plan> plan(const Call& call, bool exact, Step device_step, Step torch_step = given_step);

}  // namespace acltwin::upsample
