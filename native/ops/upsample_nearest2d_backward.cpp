// gradInput cell i collects the gradOut cells [b(i), b(i + 1)) per axis, b(i) = min(ceil(i * s), outSize).
#include <algorithm>

#include "ops/source_table.h"
#include "ops/upsample_backward.h"

namespace acltwin::upsample_nearest2d_backward {

namespace {

// Ascend950 divides by the forward pass's step, rounded, and copies where both sizes stay.
float device_factor(const Call& call, int axis, int64_t in, int64_t out) {
    if (call.mode.soc != Soc::ascend950) return upsample_backward::image_factor(call, axis, in, out);
    const Tensor &grad_out = *call.tensors[0], &grad_input = *call.tensors[1];
    if (std::equal(grad_out.dims, grad_out.dims + grad_out.rank, grad_input.dims)) return 1;
    return 1.0f / source_step(in, out, {call.scales[axis], /*divide_in_float=*/true});
}

}  // namespace

Tensor infer(const Call& call, int result) { return upsample_backward::infer(call, result); }

std::unique_ptr<Plan> plan(const Call& call) { return upsample_backward::plan(call, /*exact=*/false, device_factor); }

}  // namespace acltwin::upsample_nearest2d_backward
