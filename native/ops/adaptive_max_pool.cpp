// Max pooling to a given size: window o of an axis is [floor(o * in / out), ceil((o + 1) * in / out)), so that windows
// cover all cells and overlap where the sizes do not divide.
#include <algorithm>

#include "kernels/plans.h"
#include "ops/pool.h"

namespace acltwin {

namespace adaptive_max_pool {

namespace {

const Tensor& self_of(const Call& call) { return *call.tensors[0]; }

// outputSize along a spatial axis: one value serves all of them, and none keeps the sizes of self.
int64_t size_on_axis(const Call& call, int axis) {
    const IntArray& output_size = *call.arrays[0];
    return output_size.size == 0 ? plane_of(call, self_of(call))[axis] : value_on_axis(output_size, axis);
}

void result_dims(const Call& call, int64_t dims[]) {
    const Tensor& self = self_of(call);
    std::copy_n(self.dims, self.rank, dims);
    for (int i = 0; i < call.op->axes; ++i) dims[first_spatial(call, self) + i] = size_on_axis(call, i);
}

// The windows of one axis. Where its size divides, they are like those of any pooling, which has faster kernels.
template <class Geometry>
void set_axis(Geometry& geometry, int axis, int64_t in, int64_t out) {
    using Wide = __int128;  // a product of two sizes must fit
    geometry.kernel[axis] = geometry.stride[axis] = in % out == 0 ? in / out : 0;
    geometry.dilation[axis] = 1;
    if (in % out == 0) return;
    std::vector<int64_t>&begin = geometry.begin[axis], &end = geometry.end[axis];
    begin.resize(size_t(out));
    end.resize(size_t(out));
    for (int64_t o = 0; o < out; ++o) {
        begin[size_t(o)] = int64_t(Wide(o) * in / out);
        end[size_t(o)] = int64_t((Wide(o + 1) * in + out - 1) / out);
    }
}

}  // namespace

Failure format_soc(const Call& call) {
    if (call.mode.soc == Soc::ascend950 || self_of(call).format != Format::nd) return {};
    return refuse("{self} has format ND, expected NCDHW or NCHW on ", name_of(call.mode.soc),
                  "; create it with one of these, or set ACLTWIN_SOC=Ascend950");
}

Failure output_size_soc(const Call& call) {
    const int64_t size = call.arrays[0]->size;
    if (call.mode.soc == Soc::ascend950 || size == call.op->axes) return {};
    return refuse("{outputSize} has ", size, size == 1 ? " value" : " values", ", expected ", call.op->axes, " on ",
                  name_of(call.mode.soc), "; pass all of ", axis_names(*call.op), ", or set ACLTWIN_SOC=Ascend950");
}

Failure self_channels(const Call& call) {
    const Tensor& self = self_of(call);
    if (self.rank == call.op->axes + 1 || self.dims[axis_order(call, self).axis[1]] > 0) return {};
    return refuse("{self} is ", shape_of(self), " = ", axes_text(call, self),
                  ", expected C above 0: only the first dimension may be 0; skip the call when there are no channels");
}

Failure output_size_bytes(const Call& call) {
    const Tensor& self = self_of(call);
    int64_t dims[kMaxRank];
    result_dims(call, dims);
    if (!bytes_overflow(dims, self.rank, std::max(size_of(self.dtype), size_of(call.index_dtype)))) return {};
    return refuse("{outputSize} is ", text_of(*call.arrays[0]),
                  ", expected results of fewer than 2^63 bytes; use a smaller one");
}

Failure out_shape(const Call& call) {
    const Tensor *const out = call.tensors[1], &self = self_of(call);
    if (out == nullptr) return {};
    int64_t expected[kMaxRank];
    result_dims(call, expected);
    if (std::equal(expected, expected + self.rank, out->dims)) return {};
    return refuse("{", call.op->tensor[1].name, "} is ", shape_of(*out), ", expected ", text_of(expected, self.rank),
                  ", with N, C of {self} ", shape_of(self), " and {outputSize}; create it with that shape");
}

Tensor infer(const Call& call, int result) {
    Tensor inferred = self_of(call);
    inferred.data = nullptr;
    if (result == 1) inferred.dtype = call.index_dtype;
    result_dims(call, inferred.dims);
    set_result_strides(call, inferred, self_of(call));
    return inferred;
}

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
