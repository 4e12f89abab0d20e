// out cell i collects the gradOutput cells [b(i), b(i + 1)) per axis, b(i) = min(ceil(i * s - 0.5), gradOutput's size).
// The values of outputSize are never compared with gradOutput: the device does not look at them.
#include <algorithm>

#include "kernels/plans.h"
#include "ops/axes.h"
#include "ops/interval_table.h"
#include "ops/scale_rules.h"

namespace acltwin {

namespace {

constexpr const char* kScaleNames[2] = {"scalesH", "scalesW"};
constexpr char kAxisNames[] = {'H', 'W'};

struct Arguments {
    explicit Arguments(const Call& call)
        : grad_output(call.tensors[0]), out(call.tensors[1]), output_size(call.arrays[0]), input_size(call.arrays[1]) {}
    const Tensor *grad_output, *out;
    const IntArray *output_size, *input_size;
};

Failure pointers(const Call& call) {
    const Arguments args(call);
    return not_null(call, {{args.grad_output, "gradOutput", "grad_output_null"},
                           {args.output_size, "outputSize", "output_size_null"},
                           {args.input_size, "inputSize", "input_size_null"},
                           {args.out, "out", "out_null"}});
}

Failure soc(const Call& call) {
    if (call.mode.profile == Profile::documented) return soc_is_one_of(call, {Soc::ascend910b, Soc::ascend910_93});
    return soc_is_one_of(call, {Soc::ascend910b, Soc::ascend910_93, Soc::ascend950});
}

Failure tensor_shape(const Call& call) { return tensor_shapes(call, {"gradOutput", "out"}); }

// The device looks no further when a tensor is empty. Arrays are still judged: their result has yet to be made.
bool device_does_nothing(const Call& call) {
    const Arguments args(call);
    return from_aclnn(call) && (args.grad_output->empty() || args.out->empty());
}

Failure grad_output_dtype(const Call& call) {
    return dtype_is_float(call, "grad_output_dtype", "gradOutput", *Arguments(call).grad_output);
}

Failure out_dtype(const Call& call) {
    const Arguments args(call);
    if (args.out == nullptr) return {};
    return dtype_is_that_of(call, "out_dtype", "out", *args.out, "gradOutput", *args.grad_output);
}

Failure formats_equal(const Call& call) {
    const Arguments args(call);
    if (!from_aclnn(call) || args.grad_output->format == args.out->format) return {};
    return refuse(call, "formats_equal", "{gradOutput} has format ", name_of(args.grad_output->format), " and {out} ",
                  name_of(args.out->format), ", expected the same; create both with the same format");
}

Failure rank_is_4(const Call& call, const char* rule, const char* name, const Tensor* tensor) {
    if (tensor == nullptr || tensor->rank == 4) return {};
    return refuse(call, rule, "{", name, "} has ", tensor->rank, " dimensions, ", shape_of(*tensor),
                  ", expected 4 (N, C, H, W); add the missing dimensions with size 1");
}

Failure grad_output_rank(const Call& call) {
    return rank_is_4(call, "grad_output_rank", "gradOutput", Arguments(call).grad_output);
}

Failure out_rank(const Call& call) { return rank_is_4(call, "out_rank", "out", Arguments(call).out); }

Failure input_size_length(const Call& call) {
    return length_is(call, "input_size_length", "inputSize", *Arguments(call).input_size, 4,
                     "(N, C, H, W of the result)");
}

Failure output_size_length(const Call& call) {
    return length_is(call, "output_size_length", "outputSize", *Arguments(call).output_size, 2,
                     "(H, W of {gradOutput})");
}

Failure grad_output_format(const Call& call) {
    if (!from_aclnn(call) || Arguments(call).grad_output->format != Format::nhwc) return {};
    return refuse(call, "grad_output_format", "{gradOutput} has format NHWC, expected NCHW or ND",
                  "; transpose the data, or describe it as an NCHW view with strides");
}

Failure out_batch(const Call& call) {
    const Arguments args(call);
    if (args.out == nullptr || std::equal(args.out->dims, args.out->dims + 2, args.grad_output->dims)) return {};
    return refuse(call, "out_batch", "{out} is ", shape_of(*args.out),
                  ", expected N, C = ", text_of(args.grad_output->dims, 2), " like {gradOutput}; create it with these");
}

// Only arrays: their result takes its shape from inputSize, so the whole of it must fit.
Failure input_size_batch(const Call& call) {
    const Arguments args(call);
    if (from_aclnn(call) || std::equal(args.input_size->values, args.input_size->values + 2, args.grad_output->dims))
        return {};
    return refuse(call, "input_size_batch", "{inputSize} is ", text_of(*args.input_size),
                  ", expected N, C = ", text_of(args.grad_output->dims, 2), " like {gradOutput}; pass these first");
}

Failure scales_negative(const Call& call) { return scales_not_negative(call, {"scalesH", "scalesW"}); }

Failure scales_infinite(const Call& call) { return scales_finite(call, {"scalesH", "scalesW"}); }

Failure scale_factor(const Call& call) {
    if (!from_aclnn(call)) return {};
    const Arguments args(call);
    for (int i = 0; i < 2; ++i) {
        const double scale = call.scales[i];
        const double in = double(args.input_size->values[2 + i]), out = double(args.grad_output->dims[2 + i]);
        if ((scale > 0 ? 1 / scale : in / out) >= 0.02) continue;
        return factor_too_large(call, kAxisNames[i], kScaleNames[i], scale, out, in);
    }
    return {};
}

Failure input_size_positive(const Call& call) {
    const Arguments args(call);
    const int64_t* in = args.input_size->values;
    if (in[2] <= 0 || in[3] <= 0)
        return refuse(call, "input_size_positive", "{inputSize} is ", text_of(*args.input_size),
                      ", expected H and W above 0; pass the size of the forward pass's input");
    if (!from_aclnn(call) && bytes_overflow(in, 4, size_of(args.grad_output->dtype)))
        return refuse(call, "input_size_bytes", "{inputSize} is ", text_of(*args.input_size),
                      ", expected a result of fewer than 2^63 bytes; pass the size of the forward pass's input");
    return {};
}

Failure out_shape(const Call& call) {
    const Arguments args(call);
    const int64_t* in = args.input_size->values;
    if (args.out == nullptr || std::equal(in + 2, in + 4, args.out->dims + 2)) return {};
    return refuse(call, "out_shape", "{out} is ", shape_of(*args.out), ", expected H, W = ", text_of(in + 2, 2),
                  " of {inputSize}; create it with these");
}

Failure output_size_positive(const Call& call) {
    if (from_aclnn(call) && call.mode.profile == Profile::device) return {};
    return values_positive(call, "output_size_positive", "outputSize", *Arguments(call).output_size);
}

Failure check(const Call& call) {
    if (Failure failure = first_failure(call, {pointers, soc, tensor_shape})) return failure;
    if (device_does_nothing(call)) return {};
    return first_failure(
        call, {grad_output_dtype, out_dtype, formats_equal, grad_output_rank, out_rank, input_size_length,
               output_size_length, grad_output_format, out_batch, input_size_batch, scales_negative, scales_infinite,
               scale_factor, input_size_positive, out_shape, output_size_positive});
}

Tensor infer(const Call& call, int) {
    const Arguments args(call);
    Tensor result = *args.grad_output;
    result.data = nullptr;
    std::copy_n(args.input_size->values + 2, 2, result.dims + 2);
    set_strides_like(result, *args.grad_output, 1);
    return result;
}

std::unique_ptr<Plan> plan(const Call& call) {
    const Arguments args(call);
    if (device_does_nothing(call) || args.out->empty()) return nullptr;
    IntervalSum sum;
    sum.dtype = args.grad_output->dtype;
    read_axes(*args.grad_output, kNchw, sum.source_dims, sum.source_strides);
    read_axes(*args.out, kNchw, sum.result_dims, sum.result_strides);
    sum.begin[0] = {0, 1};  // the D axis that a 2-D tensor does not have
    for (int i = 0; i < 2; ++i)
        sum.begin[1 + i] = interval_table(sum.result_dims[3 + i], sum.source_dims[3 + i], call.scales[i],
                                          /*exact=*/true, call.mode.map);
    return plan_interval_sum(std::move(sum));
}

}  // namespace

const Operator upsample_nearest_exact2d_backward = {
    "upsample_nearest_exact2d_backward",
    "aclnnUpsampleNearestExact2dBackward",
    {"gradOutput", "out"},
    {"outputSize", "inputSize"},
    {"scalesH", "scalesW"},
    nullptr,
    2,
    1,
    2,
    2,
    check,
    infer,
    plan,
};

}  // namespace acltwin
