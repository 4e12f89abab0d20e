// The rules about scales that upsamplings and their gradients share. A scale is the factor out / in of the forward
// pass.
#pragma once

#include "ops/checks.h"

namespace acltwin {

// The scales by which a 3-D operator computes: the device takes them only if it was given all three, PyTorch decides
// per axis.
struct Scales3d {
    explicit Scales3d(const Call& call);
    double axis[3];
};

// "scales_negative" and, for arrays, "scales_infinite".
Failure scales_not_negative(const Call& call, std::initializer_list<const char*> names);
Failure scales_finite(const Call& call, std::initializer_list<const char*> names);
// "scale_factor", once an operator has found it broken.
Failure factor_too_large(const Call& call, char axis, const char* scale_name, double scale, double out, double in);
// "output_size_scale": if all three scales are above 0, outputSize (the first array) is what they make of D, H, W.
Failure output_size_scale(const Call& call, const int64_t in[3]);

}  // namespace acltwin
