// Max pooling: out is the maximum of each window of self, and indices, which not every operator has, where it lies in
// the flattened, unpadded plane. The gradient: gradInput = 0, then gradInput[n, c, indices[n, c, j]] +=
// gradOutput[n, c, j] in ascending j; the values of self are never read.
#include "ops/pool.h"

namespace acltwin {

namespace max_pool {

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
    for (int i = 0; i < call.op->axes; ++i) {
        const PoolAxis axis = pool::axis(call, i);
        const int64_t first_cell = (axis.dilation - axis.padding % axis.dilation) % axis.dilation;
        if (first_cell >= pool::plane_of_self(call)[i])
            return refuse("{self} is ", shape_of(pool::self_of(call)), " with ", axis_name(*call.op, i), " = ",
                          pool::plane_of_self(call)[i], ", expected every window of ", pool::window_text(call),
                          " to cover one of its cells; use less dilation or less padding");
    }
    return {};
}

Failure indices_width(const Call& call) {
    const Tensor* const indices = call.tensors[2];
    if ((indices != nullptr ? indices->dtype : call.index_dtype) != DType::int32) return {};
    return plane_in_int32(call, " for int32 indices",
                          from_aclnn(call) ? "create them as int64" : "pass index_dtype=\"int64\"");
}

Tensor infer(const Call& call, int result) { return pool::infer(call, result); }

std::unique_ptr<Plan> plan(const Call& call) {
    WindowMax windows = pool::window_max(call);
    pool::set_windows(call, windows);
    return plan_window_max(windows);
}

}  // namespace max_pool

namespace max_pool_backward {

std::unique_ptr<Plan> plan(const Call& call) {
    WindowScatter scatter = pool::window_scatter(call);
    // The windows are only a hint, so absurd ones may be cut to where no product of theirs can overflow.
    pool::set_windows(call, scatter, std::numeric_limits<int32_t>::max());
    return plan_window_scatter(scatter);
}

}  // namespace max_pool_backward

}  // namespace acltwin
