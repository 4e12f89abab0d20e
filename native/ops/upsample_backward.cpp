#include "ops/upsample_backward.h"

#include <algorithm>

#include "kernels/plans.h"
#include "ops/axes.h"
#include "ops/interval_table.h"
#include "ops/scale.h"

namespace acltwin::upsample_backward {

namespace {

struct Arguments {
    explicit Arguments(const Call& call)
        : grad_out(call.tensors[0]),
          grad_input(call.tensors[1]),
          output_size(call.arrays[0]),
          input_size(call.arrays[1]) {}
    const Tensor *grad_out, *grad_input;
    const IntArray *output_size, *input_size;
};

// Sizes along N, C, D, H, W; D is 1 for images.
struct Sizes {
    int64_t dims[5];
    bool operator==(const Sizes& other) const { return std::equal(dims, dims + 5, other.dims); }
};

int rank_of(const Call& call) { return 2 + call.op->axes; }

Sizes sizes_of(const Call& call, const Tensor& tensor) {
    Sizes sizes;
    read_axes(call, tensor, sizes.dims, nullptr);
    return sizes;
}

bool has_sizes(const Call& call, const Tensor& tensor, const Sizes& sizes) {
    return tensor.rank == rank_of(call) && sizes_of(call, tensor) == sizes;
}

std::string stored_shape(const Call& call, const Sizes& sizes, Format format) {
    const AxisOrder order = axis_order(call, rank_of(call), format);
    int64_t stored[5];
    for (int i = 0; i < 5; ++i)
        if (order.axis[i] >= 0) stored[order.axis[i]] = sizes.dims[i];
    return text_of(stored, rank_of(call));
}

bool fits(const Call& call, const Sizes& sizes) {
    const Arguments args(call);
    const Sizes grad_out = sizes_of(call, *args.grad_out);
    if (grad_out.dims[0] != sizes.dims[0] || grad_out.dims[1] != sizes.dims[1]) return false;
    return args.grad_input == nullptr || has_sizes(call, *args.grad_input, sizes);
}

// inputSize read as the sizes of a tensor of this format.
Sizes read_sizes(const Call& call, Format format) {
    Tensor described;
    described.rank = rank_of(call);
    described.format = format;
    std::copy_n(Arguments(call).input_size->values, described.rank, described.dims);
    return sizes_of(call, described);
}

// gradInput's sizes. Of channels-last tensors the device reads inputSize in one of the two orders. Where the documents
// name the other one, and for arrays, both are taken, the device's first.
Sizes input_sizes(const Call& call) {
    const Tensor& grad_out = *Arguments(call).grad_out;
    const Sizes channels_first = read_sizes(call, Format::nd), as_tensor = read_sizes(call, grad_out.format);
    const bool follows = call.op->input_size_follows_format;
    const Sizes &device = follows ? as_tensor : channels_first, &other = follows ? channels_first : as_tensor;
    if (from_aclnn(call) && (follows || call.mode.profile == Profile::device)) return device;
    return fits(call, device) || !fits(call, other) ? device : other;
}

}  // namespace

Failure input_size_positive(const Call& call) {
    const Sizes in = input_sizes(call);
    const bool positive = std::all_of(in.dims + 2, in.dims + 5, [](int64_t size) { return size > 0; });
    if (positive && in.dims[0] >= 0 && in.dims[1] >= 0) return {};
    return refuse("{inputSize} is ", text_of(*Arguments(call).input_size), ", expected ", axis_names(*call.op),
                  " above 0 and N, C not negative; pass the size of the forward pass's input");
}

Failure input_size_bytes(const Call& call) {
    const Arguments args(call);
    if (!bytes_overflow(input_sizes(call).dims, 5, size_of(args.grad_out->dtype))) return {};
    return refuse("{inputSize} is ", text_of(*args.input_size),
                  ", expected a result of fewer than 2^63 bytes; pass the size of the forward pass's input");
}

Failure grad_out_shape(const Call& call) {
    const Arguments args(call);
    Sizes expected = input_sizes(call);
    std::copy_n(args.output_size->values, call.op->axes, expected.dims + 5 - call.op->axes);
    if (has_sizes(call, *args.grad_out, expected)) return {};
    return refuse(
        "{gradOut} is ", shape_of(*args.grad_out), ", expected ", stored_shape(call, expected, args.grad_out->format),
        " = ", axes_text(call, *args.grad_out), " with N, C of {inputSize} = ", text_of(*args.input_size),
        " and {outputSize} = ", text_of(*args.output_size), "; correct {outputSize}, {inputSize} or the tensor");
}

Failure grad_input_shape(const Call& call) {
    const Arguments args(call);
    if (args.grad_input == nullptr) return {};
    const Sizes expected = input_sizes(call);
    if (has_sizes(call, *args.grad_input, expected)) return {};
    return refuse(result_name(call), " is ", shape_of(*args.grad_input), ", expected ",
                  stored_shape(call, expected, args.grad_input->format), " = ",
                  axes_text(call, rank_of(call), args.grad_input->format),
                  " of {inputSize} = ", text_of(*args.input_size), "; create it with that shape");
}

// The same rule where the result is called out.
Failure out_shape(const Call& call) { return grad_input_shape(call); }

Failure scale_factor(const Call& call) {
    const Sizes sizes = input_sizes(call);
    for (int i = 0; i < call.op->axes; ++i) {
        const double out = double(Arguments(call).output_size->values[i]);
        const double in = double(sizes.dims[5 - call.op->axes + i]);
        if ((call.scale(i) > 0 ? call.scale(i) : out / in) > 50) return scale::factor_too_large(call, i, out, in);
    }
    return {};
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
        const Sizes out = sizes_of(call, *Arguments(call).grad_out), in = input_sizes(call);
        const Wide planes = Wide(out.dims[0]) * out.dims[1];
        const Wide out_d = out.dims[2], out_h = out.dims[3], out_w = out.dims[4];
        const Wide in_d = in.dims[2], in_h = in.dims[3], in_w = in.dims[4];
        bytes = planes * (out_d * out_h * out_w + in_d * in_h * in_w + out_d * out_h * in_w + out_d * in_h * in_w) * 4;
        rows = planes * out_d * out_h;
        cells = in_h * in_w;
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
    return refuse(result_name(call), " has ", int64_t(cells),
                  " cells per H, W plane, expected fewer than 2^31; set ACLTWIN_PROFILE=device to lift this limit");
}

Failure output_size_scale(const Call& call) {
    return scale::output_size_scale(call, input_sizes(call).dims + 5 - call.op->axes);
}

Tensor infer(const Call& call, int) {
    const Tensor& grad_out = *Arguments(call).grad_out;
    const Sizes in = input_sizes(call);
    const AxisOrder order = axis_order(call, grad_out);
    Tensor result;
    result.dtype = grad_out.dtype;
    result.format = grad_out.format;
    result.rank = rank_of(call);
    for (int i = 0; i < 5; ++i)
        if (order.axis[i] >= 0) result.dims[order.axis[i]] = in.dims[i];
    set_result_strides(call, result, grad_out);
    return result;
}

float image_factor(const Call& call, int axis, int64_t in, int64_t out) {
    return device_factor(in, out, call.scale(axis));
}

std::unique_ptr<Plan> plan(const Call& call, DeviceFactor factor) {
    const Arguments args(call);
    IntervalSum sum;
    sum.dtype = args.grad_out->dtype;
    read_axes(call, *args.grad_out, sum.source_dims, sum.source_strides);
    read_axes(call, *args.grad_input, sum.result_dims, sum.result_strides);
    for (int axis = 0; axis < 3 - call.op->axes; ++axis)
        sum.begin[axis] = {0, 1};  // those that the tensors do not have
    for (int i = 0; i < call.op->axes; ++i) {
        const int axis = 3 - call.op->axes + i;
        const int64_t in = sum.result_dims[2 + axis], out = sum.source_dims[2 + axis];
        sum.begin[axis] = call.mode.map == MapRule::device
                              ? device_intervals(in, out, factor(call, i, in, out), call.op->exact)
                              : interval_table(in, out, call.scale(i), call.op->exact, call.mode.map);
    }
    return plan_interval_sum(std::move(sum));
}

}  // namespace acltwin::upsample_backward
