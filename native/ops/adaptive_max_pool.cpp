// Max pooling to a given size: window o of an axis is [floor(o * in / out), ceil((o + 1) * in / out)), so that windows
// cover all cells and overlap where the sizes do not divide.
#include "kernels/plans.h"
#include "ops/pool.h"

namespace acltwin {

namespace adaptive_max_pool {

namespace {

// The windows of one axis. Where its size divides, they are like those of any pooling, which has faster kernels.
template <class Geometry>
void set_axis(Geometry& geometry, int axis, int64_t in, int64_t out) {
    geometry.kernel[axis] = geometry.stride[axis] = in % out == 0 ? in / out : 0;
    geometry.dilation[axis] = 1;
    if (in % out == 0) return;
    const WeightTable windows = adaptive_table(in, out);
    geometry.begin[axis] = geometry.end[axis] = windows.first;
    for (int64_t o = 0; o < out; ++o) geometry.end[axis][size_t(o)] += windows.count(o);
}

}  // namespace

Failure format_soc(const Call& call) {
    if (is_950(call) || call.tensors[0]->format != Format::nd) return {};
    return refuse("{self} has format ND, expected NCDHW or NCHW on ", name_of(call.mode.soc),
                  "; create it with one of these, or set ACLTWIN_SOC=Ascend950");
}

Failure output_size_soc(const Call& call) {
    const int64_t size = call.arrays[0]->size;
    if (is_950(call) || size == call.op->axes) return {};
    return refuse("{outputSize} has ", size, size == 1 ? " value" : " values", ", expected ", call.op->axes, " on ",
                  name_of(call.mode.soc), "; pass all of ", axis_names(*call.op), ", or set ACLTWIN_SOC=Ascend950");
}

Tensor infer(const Call& call, int result) { return resized::infer(call, result); }

std::unique_ptr<Plan> plan(const Call& call) {
    WindowMax windows = pool::window_max(call);
    for (int i = 0; i < 3; ++i) set_axis(windows, i, windows.source_dims[2 + i], windows.result_dims[2 + i]);
    return plan_window_max(windows);
}

}  // namespace adaptive_max_pool

namespace adaptive_max_pool_backward {

// gradInput = 0, then gradInput[n, c, indices[n, c, j]] += gradOutput[n, c, j] in ascending j.
std::unique_ptr<Plan> plan(const Call& call) {
    WindowScatter scatter = pool::window_scatter(call);
    for (int i = 0; i < 3 && !call.tensors[0]->empty(); ++i)
        adaptive_max_pool::set_axis(scatter, i, scatter.result_dims[2 + i], scatter.source_dims[2 + i]);
    return plan_window_scatter(scatter);
}

}  // namespace adaptive_max_pool_backward

}  // namespace acltwin
