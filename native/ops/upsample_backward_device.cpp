// How each gradient of the device finds its cells: gradInput cell i collects the gradOut cells [b(i), b(i + 1)) per
// axis, b(i) = min(ceil(i * s), outSize), i * s - 0.5 if cells are matched at their centres. s is the factor below.
#include <algorithm>
#include <cmath>

#include "ops/axes.h"
#include "ops/interval_table.h"
#include "ops/scale.h"
#include "ops/source_table.h"
#include "ops/upsample_backward.h"

namespace acltwin {

namespace upsample_volume_backward {

namespace {

// All scales matter, or none.
float factor(const Call& call, int axis, int64_t in, int64_t out) {
    return device_factor(in, out, scale::all_given(call) ? call.scale(axis) : 0);
}

}  // namespace

std::unique_ptr<Plan> plan(const Call& call) { return upsample_backward::plan(call, factor); }

}  // namespace upsample_volume_backward

namespace {

// Ascend950 divides by the forward pass's step, rounded, and copies where all sizes stay.
float ascend950_factor(const Call& call, int axis, int64_t in, int64_t out) {
    const Tensor &grad_out = *call.tensors[0], &result = *call.tensors[1];
    if (std::equal(grad_out.dims, grad_out.dims + grad_out.rank, result.dims)) return 1;
    return 1.0f / source_step(in, out, {call.scale(axis), /*divide_in_float=*/true});
}

}  // namespace

namespace upsample_nearest2d_backward {

namespace {

float factor(const Call& call, int axis, int64_t in, int64_t out) {
    return call.mode.soc == Soc::ascend950 ? ascend950_factor(call, axis, in, out)
                                           : upsample_backward::image_factor(call, axis, in, out);
}

}  // namespace

std::unique_ptr<Plan> plan(const Call& call) { return upsample_backward::plan(call, factor); }

}  // namespace upsample_nearest2d_backward

namespace upsample_nearest1d_backward {

namespace {

// Before Ascend950 a scale that does not fit the sizes is ignored.
float factor(const Call& call, int axis, int64_t in, int64_t out) {
    if (call.mode.soc == Soc::ascend950) return ascend950_factor(call, axis, in, out);
    const double enlarged = double(in) * call.scale(axis);
    return device_factor(in, out, std::floor(enlarged) == double(out) ? call.scale(axis) : 0);
}

}  // namespace

std::unique_ptr<Plan> plan(const Call& call) { return upsample_backward::plan(call, factor); }

}  // namespace upsample_nearest1d_backward

}  // namespace acltwin
