// out cell i collects the gradOutput cells [b(i), b(i + 1)) per axis, b(i) = min(ceil(i * s - 0.5), gradOutput's size).
// The values of outputSize are never compared with gradOutput: the device does not look at them.
#include <algorithm>

#include "ops/axes.h"
#include "ops/scale.h"
#include "ops/upsample_backward.h"

namespace acltwin::exact_backward {

namespace {

struct Arguments {
    explicit Arguments(const Call& call)
        : grad_output(call.tensors[0]), out(call.tensors[1]), input_size(call.arrays[1]) {}
    const Tensor *grad_output, *out;
    const IntArray* input_size;
};

}  // namespace

Failure grad_output_format(const Call& call) {
    if (Arguments(call).grad_output->format != Format::nhwc) return {};
    return refuse("{gradOutput} has format NHWC, expected NCHW or ND",
                  "; transpose the data, or describe it as an NCHW view with strides");
}

Failure out_batch(const Call& call) {
    const Arguments args(call);
    if (args.out == nullptr || std::equal(args.out->dims, args.out->dims + 2, args.grad_output->dims)) return {};
    return refuse("{out} is ", shape_of(*args.out), ", expected N, C = ", text_of(args.grad_output->dims, 2),
                  " like {gradOutput}; create it with these");
}

// Of arrays the result takes its shape from inputSize, so the whole of it must fit.
Failure input_size_batch(const Call& call) {
    const Arguments args(call);
    if (std::equal(args.input_size->values, args.input_size->values + 2, args.grad_output->dims)) return {};
    return refuse("{inputSize} is ", text_of(*args.input_size),
                  ", expected N, C = ", text_of(args.grad_output->dims, 2), " like {gradOutput}; pass these first");
}

Failure scale_factor(const Call& call) {
    const Arguments args(call);
    for (int i = 0; i < call.op->axes; ++i) {
        const double scale = call.scale(i);
        const double in = double(args.input_size->values[2 + i]), out = double(args.grad_output->dims[2 + i]);
        if ((scale > 0 ? 1 / scale : in / out) < 0.02) return scale::factor_too_large(call, i, out, in);
    }
    return {};
}

Failure input_size_positive(const Call& call) {
    const IntArray& size = *Arguments(call).input_size;
    if (std::all_of(size.values + 2, size.values + size.size, [](int64_t value) { return value > 0; })) return {};
    return refuse("{inputSize} is ", text_of(size), ", expected ", axis_names(*call.op, " and "),
                  " above 0; pass the size of the forward pass's input");
}

Failure grad_output_size(const Call& call) {
    const Tensor& grad_output = *Arguments(call).grad_output;
    if (!grad_output.empty()) return {};
    return refuse("{gradOutput} is ", shape_of(grad_output),
                  ", expected no dimension of 0; skip the call where there is no gradient");
}

Failure input_size_bytes(const Call& call) {
    const Arguments args(call);
    if (!bytes_overflow(args.input_size->values, args.input_size->size, size_of(args.grad_output->dtype))) return {};
    return refuse("{inputSize} is ", text_of(*args.input_size),
                  ", expected a result of fewer than 2^63 bytes; pass the size of the forward pass's input");
}

Failure out_shape(const Call& call) {
    const Arguments args(call);
    const int64_t* in = args.input_size->values;
    const int axes = call.op->axes;
    if (args.out == nullptr || std::equal(in + 2, in + 2 + axes, args.out->dims + 2)) return {};
    return refuse("{out} is ", shape_of(*args.out), ", expected ", axis_names(*call.op), " = ", text_of(in + 2, axes),
                  " of {inputSize}; create it with these");
}

Tensor infer(const Call& call, int) {
    const Arguments args(call);
    Tensor result = *args.grad_output;
    result.data = nullptr;
    std::copy_n(args.input_size->values + 2, call.op->axes, result.dims + 2);
    set_result_strides(call, result, *args.grad_output);
    return result;
}

std::unique_ptr<Plan> plan(const Call& call) { return upsample_backward::plan(call, upsample_backward::image_factor); }

}  // namespace acltwin::exact_backward
