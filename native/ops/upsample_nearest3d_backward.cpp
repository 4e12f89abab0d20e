// gradInput cell i collects the gradOut cells [b(i), b(i + 1)) per axis, b(i) = min(ceil(i * s), outSize).
#include "ops/upsample_backward.h"

namespace acltwin::upsample_nearest3d_backward {

Tensor infer(const Call& call, int result) { return upsample_backward::infer(call, result); }

std::unique_ptr<Plan> plan(const Call& call) {
    return upsample_backward::plan(call, /*exact=*/false, upsample_backward::volume_factor);
}

}  // namespace acltwin::upsample_nearest3d_backward
