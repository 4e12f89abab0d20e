// What the upsamplings share: (self, outputSize, scales, out) with two or three spatial axes.
// Each rule bears its id in the operators' specifications; the operators put them in order.
#pragma once

#include "ops/checks.h"

namespace acltwin {

template <int kAxes>
struct Upsample {
    static Failure pointers(const Call& call);  // self_null, output_size_null, out_null
    static Failure tensor_shape(const Call& call);
    static Failure out_dtype(const Call& call);
    static Failure self_rank(const Call& call);
    static Failure output_size_length(const Call& call);
    static Failure self_size(const Call& call);
    static Failure output_size_positive(const Call& call);
    static Failure output_size_bytes(const Call& call);
    static Failure out_shape(const Call& call);
    static Failure output_size_scale(const Call& call);  // the documented profile's; 3-D only
    static Failure formats_equal(const Call& call);
    static Failure scales(const Call& call);  // scales_negative, scales_infinite

    static Tensor infer(const Call& call, int);
    static std::unique_ptr<Plan> plan(const Call& call, bool exact);
};

extern template struct Upsample<2>;
extern template struct Upsample<3>;

}  // namespace acltwin
