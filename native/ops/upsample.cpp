// The rules and results of upsamplings and their gradients, nearest, linear and cubic ones.
#include "ops/upsample.h"

#include <cmath>

namespace acltwin {

namespace upsample_backward {

namespace {

bool fits(const Call& call, const Tensor& input) {
    const Tensor *const result = call.tensors[1], &grad_out = *call.tensors[0];
    const BatchSizes own = batch_of(call, grad_out), other = batch_of(call, input);
    return std::equal(own.size, own.size + 2, other.size) && (result == nullptr || has_sizes(call, *result, input));
}

// The forward pass's input, in the order of gradOut's axes. Of channels-last tensors the device reads inputSize in one
// of the two orders. Where the documents name the other one, and for arrays, both are taken, the device's first.
Tensor input(const Call& call) {
    const Tensor& grad_out = *call.tensors[0];
    const auto read = [&](Format format) {
        Tensor input;
        input.dtype = grad_out.dtype;
        input.format = format;
        input.rank = grad_out.rank;
        std::copy_n(call.arrays[1]->values, input.rank, input.dims);
        return in_order_of(call, input, grad_out.format);
    };
    const bool follows = call.op->input_size_follows_format;
    const Tensor device = read(follows ? grad_out.format : Format::nd);
    if (!channels_last(call, grad_out)) return device;
    if (from_aclnn(call) && (follows || call.mode.profile == Profile::device)) return device;
    const Tensor other = read(follows ? Format::nd : grad_out.format);
    return fits(call, device) || !fits(call, other) ? device : other;
}

}  // namespace

}  // namespace upsample_backward

namespace upsample {

Sizes::Sizes(const Call& call) : axes(call.op->axes) {
    const Tensor input = call.op->is_gradient ? upsample_backward::input(call) : *call.tensors[0];
    std::copy_n(plane_of(call, input), axes, in);
    std::copy_n(call.arrays[0]->values, axes, out);
}

namespace {

const char* name_of_scale(const Call& call, int axis) { return call.op->scalar[call.op->first_scale + axis].name; }

template <class Predicate>
bool all_scales(const Call& call, Predicate predicate) {
    for (int i = 0; i < call.op->scales; ++i)
        if (!predicate(call.scale(i))) return false;
    return true;
}

Failure refuse_infinite(const Call& call, int axis) {
    return refuse("{", name_of_scale(call, axis),
                  "} is inf, expected a finite factor, or 0 for none; pass 0 to use only the sizes");
}

// Refuses the first scale that does not fit the sizes; `none` is what stands for no scale.
Failure scales_fit(const Call& call, const char* none, bool (*fits)(double scale, double in, double out)) {
    const Sizes sizes(call);
    for (int i = 0; i < sizes.axes; ++i) {
        const double scale = call.scale(i), in = double(sizes.in[i]);
        if (fits(scale, in, double(sizes.out[i]))) continue;
        return refuse("{", name_of_scale(call, i), "} is ", scale, ", and ", axis_name(*call.op, i), " = ", sizes.in[i],
                      " times that is ", in * scale, ", expected ", sizes.out[i],
                      " = {outputSize} after rounding down; pass ", none, " to use the sizes");
    }
    return {};
}

bool nearly_fits(double scale, double in, double out) {
    return std::floor(in * (scale - 1e-5)) <= out && out <= std::floor(in * (scale + 1e-5));
}

// Of the device's two ways to look at the factor, which round differently.
enum class Limit { factor, step };

Failure factor_limit(const Call& call, const int64_t in_sizes[], const int64_t out_sizes[], Limit limit) {
    for (int i = 0; i < call.op->axes; ++i) {
        const double scale = call.scale(i), in = double(in_sizes[i]), out = double(out_sizes[i]);
        const double factor = scale > 0 ? scale : out / in, step = scale > 0 ? 1 / scale : in / out;
        if (limit == Limit::factor ? !(factor > 50) : !(step < 0.02)) continue;
        const std::string given = sentence("{", name_of_scale(call, i), "} = ", scale);
        return refuse(axis_name(*call.op, i), " is enlarged ", factor, " times (",
                      scale > 0 ? given : sentence(out, " / ", in, " cells; ", given, " counts as not given"),
                      "), expected at most 50 times; use a smaller factor");
    }
    return {};
}

}  // namespace

bool all_given(const Call& call) { return all_scales(call, scale_given); }

Failure output_size_scale(const Call& call) {
    if (!all_scales(call, [](double scale) { return scale > 0; })) return {};
    const Sizes sizes(call);
    for (int i = 0; i < sizes.axes; ++i) {
        const double scale = call.scale(i), most = std::floor(double(sizes.in[i]) * (scale + 1e-5));
        if (nearly_fits(scale, double(sizes.in[i]), double(sizes.out[i]))) continue;
        if (std::isinf(scale)) return refuse_infinite(call, i);  // no size would do
        return refuse("{outputSize} is ", text_of(*call.arrays[0]), ", but ", axis_name(*call.op, i), " = ",
                      sizes.in[i], " times {", name_of_scale(call, i), "} = ", scale, " is ", most, ", expected ", most,
                      " on that axis; correct one of them, or pass all scales as 0 to use only the sizes");
    }
    return {};
}

}  // namespace upsample

namespace scale {

Failure scales_negative(const Call& call) {
    for (int i = 0; i < call.op->scales; ++i)
        if (call.scale(i) < 0)
            return refuse("{", upsample::name_of_scale(call, i), "} is ", call.scale(i),
                          call.op->is_gradient ? ", expected the forward pass's factor, or 0 for none"
                                               : ", expected output size / input size, or 0 for none",
                          "; pass 0 to use only the sizes");
    return {};
}

Failure scales_infinite(const Call& call) {
    for (int i = 0; i < call.op->scales; ++i)
        if (std::isinf(call.scale(i))) return upsample::refuse_infinite(call, i);
    return {};
}

}  // namespace scale

namespace resample {

Failure float64_format(const Call& call) {
    const Tensor& self = *call.tensors[0];
    if (self.dtype != DType::float64 || channels_last(call, self)) return {};
    return refuse("{self} is float64 with format ", name_of(self.format),
                  ", expected NHWC for float64; convert it to float32, or transpose it");
}

// Before Ascend950, a scale that is not negative must give outputSize: 0 does not.
Failure scale_fits(const Call& call) {
    if (is_950(call)) return {};
    return upsample::scales_fit(
        call, "-1", [](double scale, double in, double out) { return scale < 0 || std::floor(in * scale) == out; });
}

// Before Ascend950, each scale above 0 must give outputSize, or nearly.
Failure scale_sizes(const Call& call) {
    if (is_950(call)) return {};
    return upsample::scales_fit(call, "0", [](double scale, double in, double out) {
        return !(scale > 0) || upsample::nearly_fits(scale, in, out);
    });
}

namespace {

Failure ratio_limit(const Call& call, double most, bool enlarged) {
    if (call.mode.soc != Soc::ascend910b && call.mode.soc != Soc::ascend910_93) return {};
    const upsample::Sizes sizes(call);
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

}  // namespace resample

namespace upsample_backward {

Tensor infer(const Call& call, int) {
    Tensor result = input(call);
    set_result_strides(call, result, *call.tensors[0]);
    return result;
}

Failure input_size_positive(const Call& call) {
    const Tensor in = input(call);
    const int64_t* const plane = plane_of(call, in);
    if (std::all_of(in.dims, in.dims + in.rank, [](int64_t size) { return size >= 0; }) &&
        std::all_of(plane, plane + call.op->axes, [](int64_t size) { return size > 0; }))
        return {};
    return refuse("{inputSize} is ", text_of(*call.arrays[1]), ", expected ", axis_names(*call.op),
                  " above 0 and N, C not negative; pass the size of the forward pass's input");
}

Failure grad_out_shape(const Call& call) {
    const Tensor expected = with_plane(call, input(call), call.arrays[0]->values);
    return has_shape(call, 0, expected, [](const Call& of, const Tensor& ordered) {
        return sentence(" = ", axes_text(of, ordered), " with N, C of {inputSize} = ", text_of(*of.arrays[1]),
                        " and {outputSize} = ", text_of(*of.arrays[0]),
                        "; correct {outputSize}, {inputSize} or the tensor");
    });
}

Failure scale_factor(const Call& call) {
    const upsample::Sizes sizes(call);
    return upsample::factor_limit(call, sizes.in, sizes.out, upsample::Limit::factor);
}

// ---- what the documents say about the hardware ----

Failure dim_limit(const Call& call) {
    constexpr int64_t kMost = int64_t(1) << 20;
    for (int i = 0; i < call.op->tensors; ++i) {
        const Tensor& tensor = *call.tensors[i];
        if (std::any_of(tensor.dims, tensor.dims + tensor.rank, [](int64_t dim) { return dim > kMost; }))
            return refuse("{", call.op->tensor[i].name, "} is ", shape_of(tensor),
                          ", expected no dimension above 2^20 = ", kMost,
                          "; split the tensor, or set ACLTWIN_PROFILE=device");
    }
    return {};
}

namespace {

// No product of these can overflow: every dim is at most 2^20, once "dim_limit" has passed.
using Wide = __int128;
struct Limits {
    explicit Limits(const Call& call) {
        const BatchSizes batch = batch_of(call, *call.tensors[0]);
        const upsample::Sizes sizes(call);
        const auto [in_d, in_h, in_w] = sizes.in;
        const auto [out_d, out_h, out_w] = sizes.out;
        rows = Wide(batch.size[0]) * batch.size[1] * out_d * out_h;
        cells = Wide(in_h) * in_w;
        bytes = Wide(batch.size[0]) * batch.size[1] * 4 *
                (Wide(out_d) * out_h * out_w + in_d * cells + Wide(out_d) * out_h * in_w + Wide(out_d) * cells);
    }
    Wide bytes, rows, cells;
};
constexpr Wide kGiB = Wide(1) << 30, kMostRows = Wide(1) << 31;

}  // namespace

Failure memory_limit(const Call& call) {
    const Wide bytes = Limits(call).bytes;
    if (bytes < 60 * kGiB) return {};
    return refuse("the device needs ", double(bytes) / double(kGiB),
                  " GiB for N*C*(oD*oH*oW + D*H*W + oD*oH*W + oD*H*W) float32 values, expected less than 60; split the "
                  "tensors along N or C, or set ACLTWIN_PROFILE=device");
}

Failure rows_limit(const Call& call) {
    const Wide rows = Limits(call).rows;
    if (rows < kMostRows) return {};
    return refuse("{gradOut} has ", int64_t(rows),
                  " rows (N*C*D*H), expected fewer than 2^31; split it along N or C, or set ACLTWIN_PROFILE=device");
}

Failure plane_limit(const Call& call) {
    const Wide cells = Limits(call).cells;
    if (cells < kMostRows) return {};
    return refuse("{", call.op->tensor[1].name, "} has ", int64_t(cells),
                  " cells per H, W plane, expected fewer than 2^31; set ACLTWIN_PROFILE=device to lift this limit");
}

}  // namespace upsample_backward

// Along one and two axes, the gradient of nearest-exact upsampling looks at gradOutput and never at outputSize.
namespace exact_backward {

Tensor infer(const Call& call, int) { return with_plane(call, *call.tensors[0], call.arrays[1]->values + 2); }

Failure grad_output_format(const Call& call) {
    if (call.tensors[0]->format != Format::nhwc) return {};
    return refuse("{gradOutput} has format NHWC, expected NCHW or ND",
                  "; transpose the data, or describe it as an NCHW view with strides");
}

// Of arrays the result takes its shape from inputSize, so the whole of it must fit.
Failure input_size_batch(const Call& call) {
    const int64_t *const size = call.arrays[1]->values, *const dims = call.tensors[0]->dims;
    if (std::equal(size, size + 2, dims)) return {};
    return refuse("{inputSize} is ", text_of(*call.arrays[1]), ", expected N, C = ", text_of(dims, 2),
                  " like {gradOutput}; pass these first");
}

Failure scale_factor(const Call& call) {
    return upsample::factor_limit(call, call.arrays[1]->values + 2, call.tensors[0]->dims + 2, upsample::Limit::step);
}

Failure input_size_positive(const Call& call) {
    const IntArray& size = *call.arrays[1];
    if (std::all_of(size.values + 2, size.values + size.size, [](int64_t value) { return value > 0; })) return {};
    return refuse("{inputSize} is ", text_of(size), ", expected ", axis_names(*call.op, " and "),
                  " above 0; pass the size of the forward pass's input");
}

}  // namespace exact_backward

}  // namespace acltwin
