// How each upsampling of the device finds its cells: out cell o shows self cell min(floor(o * t), inSize - 1) per axis,
// (o + 0.5) * t if cells are matched at their centres. t is 1 / scale where the scale matters, else inSize / outSize.
#include <cmath>

#include "ops/scale.h"
#include "ops/upsample.h"

namespace acltwin {

namespace upsample_volume {

namespace {

// All scales matter or none, except on Ascend950, where each matters on its own.
SourceRule device_rule(const Call& call, int axis, int64_t, int64_t) {
    if (call.mode.soc == Soc::ascend950) return {call.scale(axis), /*divide_in_float=*/true};
    return {scale::all_given(call) ? call.scale(axis) : 0};
}

}  // namespace

std::unique_ptr<Plan> plan(const Call& call) { return upsample::plan(call, device_rule); }

}  // namespace upsample_volume

namespace upsample_nearest2d {

namespace {

// Where both sizes stay, Ascend950 copies. The others use both scales or none, and neither where a size stays, nor
// where it doubles in small images and in channels-last ones of more than 3 rows.
bool ignores_scale(const Call& call, int64_t in, int64_t out) {
    const Tensor& self = *call.tensors[0];
    if (self.dtype == DType::float64 || self.dtype == DType::uint8) return true;
    if (call.mode.soc == Soc::ascend950) return upsample::keeps_size(call);
    if (!scale::all_given(call) || in == out) return true;
    return out == 2 * in && (upsample::is_small_image(call) || (self.format == Format::nhwc && self.dims[1] > 3));
}

SourceRule device_rule(const Call& call, int axis, int64_t in, int64_t out) {
    return {ignores_scale(call, in, out) ? 0 : double(float(call.scale(axis)))};  // C passes a float
}

}  // namespace

std::unique_ptr<Plan> plan(const Call& call) { return upsample::plan(call, device_rule); }

}  // namespace upsample_nearest2d

namespace upsample_nearest_exact2d {

namespace {

// Where the size stays, the device copies and ignores the scale, except on Ascend950.
SourceRule device_rule(const Call& call, int axis, int64_t in, int64_t out) {
    return {in == out && call.mode.soc != Soc::ascend950 ? 0 : call.scale(axis)};
}

}  // namespace

std::unique_ptr<Plan> plan(const Call& call) { return upsample::plan(call, device_rule); }

}  // namespace upsample_nearest_exact2d

namespace {

// Ascend950 copies where the size stays, and divides in float32. The others take an infinite scale for none.
SourceRule line_rule(const Call& call, double scale, int64_t in, int64_t out) {
    if (call.mode.soc == Soc::ascend950) return {in == out ? 0 : scale, /*divide_in_float=*/true};
    return {std::isinf(scale) ? 0 : scale};
}

}  // namespace

namespace upsample_nearest1d {

namespace {

SourceRule device_rule(const Call& call, int, int64_t in, int64_t out) {
    const DType dtype = call.tensors[0]->dtype;
    if (dtype == DType::float64 || dtype == DType::uint8 || call.mode.soc == Soc::ascend910) return {0};
    return line_rule(call, double(float(call.scale(0))), in, out);  // C passes a float
}

}  // namespace

std::unique_ptr<Plan> plan(const Call& call) { return upsample::plan(call, device_rule); }

}  // namespace upsample_nearest1d

namespace upsample_nearest_exact1d {

namespace {

SourceRule device_rule(const Call& call, int, int64_t in, int64_t out) {
    return line_rule(call, call.scale(0), in, out);
}

}  // namespace

std::unique_ptr<Plan> plan(const Call& call) { return upsample::plan(call, device_rule); }

}  // namespace upsample_nearest_exact1d

}  // namespace acltwin
