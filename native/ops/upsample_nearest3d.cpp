// out cell o shows self cell min(floor(o * t), inSize - 1) per axis, t = 1 / scale or inSize / outSize.
#include "ops/upsample.h"

namespace acltwin::upsample_nearest3d {

Tensor infer(const Call& call, int result) { return upsample::infer(call, result); }

std::unique_ptr<Plan> plan(const Call& call) { return upsample::plan(call, /*exact=*/false, upsample::volume_rule); }

}  // namespace acltwin::upsample_nearest3d
