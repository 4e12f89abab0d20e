// What the upsamplings' gradients share: (gradOut, outputSize, inputSize, scales, gradInput) with two or three spatial
// axes.
#pragma once

#include "ops/texts.h"

namespace acltwin::upsample_backward {

Tensor infer(const Call& call, int);
// `scales_together`: the device uses all scales or none.
std::unique_ptr<Plan> plan(const Call& call, bool exact, bool scales_together);

}  // namespace acltwin::upsample_backward
