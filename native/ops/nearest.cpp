// Nearest upsampling: out cell o shows self cell min(floor(o * t), inSize - 1) per axis, (o + 0.5) * t if cells are
// matched at their centres; t is 1 / scale where the scale matters, else inSize / outSize. The gradient: gradInput cell
// i collects the gradOut cells [b(i), b(i + 1)) per axis, b(i) = min(ceil(i * s), outSize), i * s - 0.5 if cells are
// matched at their centres; s is the factor of the forward pass.
#include <cmath>

#include "kernels/plans.h"
#include "ops/upsample.h"

namespace acltwin {

namespace nearest {

namespace {

// Small images have kernels of their own, in PyTorch and on the device.
bool is_small_image(const Call& call) {
    const int64_t* size = call.arrays[0]->values;
    return call.op->axes == 2 && size[0] <= 128 && size[1] <= 128 && size[0] + size[1] <= 128;
}

// Whether PyTorch takes the kernel that looks up every cell on its own: for small images, and for channels-last tensors
// of more than 3 channels.
bool torch_goes_by_cell(const Call& call) {
    const Tensor& self = *call.tensors[0];
    if (is_small_image(call)) return true;
    if (call.mode.map != MapRule::torch_tensor || call.op->axes == 1) return false;
    const int channel = axis_order(call, self).axis[1];
    return self.dims[channel] > 3 && dense_channels_last(self, channel);
}

SourceRule torch_rule(const Call& call, int axis, int64_t in, int64_t out) {
    if (torch_goes_by_cell(call)) {
        const bool shortcut = !call.op->exact && (out == in || out == 2 * in);  // which ignores a given scale
        return {shortcut ? 0 : call.scale(axis), false, Arithmetic::torch_by_cell};
    }
    const bool wide = call.mode.map == MapRule::torch_tensor && call.tensors[0]->dtype == DType::float64;
    return {call.scale(axis), false, wide ? Arithmetic::torch_by_axis_double : Arithmetic::torch_by_axis};
}

// The factor along an axis, as an operator of the device finds it.
using DeviceFactor = float (*)(const Call& call, int axis, int64_t in, int64_t out);

// Few rows so long that plans of them are not kept: a table of intervals would cost more than the sums. Where all
// intervals are the same, the sums are so quick that it does not.
bool without_table(const Call& call, WeightedSum& sum) {
    sum.dtype = call.tensors[0]->dtype;
    sum.along = WeightedSum::Along::shown;
    read_tensors(call, *call.tensors[0], *call.tensors[1], sum);
    const int64_t in = sum.result_dims[4], out = sum.source_dims[4];
    constexpr int64_t kKept = 256 << 10;
    if (call.op->axes != 1 || call.mode.map == MapRule::device || out % in == 0 || in + out <= kKept ||
        !worth_positions(sum))
        return false;
    for (WeightTable& table : sum.table) table = same_cells(1);
    sum.positions.wide = call.op->exact;
    sum.positions.step = double(source_step(in, out, {call.scale(0)}));
    sum.positions.half = call.op->exact ? 0.5 : 0;
    sum.positions.last = in - 1;
    return sum.positions.usable(out);
}

std::unique_ptr<Plan> plan_gradient(const Call& call, DeviceFactor factor) {
    if (WeightedSum rows; without_table(call, rows)) return plan_weighted_sum(std::move(rows));
    IntervalSum sum;
    sum.dtype = call.tensors[0]->dtype;
    read_tensors(call, *call.tensors[0], *call.tensors[1], sum);
    fill_tables(call, sum, sum.begin, {0, 1}, [&](int axis, int64_t in, int64_t out) {
        return call.mode.map == MapRule::device
                   ? device_intervals(in, out, factor(call, axis, in, out), call.op->exact)
                   : interval_table(in, out, call.scale(axis), call.op->exact, call.mode.map);
    });
    return plan_interval_sum(std::move(sum));
}

}  // namespace

}  // namespace nearest

std::unique_ptr<Plan> upsample::plan_nearest(const Call& call, NearestRule rule) {
    NearestCopy copy;
    copy.element_size = size_of(call.tensors[0]->dtype);
    read_tensors(call, *call.tensors[0], *call.tensors[1], copy);
    if (call.mode.map != MapRule::device) rule = nearest::torch_rule;
    fill_tables(call, copy, copy.from, {0}, [&](int axis, int64_t in, int64_t out) {
        constexpr int64_t kExact = 1 << 22;  // up to there every rule finds a cell's own number
        const SourceRule found = rule(call, axis, in, out);
        const bool same = in == out && in <= kExact && !scale_given(found.scale);
        return same ? std::vector<int64_t>() : source_table(in, out, found, call.op->exact);
    });
    return plan_nearest_copy(std::move(copy));
}

// ---- what each operator of the device makes of scales; Ascend950 is another one in most ----

namespace nearest {

namespace {

// All scales matter or none, except on Ascend950, where each matters on its own.
SourceRule volume_rule(const Call& call, int axis, int64_t, int64_t) {
    if (is_950(call)) return {call.scale(axis), /*divide_in_float=*/true};
    return {upsample::all_given(call) ? call.scale(axis) : 0};
}

// Where both sizes stay, Ascend950 copies. The others use both scales or none, and neither where a size stays, nor
// where it doubles in small images and in channels-last ones of more than 3 rows.
SourceRule image_rule(const Call& call, int axis, int64_t in, int64_t out) {
    const Tensor& self = *call.tensors[0];
    const double scale = double(float(call.scale(axis)));  // C passes a float
    if (self.dtype == DType::float64 || self.dtype == DType::uint8) return {0};
    if (is_950(call)) return {upsample::Sizes(call).stay() ? 0 : scale};
    const bool doubled = out == 2 * in && (is_small_image(call) || (self.format == Format::nhwc && self.dims[1] > 3));
    return {upsample::all_given(call) && in != out && !doubled ? scale : 0};
}

// Where the size stays, the device copies and ignores the scale, except on Ascend950.
SourceRule exact_image_rule(const Call& call, int axis, int64_t in, int64_t out) {
    return {in == out && !is_950(call) ? 0 : call.scale(axis)};
}

// Ascend950 copies where the size stays, and divides in float32. The others take an infinite scale for none.
SourceRule scaled_line(const Call& call, double scale, int64_t in, int64_t out) {
    if (is_950(call)) return {in == out ? 0 : scale, /*divide_in_float=*/true};
    return {std::isinf(scale) ? 0 : scale};
}

SourceRule line_rule(const Call& call, int, int64_t in, int64_t out) {
    const DType dtype = call.tensors[0]->dtype;
    if (dtype == DType::float64 || dtype == DType::uint8 || call.mode.soc == Soc::ascend910) return {0};
    return scaled_line(call, double(float(call.scale(0))), in, out);  // C passes a float
}

SourceRule exact_line_rule(const Call& call, int, int64_t in, int64_t out) {
    return scaled_line(call, call.scale(0), in, out);
}

// All scales matter, or none.
float volume_factor(const Call& call, int axis, int64_t in, int64_t out) {
    return device_factor(in, out, upsample::all_given(call) ? call.scale(axis) : 0);
}

// Each scale matters on its own.
float exact_factor(const Call& call, int axis, int64_t in, int64_t out) {
    return device_factor(in, out, call.scale(axis));
}

// Ascend950 divides by the forward pass's step, rounded, and copies where all sizes stay.
float ascend950_factor(const Call& call, int axis, int64_t in, int64_t out) {
    if (has_sizes(call, *call.tensors[0], *call.tensors[1])) return 1;
    return 1.0f / source_step(in, out, {call.scale(axis), /*divide_in_float=*/true});
}

float image_factor(const Call& call, int axis, int64_t in, int64_t out) {
    return (is_950(call) ? ascend950_factor : exact_factor)(call, axis, in, out);
}

// Before Ascend950 a scale that does not fit the sizes is ignored.
float line_factor(const Call& call, int axis, int64_t in, int64_t out) {
    if (is_950(call)) return ascend950_factor(call, axis, in, out);
    const bool fits = std::floor(double(in) * call.scale(axis)) == double(out);
    return device_factor(in, out, fits ? call.scale(axis) : 0);
}

}  // namespace

}  // namespace nearest

#define ACLTWIN_NEAREST(name, function, rule)                                              \
    namespace name {                                                                       \
    std::unique_ptr<Plan> plan(const Call& call) { return function(call, nearest::rule); } \
    }
ACLTWIN_NEAREST(upsample_volume, upsample::plan_nearest, volume_rule)
ACLTWIN_NEAREST(upsample_nearest1d, upsample::plan_nearest, line_rule)
ACLTWIN_NEAREST(upsample_nearest2d, upsample::plan_nearest, image_rule)
ACLTWIN_NEAREST(upsample_nearest_exact1d, upsample::plan_nearest, exact_line_rule)
ACLTWIN_NEAREST(upsample_nearest_exact2d, upsample::plan_nearest, exact_image_rule)
ACLTWIN_NEAREST(upsample_volume_backward, nearest::plan_gradient, volume_factor)
ACLTWIN_NEAREST(upsample_nearest1d_backward, nearest::plan_gradient, line_factor)
ACLTWIN_NEAREST(upsample_nearest2d_backward, nearest::plan_gradient, image_factor)
ACLTWIN_NEAREST(exact_backward, nearest::plan_gradient, exact_factor)
#undef ACLTWIN_NEAREST

}  // namespace acltwin
