// out cell o shows self cell min(floor((o + 0.5) * t), inSize - 1) per axis, t = 1 / scale or inSize / outSize.
#include "ops/upsample.h"

namespace acltwin::upsample_nearest_exact2d {

namespace {

// Where the size stays, the device copies and ignores the scale, except on Ascend950.
SourceRule device_rule(const Call& call, int axis, int64_t in, int64_t out) {
    return {in == out && call.mode.soc != Soc::ascend950 ? 0 : call.scales[axis]};
}

}  // namespace

Tensor infer(const Call& call, int result) { return upsample::infer(call, result); }

std::unique_ptr<Plan> plan(const Call& call) { return upsample::plan(call, /*exact=*/true, device_rule); }

}  // namespace acltwin::upsample_nearest_exact2d
