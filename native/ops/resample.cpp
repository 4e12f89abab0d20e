// Linear and cubic resampling and their gradients: weighted sums by tables along each axis.
#include <cmath>
#include <limits>

#include "ops/upsample.h"

namespace acltwin {

namespace {

// PyTorch computes float64 tensors in float64. Its compiler fuses product and difference of places; and where the size
// stays it copies, except by cubics, of which it only copies the gradient where all sizes stay.
ResampleRule weights_of_torch(const Call& call, int axis, Filter filter) {
    ResampleRule rule;
    rule.scale = call.scale(axis);
    rule.fused = true;
    rule.copies_same_size = filter != Filter::cubic || (call.op->is_gradient && upsample::Sizes(call).stay());
    rule.wide = call.tensors[0]->dtype == DType::float64;
    return rule;
}

// Whether a cell of the gradient has no more than a group of terms.
bool few_share(const Positions& positions, int64_t in, int64_t out) {
    constexpr double kLeastStep = 0.3;
    return positions.step >= kLeastStep && positions.step * double(out) <= double(in) + 1;
}

// Of a tensor whose size stays.
std::unique_ptr<Plan> copy_of(const WeightedSum& sum) {
    NearestCopy copy;
    copy.element_size = size_of(sum.dtype);
    std::copy_n(sum.source_dims, 5, copy.source_dims);
    std::copy_n(sum.source_strides, 5, copy.source_strides);
    std::copy_n(sum.result_dims, 5, copy.result_dims);
    std::copy_n(sum.result_strides, 5, copy.result_strides);
    return plan_nearest_copy(std::move(copy));
}

}  // namespace

std::unique_ptr<Plan> upsample::plan_resampled(const Call& call, Filter filter, WeightRule device_rule) {
    // Operators without scales have no alignCorners either.
    const bool align_corners = call.op->scales > 0 && call.scalar("alignCorners").integer != 0;
    WeightedSum sum;
    sum.result = call.op->inputs();
    sum.dtype = call.tensors[0]->dtype;
    read_tensors(call, *call.tensors[0], *call.tensors[1], sum);
    bool copies = true;
    fill_tables(call, sum, sum.table, same_cells(1), [&](int axis, int64_t in, int64_t out) {
        ResampleRule rule =
            call.mode.map == MapRule::device ? device_rule(call, axis, in, out) : weights_of_torch(call, axis, filter);
        rule.align_corners = align_corners;
        copies = copies && rule.copies_same_size && in == out;
        const bool last = axis + 1 == call.op->axes;
        if (last && filter == Filter::linear && rule.wide == (sum.dtype == DType::float64)) {
            sum.along = call.op->is_gradient ? WeightedSum::Along::shown : WeightedSum::Along::places;
            sum.shared = true;
            if (!worth_positions(sum) || !linear_positions(in, out, rule, sum.positions) ||
                (call.op->is_gradient && !few_share(sum.positions, in, out)))
                sum.along = WeightedSum::Along::table;
        }
        if (last && (copies || sum.along != WeightedSum::Along::table)) return WeightTable();
        WeightTable table = resample_table(in, out, filter, rule);
        return call.op->is_gradient ? transposed(table, in) : std::move(table);
    });
    return copies ? copy_of(sum) : plan_weighted_sum(std::move(sum));
}

// ---- what each operator of the device makes of scales; Ascend950 is another one in most ----

namespace resample {

namespace {

using upsample::Sizes;

ResampleRule given(double scale, bool divide_in_float = false) {
    ResampleRule rule;
    rule.scale = scale;
    rule.divide_in_float = divide_in_float;
    return rule;
}
ResampleRule copying(ResampleRule rule) {
    rule.copies_same_size = true;
    return rule;
}

bool fits(int64_t in, double scale, int64_t out) { return std::floor(double(in) * scale) == double(out); }

// Whether all scales fit the sizes, and the steps by them are in these bounds.
bool all_fit(const Call& call, double least, double most) {
    const Sizes sizes(call);
    for (int i = 0; i < call.op->axes; ++i) {
        const double scale = call.scale(i), step = 1 / scale;
        if (!fits(sizes.in[i], scale, sizes.out[i]) || !(step >= least && step <= most)) return false;
    }
    return true;
}

// A scale that leaves the step outside these bounds goes to a kernel that takes the sizes.
ResampleRule line_rule(const Call& call, int axis, int64_t, int64_t) {
    const double scale = call.scale(axis), step = 1 / scale;
    if (is_950(call)) return copying(given(scale > 0 ? scale : 0, true));
    return copying(given(scale > 0 && step >= 0.00125 && step <= 50 ? scale : 0));
}

// The gradient does not copy where the size stays.
ResampleRule line_gradient_rule(const Call& call, int axis, int64_t in, int64_t out) {
    const double scale = call.scale(axis);
    if (is_950(call)) return given(scale > 0 ? scale : 0, true);
    return given(scale > 1e-9 && fits(in, scale, out) ? scale : 0);
}

// Before Ascend950 both scales matter or none, and of channels-last images none.
ResampleRule image_rule(const Call& call, int axis, int64_t, int64_t) {
    if (is_950(call)) {
        const ResampleRule rule = given(call.scale(axis), true);
        return Sizes(call).stay() ? copying(rule) : rule;
    }
    const bool matter = !channels_last(call, *call.tensors[0]) && upsample::all_given(call) && all_fit(call, 0, 50);
    return copying(given(matter ? call.scale(axis) : 0));
}

ResampleRule image_gradient_rule(const Call& call, int axis, int64_t, int64_t) {
    if (is_950(call)) return given(call.scale(axis), true);
    constexpr double kAny = std::numeric_limits<double>::infinity();
    return given(upsample::all_given(call) && all_fit(call, 0.01, kAny) ? call.scale(axis) : 0);
}

ResampleRule old_image_gradient_rule(const Call& call, int axis, int64_t, int64_t) {
    return given(is_950(call) ? call.scale(axis) : 0, true);
}

// All scales matter or none; Ascend950 fuses.
ResampleRule volume_rule(const Call& call, int axis, int64_t, int64_t) {
    ResampleRule rule = given(upsample::all_given(call) ? call.scale(axis) : 0);
    rule.copies_same_size = !call.op->is_gradient;
    rule.fused = is_950(call);
    return rule;
}

ResampleRule cubic_rule(const Call& call, int axis, int64_t, int64_t) {
    const ResampleRule rule = given(call.scale(axis));
    if (is_950(call)) return rule;
    return !call.op->is_gradient || Sizes(call).stay() ? copying(rule) : rule;
}

ResampleRule antialias_rule(const Call& call, int axis, int64_t, int64_t) { return copying(given(call.scale(axis))); }

ResampleRule cubic_antialias_rule(const Call& call, int axis, int64_t, int64_t) {
    return copying(given(call.scale(axis), is_950(call) && !call.op->is_gradient));
}

}  // namespace

}  // namespace resample

#define ACLTWIN_RESAMPLE(name, filter, rule)                                   \
    namespace name {                                                           \
    std::unique_ptr<Plan> plan(const Call& call) {                             \
        return upsample::plan_resampled(call, Filter::filter, resample::rule); \
    }                                                                          \
    }
ACLTWIN_RESAMPLE(upsample_linear1d, linear, line_rule)
ACLTWIN_RESAMPLE(upsample_linear1d_backward, linear, line_gradient_rule)
ACLTWIN_RESAMPLE(upsample_bilinear2d, linear, image_rule)
ACLTWIN_RESAMPLE(upsample_bilinear2d_backward, linear, image_gradient_rule)
ACLTWIN_RESAMPLE(upsample_bilinear2d_backward_v1, linear, old_image_gradient_rule)
ACLTWIN_RESAMPLE(upsample_trilinear3d, linear, volume_rule)
ACLTWIN_RESAMPLE(upsample_trilinear3d_backward, linear, volume_rule)
ACLTWIN_RESAMPLE(upsample_bicubic2d, cubic, cubic_rule)
ACLTWIN_RESAMPLE(upsample_bicubic2d_backward, cubic, cubic_rule)
ACLTWIN_RESAMPLE(upsample_bilinear2d_aa, linear_antialias, antialias_rule)
ACLTWIN_RESAMPLE(upsample_bilinear2d_aa_backward, linear_antialias, antialias_rule)
ACLTWIN_RESAMPLE(upsample_bicubic2d_aa, cubic_antialias, cubic_antialias_rule)
ACLTWIN_RESAMPLE(upsample_bicubic2d_aa_backward, cubic_antialias, cubic_antialias_rule)
#undef ACLTWIN_RESAMPLE

}  // namespace acltwin
