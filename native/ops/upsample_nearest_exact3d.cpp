// out cell o shows self cell min(floor((o + 0.5) * t), inSize - 1) per axis, t = 1 / scale or inSize / outSize.
#include "ops/upsample.h"

namespace acltwin::upsample_nearest_exact3d {

Tensor infer(const Call& call, int result) { return upsample::infer(call, result); }

std::unique_ptr<Plan> plan(const Call& call) { return upsample::plan(call, /*exact=*/true, upsample::volume_rule); }

}  // namespace acltwin::upsample_nearest_exact3d
