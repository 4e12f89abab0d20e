#include "ops/pool_rules.h"

#include <algorithm>
#include <iterator>
#include <limits>

namespace acltwin::pool {

namespace {

const IntArray& kernel_size(const Call& call) { return *call.arrays[0]; }
const IntArray& stride(const Call& call) { return *call.arrays[1]; }
const IntArray& padding(const Call& call) { return *call.arrays[2]; }
const IntArray& dilation(const Call& call) { return *call.arrays[3]; }

bool is_private(Format format) {
    const Format formats[] = {Format::nc1hwc0,          Format::nc1hwc0_c04,     Format::ndc1hwc0,
                              Format::fractal_z,        Format::fractal_z_3d,    Format::fractal_nz,
                              Format::fractal_nz_c0_2,  Format::fractal_nz_c0_4, Format::fractal_nz_c0_8,
                              Format::fractal_nz_c0_16, Format::fractal_nz_c0_32};
    return std::find(std::begin(formats), std::end(formats), format) != std::end(formats);
}

}  // namespace

PoolAxis axis(const Call& call, int i) {
    return pool_axis(kernel_size(call), stride(call), padding(call), dilation(call), i);
}

std::string window_text(const Call& call) {
    return "{kernelSize} " + text_of(kernel_size(call)) + ", {stride} " + text_of(stride(call)) + ", {padding} " +
           text_of(padding(call)) + ", {dilation} " + text_of(dilation(call)) + ", {ceilMode} " +
           (call.flag ? "true" : "false");
}

Failure soc(const Call& call) { return soc_is_one_of(call, {Soc::ascend910b, Soc::ascend910_93, Soc::ascend950}); }

Failure self_dtype(const Call& call, const Tensor& self) { return dtype_is_float(call, "self_dtype", "self", self); }

Failure indices_dtype(const Call& call, const Tensor* indices) {
    if (indices == nullptr) return {};
    return dtype_is_one_of(call, "indices_dtype", "indices", *indices, {DType::int32, DType::int64});
}

Failure indices_soc_dtype(const Call& call, const Tensor* indices) {
    if (!from_aclnn(call) || call.mode.soc == Soc::ascend950 || indices->dtype == DType::int32) return {};
    return refuse(call, "indices_soc_dtype", "{indices} is int64, expected int32 on ", name_of(call.mode.soc),
                  "; convert it to int32 (only Ascend950 takes int64)");
}

Failure private_format(const Call& call, std::initializer_list<const char*> names) {
    if (!from_aclnn(call)) return {};
    const Tensor* const* next = call.tensors;
    for (const char* name : names) {
        const Format format = (*next++)->format;
        if (is_private(format))
            return refuse(call, "private_format", "{", name, "} has the private format ", name_of(format),
                          ", expected a public one; create it as ND or NCDHW");
    }
    return {};
}

Failure rank_is_4_or_5(const Call& call, const char* rule, const char* name, const Tensor* tensor) {
    if (tensor == nullptr || tensor->rank == 4 || tensor->rank == 5) return {};
    return refuse(call, rule, "{", name, "} has ", tensor->rank, " dimensions, ", shape_of(*tensor),
                  ", expected 4 (C, D, H, W) or 5 (N, C, D, H, W); add the missing dimensions with size 1");
}

Failure kernel_size_length(const Call& call) {
    return length_is_1_or_3(call, "kernel_size_length", "kernelSize", kernel_size(call));
}
Failure kernel_size_positive(const Call& call) {
    return values_positive(call, "kernel_size_positive", "kernelSize", kernel_size(call));
}
Failure stride_length(const Call& call) {
    if (stride(call).size == 0) return {};  // the kernel size
    return length_is_1_or_3(call, "stride_length", "stride", stride(call));
}
Failure stride_positive(const Call& call) { return values_positive(call, "stride_positive", "stride", stride(call)); }
Failure padding_length(const Call& call) { return length_is_1_or_3(call, "padding_length", "padding", padding(call)); }
Failure padding_negative(const Call& call) {
    const IntArray& values = padding(call);
    if (std::all_of(values.values, values.values + values.size, [](int64_t value) { return value >= 0; })) return {};
    return refuse(call, "padding_negative", "{padding} is ", text_of(values),
                  ", expected no value below 0; correct it");
}

Failure padding_half(const Call& call) {
    for (int i = 0; i < 3; ++i) {
        if (value_on_axis(padding(call), i) > value_on_axis(kernel_size(call), i) / 2)
            return refuse(call, "padding_half", "{padding} is ", text_of(padding(call)), " with {kernelSize} ",
                          text_of(kernel_size(call)),
                          ", expected at most half the kernel on each axis; use less padding");
    }
    return {};
}

Failure dilation_length(const Call& call) {
    return length_is_1_or_3(call, "dilation_length", "dilation", dilation(call));
}
Failure dilation_positive(const Call& call) {
    return values_positive(call, "dilation_positive", "dilation", dilation(call));
}
Failure dilation_one(const Call& call) {
    const IntArray& values = dilation(call);
    if (!documented_profile(call)) return {};
    if (std::all_of(values.values, values.values + values.size, [](int64_t value) { return value == 1; })) return {};
    return refuse(call, "dilation_one", "{dilation} is ", text_of(values),
                  ", expected 1: the device supports no other; pass 1, or set ACLTWIN_PROFILE=device");
}

Failure plane_size(const Call& call, const Tensor& self) {
    if (!from_aclnn(call) || call.mode.soc == Soc::ascend950) return {};
    const int64_t* plane = self.dims + self.rank - 3;
    constexpr int64_t kMost = std::numeric_limits<int32_t>::max();
    const int64_t cells = plane[0] * plane[1] * plane[2];
    if (cells <= kMost) return {};
    return refuse(call, "plane_size", "{self} is ", shape_of(self), " with D*H*W = ", cells,
                  ", expected at most 2^31 - 1 on ", name_of(call.mode.soc),
                  ", whose indices are int32; use smaller planes, or set ACLTWIN_SOC=Ascend950");
}

}  // namespace acltwin::pool
