#include "ops/upsample3d_backward.h"

#include <algorithm>

#include "kernels/plans.h"
#include "ops/axes.h"
#include "ops/interval_table.h"
#include "ops/scale_rules.h"

namespace acltwin::upsample3d_backward {

namespace {

constexpr const char* kScaleNames[3] = {"scalesD", "scalesH", "scalesW"};
constexpr char kAxisNames[] = {'D', 'H', 'W'};

struct Arguments {
    explicit Arguments(const Call& call)
        : grad_out(call.tensors[0]),
          grad_input(call.tensors[1]),
          output_size(call.arrays[0]),
          input_size(call.arrays[1]) {}
    const Tensor *grad_out, *grad_input;
    const IntArray *output_size, *input_size;
};

// Sizes along N, C, D, H, W.
struct Sizes {
    int64_t dims[5];
    bool operator==(const Sizes& other) const { return std::equal(dims, dims + 5, other.dims); }
};

const AxisOrder& order_of(const Tensor& tensor) { return tensor.format == Format::ndhwc ? kNdhwc : kNcdhw; }

Sizes sizes_of(const Tensor& tensor) {
    Sizes sizes;
    read_axes(tensor, order_of(tensor), sizes.dims, nullptr);
    return sizes;
}

std::string stored_shape(const Sizes& sizes, const Tensor& tensor) {
    int64_t stored[5];
    for (int i = 0; i < 5; ++i) stored[order_of(tensor).axis[i]] = sizes.dims[i];
    return text_of(stored, 5);
}

const char* axes_text(const Tensor& tensor) {
    return tensor.format == Format::ndhwc ? "(N, D, H, W, C)" : "(N, C, D, H, W)";
}

bool fits(const Sizes& sizes, const Arguments& args) {
    const Sizes grad_out = sizes_of(*args.grad_out);
    if (grad_out.dims[0] != sizes.dims[0] || grad_out.dims[1] != sizes.dims[1]) return false;
    return args.grad_input == nullptr || (args.grad_input->rank == 5 && sizes_of(*args.grad_input) == sizes);
}

// gradInput's sizes. The device reads inputSize as N, C, D, H, W always; the document wants N, D, H, W, C for NDHWC
// tensors. Both are taken, the device's order first; the device profile knows the device's order alone.
Sizes input_sizes(const Call& call) {
    const Arguments args(call);
    const int64_t* v = args.input_size->values;
    const Sizes as_device = {{v[0], v[1], v[2], v[3], v[4]}};
    const Sizes as_document = {{v[0], v[4], v[1], v[2], v[3]}};
    const bool device_profile = from_aclnn(call) && call.mode.profile == Profile::device;
    if (args.grad_out->format != Format::ndhwc || device_profile || fits(as_device, args)) return as_device;
    return fits(as_document, args) ? as_document : as_device;
}

Failure dim_limit(const Call& call, const char* name, const Tensor& tensor) {
    constexpr int64_t kMost = int64_t(1) << 20;
    if (std::all_of(tensor.dims, tensor.dims + 5, [](int64_t dim) { return dim <= kMost; })) return {};
    return refuse(call, "dim_limit", "{", name, "} is ", shape_of(tensor),
                  ", expected no dimension above 2^20 = ", kMost, "; split the tensor, or set ACLTWIN_PROFILE=device");
}

Failure size_limits(const Call& call) {
    const Arguments args(call);
    const Sizes out = sizes_of(*args.grad_out), in = input_sizes(call);
    using Wide = __int128;  // every dim is at most 2^20 here
    const Wide planes = Wide(out.dims[0]) * out.dims[1];
    const Wide out_d = out.dims[2], out_h = out.dims[3], out_w = out.dims[4];
    const Wide in_d = in.dims[2], in_h = in.dims[3], in_w = in.dims[4];
    const Wide bytes =
        planes * (out_d * out_h * out_w + in_d * in_h * in_w + out_d * out_h * in_w + out_d * in_h * in_w) * 4;
    constexpr Wide kGiB = Wide(1) << 30, kRows = Wide(1) << 31;
    if (bytes >= 60 * kGiB)
        return refuse(
            call, "memory_limit", "the device needs ", double(bytes) / double(kGiB),
            " GiB for N*C*(oD*oH*oW + D*H*W + oD*oH*W + oD*H*W) float32 values, expected less than 60; split the "
            "tensors along N or C, or set ACLTWIN_PROFILE=device");
    if (planes * out_d * out_h >= kRows)
        return refuse(
            call, "rows_limit", "{gradOut} has ", int64_t(planes * out_d * out_h),
            " rows (N*C*D*H), expected fewer than 2^31; split it along N or C, or set ACLTWIN_PROFILE=device");
    if (in_w * in_h >= kRows)
        return refuse(call, "plane_limit", "{gradInput} has ", int64_t(in_w * in_h),
                      " cells per H, W plane, expected fewer than 2^31; set ACLTWIN_PROFILE=device to lift this limit");
    return {};
}

}  // namespace

Failure pointers(const Call& call) {
    const Arguments args(call);
    return not_null(call, {{args.grad_out, "gradOut", "grad_out_null"},
                           {args.output_size, "outputSize", "output_size_null"},
                           {args.input_size, "inputSize", "input_size_null"},
                           {args.grad_input, "gradInput", "grad_input_null"}});
}

Failure tensor_shape(const Call& call) { return tensor_shapes(call, {"gradOut", "gradInput"}); }

Failure grad_input_dtype(const Call& call) {
    const Arguments args(call);
    if (args.grad_input == nullptr) return {};
    return dtype_is_that_of(call, "grad_input_dtype", "gradInput", *args.grad_input, "gradOut", *args.grad_out);
}

Failure grad_out_rank(const Call& call) {
    const Tensor& grad_out = *Arguments(call).grad_out;
    if (grad_out.rank == 5) return {};
    return refuse(call, "grad_out_rank", "{gradOut} has ", grad_out.rank, " dimensions, ", shape_of(grad_out),
                  ", expected 5 ", axes_text(grad_out), "; add the missing dimensions with size 1");
}

Failure output_size_length(const Call& call) {
    return length_is(call, "output_size_length", "outputSize", *Arguments(call).output_size, 3,
                     "(D, H, W of {gradOut})");
}

Failure input_size_length(const Call& call) {
    return length_is(call, "input_size_length", "inputSize", *Arguments(call).input_size, 5,
                     "(N, C, D, H, W of the result)");
}

Failure input_size_positive(const Call& call) {
    const Arguments args(call);
    const Sizes in = input_sizes(call);
    if (in.dims[0] < 0 || in.dims[1] < 0 || in.dims[2] <= 0 || in.dims[3] <= 0 || in.dims[4] <= 0)
        return refuse(call, "input_size_positive", "{inputSize} is ", text_of(*args.input_size),
                      ", expected D, H, W above 0 and N, C not negative; pass the size of the forward pass's input");
    if (bytes_overflow(in.dims, 5, size_of(args.grad_out->dtype)))
        return refuse(call, "input_size_bytes", "{inputSize} is ", text_of(*args.input_size),
                      ", expected a result of fewer than 2^63 bytes; pass the size of the forward pass's input");
    return {};
}

Failure output_size_positive(const Call& call) {
    return values_positive(call, "output_size_positive", "outputSize", *Arguments(call).output_size);
}

Failure grad_out_shape(const Call& call) {
    const Arguments args(call);
    const Sizes in = input_sizes(call);
    const int64_t* out = args.output_size->values;
    const Sizes expected = {{in.dims[0], in.dims[1], out[0], out[1], out[2]}};
    if (sizes_of(*args.grad_out) == expected) return {};
    return refuse(call, "grad_out_shape", "{gradOut} is ", shape_of(*args.grad_out), ", expected ",
                  stored_shape(expected, *args.grad_out), " = ", axes_text(*args.grad_out),
                  " with N, C of {inputSize} = ", text_of(*args.input_size),
                  " and {outputSize} = ", text_of(*args.output_size),
                  "; correct {outputSize}, {inputSize} or the tensor");
}

Failure grad_input_shape(const Call& call) {
    const Arguments args(call);
    if (args.grad_input == nullptr) return {};
    const Sizes expected = input_sizes(call);
    if (args.grad_input->rank == 5 && sizes_of(*args.grad_input) == expected) return {};
    return refuse(call, "grad_input_shape", "{gradInput} is ", shape_of(*args.grad_input), ", expected ",
                  stored_shape(expected, *args.grad_input), " = ", axes_text(*args.grad_input),
                  " of {inputSize} = ", text_of(*args.input_size), "; create it with that shape");
}

Failure scale_factor(const Call& call) {
    if (!from_aclnn(call)) return {};
    const Sizes sizes = input_sizes(call);
    for (int i = 0; i < 3; ++i) {
        const double scale = call.scales[i];
        const double out = double(Arguments(call).output_size->values[i]), in = double(sizes.dims[2 + i]);
        if ((scale > 0 ? scale : out / in) <= 50) continue;
        return factor_too_large(call, kAxisNames[i], kScaleNames[i], scale, out, in);
    }
    return {};
}

Failure documented_limits(const Call& call) {
    if (!documented_profile(call)) return {};
    const Arguments args(call);
    if (Failure failure = dim_limit(call, "gradOut", *args.grad_out)) return failure;
    if (Failure failure = dim_limit(call, "gradInput", *args.grad_input)) return failure;
    if (Failure failure = size_limits(call)) return failure;
    return output_size_scale(call, input_sizes(call).dims + 2);
}

Failure formats_equal(const Call& call) {
    const Arguments args(call);
    if (!from_aclnn(call)) return {};
    if ((args.grad_out->format == Format::ndhwc) == (args.grad_input->format == Format::ndhwc)) return {};
    return refuse(call, "formats_equal", "{gradOut} has format ", name_of(args.grad_out->format), " and {gradInput} ",
                  name_of(args.grad_input->format),
                  ", expected both NDHWC or neither (the device answers 561103); create both with the same format");
}

Failure scales(const Call& call) {
    if (from_aclnn(call)) return {};
    if (Failure failure = scales_not_negative(call, {"scalesD", "scalesH", "scalesW"})) return failure;
    return scales_finite(call, {"scalesD", "scalesH", "scalesW"});
}

Tensor infer(const Call& call, int) {
    const Tensor& grad_out = *Arguments(call).grad_out;
    const Sizes in = input_sizes(call);
    Tensor result;
    result.dtype = grad_out.dtype;
    result.format = grad_out.format;
    result.rank = 5;
    for (int i = 0; i < 5; ++i) result.dims[order_of(grad_out).axis[i]] = in.dims[i];
    if (grad_out.format == Format::ndhwc)
        result.set_contiguous_strides();
    else
        set_strides_like(result, grad_out, 1);
    return result;
}

std::unique_ptr<Plan> plan(const Call& call, bool exact) {
    const Arguments args(call);
    if (args.grad_input->empty()) return nullptr;
    IntervalSum sum;
    sum.dtype = args.grad_out->dtype;
    read_axes(*args.grad_out, order_of(*args.grad_out), sum.source_dims, sum.source_strides);
    read_axes(*args.grad_input, order_of(*args.grad_input), sum.result_dims, sum.result_strides);
    const Scales3d scales(call);
    for (int i = 0; i < 3; ++i)
        sum.begin[i] =
            interval_table(sum.result_dims[2 + i], sum.source_dims[2 + i], scales.axis[i], exact, call.mode.map);
    return plan_interval_sum(std::move(sum));
}

}  // namespace acltwin::upsample3d_backward
