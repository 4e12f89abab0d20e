// What upsamplings and their gradients share about scales. A scale is the factor out / in of the forward pass.
#pragma once

#include "ops/texts.h"

namespace acltwin::scale {

Failure scales_negative(const Call& call);
Failure scales_infinite(const Call& call);

// Whether every scale is given: the 3-D operators of the device use all of them or none.
bool all_given(const Call& call);

// "scale_factor", once an operator has found it broken along one of its axes.
Failure factor_too_large(const Call& call, int axis, double out, double in);
// "output_size_scale": if all scales are above 0, outputSize (the first array) is what they make of these sizes.
Failure output_size_scale(const Call& call, const int64_t in[]);

}  // namespace acltwin::scale
