// out cell o shows self cell min(floor(o * t), inSize - 1) per axis, t = 1 / scale or inSize / outSize.
#include "ops/scale.h"
#include "ops/upsample.h"

namespace acltwin::upsample_nearest2d {

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
    return {ignores_scale(call, in, out) ? 0 : double(float(call.scales[axis]))};  // C passes a float
}

}  // namespace

Tensor infer(const Call& call, int result) { return upsample::infer(call, result); }

std::unique_ptr<Plan> plan(const Call& call) { return upsample::plan(call, /*exact=*/false, device_rule); }

}  // namespace acltwin::upsample_nearest2d
