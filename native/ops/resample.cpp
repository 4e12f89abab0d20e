#include "ops/resample.h"

#include <algorithm>
#include <cmath>

#include "ops/axes.h"
#include "ops/scale.h"

namespace acltwin::resample {

namespace {

// Operators without scales have no alignCorners either.
bool align_corners(const Call& call) { return call.op->scales > 0 && call.scalar("alignCorners").integer != 0; }

// PyTorch computes float64 tensors in float64. Its compiler fuses product and difference of places; and where the size
// stays it copies, except by cubics.
ResampleRule torch_rule(const Call& call, int axis, Filter filter) {
    ResampleRule rule;
    rule.scale = call.scale(axis);
    rule.fused = true;
    rule.copies_same_size = filter != Filter::cubic;
    rule.wide = call.tensors[0]->dtype == DType::float64;
    return rule;
}

// The sizes of the forward pass's input and output along the spatial axes.
struct Sizes {
    explicit Sizes(const Call& call) {
        const IntArray& output_size = *call.arrays[0];
        const Tensor& first = *call.tensors[0];
        std::copy_n(output_size.values, call.op->axes, out);
        if (!call.op->is_gradient) {
            std::copy_n(plane_of(call, first), call.op->axes, in);
        } else {
            const bool last = call.op->input_size_follows_format && channels_last(call, first);
            std::copy_n(call.arrays[1]->values + (last ? 1 : 2), call.op->axes, in);
        }
    }
    int64_t in[3], out[3];
};

bool is_800(const Call& call) { return call.mode.soc == Soc::ascend910b || call.mode.soc == Soc::ascend910_93; }

// Of a tensor whose size stays.
std::unique_ptr<Plan> copy_of(const WeightedSum& sum) {
    NearestCopy copy;
    copy.element_size = size_of(sum.dtype);
    std::copy_n(sum.source_dims, 5, copy.source_dims);
    std::copy_n(sum.source_strides, 5, copy.source_strides);
    std::copy_n(sum.result_dims, 5, copy.result_dims);
    std::copy_n(sum.result_strides, 5, copy.result_strides);
    for (int i = 0; i < 3; ++i) copy.from[i] = sum.table[i].first;
    return plan_nearest_copy(std::move(copy));
}

}  // namespace

std::unique_ptr<Plan> plan(const Call& call, Filter filter, DeviceRule device_rule) {
    WeightedSum sum;
    sum.result = call.op->inputs();
    sum.dtype = call.tensors[0]->dtype;
    read_axes(call, *call.tensors[0], sum.source_dims, sum.source_strides);
    read_axes(call, *call.tensors[1], sum.result_dims, sum.result_strides);
    for (WeightTable& table : sum.table) table = same_cells(1);
    bool copies = true;
    for (int i = 0; i < call.op->axes; ++i) {
        const int axis = 3 - call.op->axes + i;
        int64_t in = sum.source_dims[2 + axis], out = sum.result_dims[2 + axis];
        if (call.op->is_gradient) std::swap(in, out);
        ResampleRule rule =
            call.mode.map == MapRule::device ? device_rule(call, i, in, out) : torch_rule(call, i, filter);
        rule.align_corners = align_corners(call);
        copies = copies && rule.copies_same_size && in == out;
        WeightTable table = resample_table(in, out, filter, rule);
        sum.table[axis] = call.op->is_gradient ? transposed(table, in) : std::move(table);
    }
    return copies ? copy_of(sum) : plan_weighted_sum(std::move(sum));
}

// ---- rules ----

Failure float64_format(const Call& call) {
    const Tensor& self = *call.tensors[0];
    if (self.dtype != DType::float64 || channels_last(call, self)) return {};
    return refuse("{self} is float64 with format ", name_of(self.format),
                  ", expected NHWC for float64; convert it to float32, or transpose it");
}

Failure dims_int32(const Call& call) {
    if (call.mode.soc == Soc::ascend950) return {};
    for (int i = 0; i < call.op->tensors; ++i) {
        const Tensor& tensor = *call.tensors[i];
        for (int axis = 0; axis < tensor.rank; ++axis)
            if (tensor.dims[axis] > INT32_MAX)
                return refuse("{", call.op->tensor[i].name, "} is ", shape_of(tensor),
                              ", expected no dimension above 2^31 - 1 on ", name_of(call.mode.soc),
                              "; split the tensor, or set ACLTWIN_SOC=Ascend950");
    }
    return {};
}

// Before Ascend950, a scale that is not negative must give outputSize: 0 does not.
Failure scale_fits(const Call& call) {
    if (call.mode.soc == Soc::ascend950) return {};
    const Sizes sizes(call);
    for (int i = 0; i < call.op->axes; ++i) {
        const double enlarged = double(sizes.in[i]) * call.scale(i);
        if (call.scale(i) < 0 || std::floor(enlarged) == double(sizes.out[i])) continue;
        return refuse("{", call.op->scalar[call.op->first_scale + i].name, "} is ", call.scale(i), ", and ",
                      axis_name(*call.op, i), " = ", sizes.in[i], " times that is ", enlarged, ", expected ",
                      sizes.out[i], " = {outputSize} after rounding down; pass -1 to use the sizes");
    }
    return {};
}

// Before Ascend950, each scale above 0 must give outputSize, or nearly.
Failure scale_sizes(const Call& call) {
    if (call.mode.soc == Soc::ascend950) return {};
    const Sizes sizes(call);
    for (int i = 0; i < call.op->axes; ++i) {
        const double in = double(sizes.in[i]), out = double(sizes.out[i]), scale = call.scale(i);
        if (!(scale > 0) || (std::floor(in * (scale - 1e-5)) <= out && out <= std::floor(in * (scale + 1e-5))))
            continue;
        return refuse("{", call.op->scalar[call.op->first_scale + i].name, "} is ", scale, ", and ",
                      axis_name(*call.op, i), " = ", sizes.in[i], " times that is ", in * scale, ", expected ",
                      sizes.out[i], " = {outputSize} after rounding down; pass 0 to use the sizes");
    }
    return {};
}

namespace {

Failure ratio_limit(const Call& call, double most, bool enlarged) {
    if (!is_800(call)) return {};
    const Sizes sizes(call);
    for (int i = 0; i < call.op->axes; ++i) {
        const double scale = call.scale(i) > 0 ? call.scale(i) : double(sizes.out[i]) / double(sizes.in[i]);
        const double ratio = enlarged ? scale : call.scale(i) > 0 ? 1 / scale : double(sizes.in[i] / sizes.out[i]);
        if (ratio <= most) continue;
        return refuse(axis_name(*call.op, i), " becomes ", ratio, " times as ", enlarged ? "large" : "small",
                      ", expected at most ", most, " times on ", name_of(call.mode.soc), "; resize in two steps");
    }
    return {};
}

}  // namespace

Failure shrink_limit(const Call& call) { return ratio_limit(call, 50, false); }
Failure factor_limit(const Call& call) { return ratio_limit(call, 50, true); }
Failure line_factor_limit(const Call& call) { return ratio_limit(call, 500, true); }

// ---- how each operator of the device finds its weights ----

namespace {

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

// Whether all scales fit the sizes, and none shrinks more than `most` times.
bool all_fit(const Call& call, double most) {
    const Sizes sizes(call);
    for (int i = 0; i < call.op->axes; ++i)
        if (!fits(sizes.in[i], call.scale(i), sizes.out[i]) || !(1 / call.scale(i) <= most)) return false;
    return true;
}

bool keeps_sizes(const Call& call) {
    const Sizes sizes(call);
    return std::equal(sizes.in, sizes.in + call.op->axes, sizes.out);
}

// A scale that leaves the step outside these bounds goes to a kernel that takes the sizes.
ResampleRule line_rule(const Call& call, int axis, int64_t, int64_t) {
    const double scale = call.scale(axis), step = 1 / scale;
    if (call.mode.soc == Soc::ascend950) return copying(given(scale > 0 ? scale : 0, true));
    return copying(given(scale > 0 && step >= 0.00125 && step <= 50 ? scale : 0));
}

// The gradient does not copy where the size stays.
ResampleRule line_gradient_rule(const Call& call, int axis, int64_t in, int64_t out) {
    const double scale = call.scale(axis);
    if (call.mode.soc == Soc::ascend950) return given(scale > 0 ? scale : 0, true);
    return given(scale > 1e-9 && fits(in, scale, out) ? scale : 0);
}

// Before Ascend950 both scales matter or none, and of channels-last images none.
ResampleRule image_rule(const Call& call, int axis, int64_t, int64_t) {
    if (call.mode.soc == Soc::ascend950) {
        const ResampleRule rule = given(call.scale(axis), true);
        return keeps_sizes(call) ? copying(rule) : rule;
    }
    const bool matter = !channels_last(call, *call.tensors[0]) && scale::all_given(call) && all_fit(call, 50);
    return copying(given(matter ? call.scale(axis) : 0));
}

ResampleRule image_gradient_rule(const Call& call, int axis, int64_t, int64_t) {
    if (call.mode.soc == Soc::ascend950) return given(call.scale(axis), true);
    return given(scale::all_given(call) && all_fit(call, 100) ? call.scale(axis) : 0);
}

ResampleRule old_image_gradient_rule(const Call& call, int axis, int64_t, int64_t) {
    return given(call.mode.soc == Soc::ascend950 ? call.scale(axis) : 0, true);
}

// All scales matter or none; Ascend950 fuses.
ResampleRule volume_rule(const Call& call, int axis, int64_t, int64_t) {
    ResampleRule rule = given(scale::all_given(call) ? call.scale(axis) : 0);
    rule.copies_same_size = !call.op->is_gradient;
    rule.fused = call.mode.soc == Soc::ascend950;
    return rule;
}

ResampleRule cubic_rule(const Call& call, int axis, int64_t, int64_t) {
    const ResampleRule rule = given(call.scale(axis));
    if (call.mode.soc == Soc::ascend950) return rule;
    return !call.op->is_gradient || keeps_sizes(call) ? copying(rule) : rule;
}

ResampleRule antialias_rule(const Call& call, int axis, int64_t, int64_t) { return copying(given(call.scale(axis))); }

ResampleRule cubic_antialias_rule(const Call& call, int axis, int64_t, int64_t) {
    return copying(given(call.scale(axis), call.mode.soc == Soc::ascend950 && !call.op->is_gradient));
}

}  // namespace

}  // namespace acltwin::resample

namespace acltwin {

#define ACLTWIN_RESAMPLE(name, filter, rule)                                                                      \
    namespace name {                                                                                              \
    std::unique_ptr<Plan> plan(const Call& call) { return resample::plan(call, Filter::filter, resample::rule); } \
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
