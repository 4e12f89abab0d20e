// out is the maximum of each window of self, and indices, which not every operator has, where it lies in the flattened,
// unpadded plane.
#include <algorithm>
#include <limits>

#include "kernels/plans.h"
#include "ops/pool.h"

namespace acltwin::max_pool {

Failure auto_pad(const Call& call) {
    const int64_t value = call.scalar("autoPad").integer;
    if (value == 0) return {};
    return refuse("{autoPad} is ", value, ", expected 0; pass 0, and the padding as {pads}");
}

// Neither sum is negative, so as an unsigned one it does not overflow.
Failure pads_kernel(const Call& call) {
    for (int i = 0; i < call.op->axes; ++i) {
        const PoolAxis axis = pool::axis(call, i);
        if (2 * uint64_t(axis.padding) + uint64_t(axis.more_behind) <= uint64_t(axis.kernel)) continue;
        return refuse("{pads} is ", text_of(*call.arrays[2]), " with {kernelShape} ", text_of(*call.arrays[0]),
                      ", expected at most the kernel in total along ", axis_name(*call.op, i), "; use less padding");
    }
    return {};
}

// Where the taps are further apart than the cells reach, the first window can have all of its taps in the padding.
// Others cannot: then kernels are at most 2 wide and the padding at most 1, or there is but one window.
Failure window_cells(const Call& call) {
    const Tensor& self = pool::self_of(call);
    const int64_t* const cells = pool::plane_of_self(call);
    for (int i = 0; i < call.op->axes; ++i) {
        const PoolAxis axis = pool::axis(call, i);
        const int64_t first_cell = (axis.dilation - axis.padding % axis.dilation) % axis.dilation;
        if (first_cell >= cells[i])
            return refuse("{self} is ", shape_of(self), " with ", axis_name(*call.op, i), " = ", cells[i],
                          ", expected every window of ", pool::window_text(call),
                          " to cover one of its cells; use less dilation or less padding");
    }
    return {};
}

Failure indices_width(const Call& call) {
    const Tensor &self = pool::self_of(call), *const indices = call.tensors[2];
    const DType dtype = indices != nullptr ? indices->dtype : call.index_dtype;
    const int64_t cells = cells_of(call, self);
    if (dtype != DType::int32 || cells <= std::numeric_limits<int32_t>::max()) return {};
    return refuse("{self} is ", shape_of(self), " with ", plane_name(*call.op), " = ", cells,
                  ", expected at most 2^31 - 1 for int32 indices; ",
                  from_aclnn(call) ? "create them as int64" : "pass index_dtype=\"int64\"");
}

Tensor infer(const Call& call, int result) { return pool::infer(call, result); }

std::unique_ptr<Plan> plan(const Call& call) {
    WindowMax windows = pool::window_max(call);
    pool::set_windows(call, windows);
    return plan_window_max(windows);
}

}  // namespace acltwin::max_pool
