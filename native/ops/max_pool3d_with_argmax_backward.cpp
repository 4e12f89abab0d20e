// gradInput = 0, then gradInput[n, c, indices[n, c, j]] += gradOutput[n, c, j] in ascending j.
// The values of self are never read.
#include <algorithm>
#include <limits>

#include "kernels/plans.h"
#include "ops/pool_rules.h"

namespace acltwin {

namespace {

struct Arguments {
    explicit Arguments(const Call& call)
        : grad_output(call.tensors[0]),
          self(call.tensors[1]),
          indices(call.tensors[2]),
          grad_input(call.tensors[3]),
          kernel_size(call.arrays[0]),
          stride(call.arrays[1]),
          padding(call.arrays[2]),
          dilation(call.arrays[3]) {}
    const Tensor *grad_output, *self, *indices, *grad_input;
    const IntArray *kernel_size, *stride, *padding, *dilation;
};

Failure pointers(const Call& call) {
    const Arguments args(call);
    return not_null(call, {{args.grad_output, "gradOutput", "grad_output_null"},
                           {args.self, "self", "self_null"},
                           {args.indices, "indices", "indices_null"},
                           {args.kernel_size, "kernelSize", "kernel_size_null"},
                           {args.stride, "stride", "stride_null"},
                           {args.padding, "padding", "padding_null"},
                           {args.dilation, "dilation", "dilation_null"},
                           {args.grad_input, "gradInput", "grad_input_null"}});
}

Failure tensor_shape(const Call& call) { return tensor_shapes(call, {"gradOutput", "self", "indices", "gradInput"}); }

Failure self_dtype(const Call& call) { return pool::self_dtype(call, *Arguments(call).self); }
Failure indices_dtype(const Call& call) { return pool::indices_dtype(call, Arguments(call).indices); }
Failure indices_soc_dtype(const Call& call) { return pool::indices_soc_dtype(call, Arguments(call).indices); }

Failure grad_output_dtype(const Call& call) {
    const Arguments args(call);
    return dtype_is_that_of(call, "grad_output_dtype", "gradOutput", *args.grad_output, "self", *args.self);
}

Failure grad_input_dtype(const Call& call) {
    const Arguments args(call);
    if (args.grad_input == nullptr) return {};
    return dtype_is_that_of(call, "grad_input_dtype", "gradInput", *args.grad_input, "self", *args.self);
}

Failure formats_equal(const Call& call) {
    const Arguments args(call);
    const Format format = args.self->format;
    if (!from_aclnn(call) || (args.grad_output->format == format && args.grad_input->format == format)) return {};
    return refuse(call, "formats_equal", "{self} has format ", name_of(format), ", {gradOutput} ",
                  name_of(args.grad_output->format), ", {gradInput} ", name_of(args.grad_input->format),
                  ", expected the same; create all three with the same format");
}

Failure private_format(const Call& call) {
    return pool::private_format(call, {"gradOutput", "self", "indices", "gradInput"});
}

Failure grad_output_rank(const Call& call) {
    return pool::rank_is_4_or_5(call, "grad_output_rank", "gradOutput", Arguments(call).grad_output);
}
Failure self_rank(const Call& call) { return pool::rank_is_4_or_5(call, "self_rank", "self", Arguments(call).self); }
Failure indices_rank(const Call& call) {
    return pool::rank_is_4_or_5(call, "indices_rank", "indices", Arguments(call).indices);
}
Failure grad_input_rank(const Call& call) {
    return pool::rank_is_4_or_5(call, "grad_input_rank", "gradInput", Arguments(call).grad_input);
}

Failure plane_size(const Call& call) { return pool::plane_size(call, *Arguments(call).self); }

Failure indices_shape(const Call& call) {
    const Arguments args(call);
    return shape_is_that_of(call, "indices_shape", "indices", args.indices, "gradOutput", *args.grad_output);
}
Failure grad_input_shape(const Call& call) {
    const Arguments args(call);
    return shape_is_that_of(call, "grad_input_shape", "gradInput", args.grad_input, "self", *args.self);
}

Failure grad_output_batch(const Call& call) {
    const Arguments args(call);
    const int batch = args.self->rank - 3;
    if (args.grad_output->rank == args.self->rank &&
        std::equal(args.self->dims, args.self->dims + batch, args.grad_output->dims))
        return {};
    return refuse(
        call, "grad_output_batch", "{gradOutput} is ", shape_of(*args.grad_output), ", expected ",
        batch == 1 ? "(C, D, H, W) with C = " : "(N, C, D, H, W) with N, C = ", text_of(args.self->dims, batch),
        " like {self} ", shape_of(*args.self), "; use the tensors of one forward pass");
}

Failure grad_output_size(const Call& call) {
    const Arguments args(call);
    const int batch = args.self->rank - 3;
    int64_t expected[3];
    for (int i = 0; i < 3; ++i) expected[i] = pool::axis(call, i).windows(args.self->dims[batch + i], call.flag);
    if (std::equal(expected, expected + 3, args.grad_output->dims + batch)) return {};
    return refuse(call, "grad_output_size", "{gradOutput} is ", shape_of(*args.grad_output),
                  ", expected D, H, W = ", text_of(expected, 3), ", what pooling {self} ", shape_of(*args.self),
                  " with ", pool::window_text(call), " gives; pass the arguments of the forward pass");
}

Failure check(const Call& call) {
    using namespace pool;
    return first_failure(call, {pointers,           soc,
                                tensor_shape,       self_dtype,
                                indices_dtype,      indices_soc_dtype,
                                grad_output_dtype,  grad_input_dtype,
                                formats_equal,      private_format,
                                grad_output_rank,   self_rank,
                                indices_rank,       grad_input_rank,
                                kernel_size_length, kernel_size_positive,
                                stride_length,      stride_positive,
                                padding_length,     padding_negative,
                                padding_half,       dilation_length,
                                dilation_positive,  dilation_one,
                                plane_size,         indices_shape,
                                grad_input_shape,   grad_output_batch,
                                grad_output_size});
}

Tensor infer(const Call& call, int) {
    const Arguments args(call);
    Tensor result = *args.self;
    result.data = nullptr;
    set_strides_like(result, *args.grad_output, args.self->rank - 4);
    return result;
}

std::unique_ptr<Plan> plan(const Call& call) {
    const Arguments args(call);
    // With nothing to scatter, arrays get zeros; the device leaves gradInput as it is.
    if (args.grad_input->empty() || (from_aclnn(call) && args.grad_output->empty())) return nullptr;
    WindowScatter scatter;
    scatter.dtype = args.self->dtype;
    scatter.index_dtype = args.indices->dtype;
    read_axes(*args.grad_output, pool::order_of(*args.grad_output), scatter.source_dims, scatter.source_strides);
    read_axes(*args.indices, pool::order_of(*args.indices), nullptr, scatter.index_strides);
    read_axes(*args.grad_input, pool::order_of(*args.grad_input), scatter.result_dims, scatter.result_strides);
    if (args.self->rank == 4) scatter.missing_axis = 0;
    // The windows are only a hint, so absurd ones may be cut to where no product of theirs can overflow.
    constexpr int64_t kMost = std::numeric_limits<int32_t>::max();
    for (int i = 0; i < 3; ++i) {
        const PoolAxis axis = pool::axis(call, i);
        scatter.kernel[i] = std::min(axis.kernel, kMost);
        scatter.stride[i] = std::min(axis.stride, kMost);
        scatter.padding[i] = std::min(axis.padding, kMost);
        scatter.dilation[i] = std::min(axis.dilation, kMost);
    }
    return plan_window_scatter(scatter);
}

}  // namespace

const Operator max_pool3d_with_argmax_backward = {
    "max_pool3d_with_argmax_backward",
    "aclnnMaxPool3dWithArgmaxBackward",
    {"gradOutput", "self", "indices", "gradInput"},
    {"kernelSize", "stride", "padding", "dilation"},
    {},
    "ceilMode",
    4,
    1,
    4,
    0,
    check,
    infer,
    plan,
};

}  // namespace acltwin
