// gradInput = 0, then gradInput[n, c, indices[n, c, j]] += gradOutput[n, c, j] in ascending j.
// The values of self are never read.
#include <algorithm>
#include <limits>

#include "kernels/plans.h"
#include "ops/axes.h"
#include "ops/checks.h"
#include "ops/pool_window.h"

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
    PoolAxis axis(int i) const { return pool_axis(*kernel_size, *stride, *padding, *dilation, i); }
    const Tensor *grad_output, *self, *indices, *grad_input;
    const IntArray *kernel_size, *stride, *padding, *dilation;
};

// A 4-D tensor is (C, D, H, W).
const AxisOrder& order_of(const Tensor& tensor) { return tensor.rank == 4 ? kCdhw : kNcdhw; }

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

Failure soc(const Call& call) { return soc_is_one_of(call, {Soc::ascend910b, Soc::ascend910_93, Soc::ascend950}); }

Failure tensor_shape(const Call& call) { return tensor_shapes(call, {"gradOutput", "self", "indices", "gradInput"}); }

Failure self_dtype(const Call& call) {
    return dtype_is_one_of(call, "self_dtype", "self", *Arguments(call).self,
                           {DType::float32, DType::float16, DType::bfloat16});
}

Failure indices_dtype(const Call& call) {
    return dtype_is_one_of(call, "indices_dtype", "indices", *Arguments(call).indices, {DType::int32, DType::int64});
}

Failure indices_soc_dtype(const Call& call) {
    if (!from_aclnn(call) || call.mode.soc == Soc::ascend950 || Arguments(call).indices->dtype == DType::int32)
        return {};
    return refuse(call, "indices_soc_dtype", "{indices} is int64, expected int32 on ", name_of(call.mode.soc),
                  "; convert it to int32 (only Ascend950 takes int64)");
}

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

bool is_private(Format format) {
    const Format formats[] = {Format::nc1hwc0,          Format::nc1hwc0_c04,     Format::ndc1hwc0,
                              Format::fractal_z,        Format::fractal_z_3d,    Format::fractal_nz,
                              Format::fractal_nz_c0_2,  Format::fractal_nz_c0_4, Format::fractal_nz_c0_8,
                              Format::fractal_nz_c0_16, Format::fractal_nz_c0_32};
    return std::find(std::begin(formats), std::end(formats), format) != std::end(formats);
}

Failure private_format(const Call& call) {
    if (!from_aclnn(call)) return {};
    const char* const names[] = {"gradOutput", "self", "indices", "gradInput"};
    for (int i = 0; i < 4; ++i)
        if (is_private(call.tensors[i]->format))
            return refuse(call, "private_format", "{", names[i], "} has the private format ",
                          name_of(call.tensors[i]->format), ", expected a public one; create it as ND or NCDHW");
    return {};
}

Failure rank_is_4_or_5(const Call& call, const char* rule, const char* name, const Tensor* tensor) {
    if (tensor == nullptr || tensor->rank == 4 || tensor->rank == 5) return {};
    return refuse(call, rule, "{", name, "} has ", tensor->rank, " dimensions, ", shape_of(*tensor),
                  ", expected 4 (C, D, H, W) or 5 (N, C, D, H, W); add the missing dimensions with size 1");
}

Failure grad_output_rank(const Call& call) {
    return rank_is_4_or_5(call, "grad_output_rank", "gradOutput", Arguments(call).grad_output);
}
Failure self_rank(const Call& call) { return rank_is_4_or_5(call, "self_rank", "self", Arguments(call).self); }
Failure indices_rank(const Call& call) {
    return rank_is_4_or_5(call, "indices_rank", "indices", Arguments(call).indices);
}
Failure grad_input_rank(const Call& call) {
    return rank_is_4_or_5(call, "grad_input_rank", "gradInput", Arguments(call).grad_input);
}

Failure kernel_size_length(const Call& call) {
    return length_is_1_or_3(call, "kernel_size_length", "kernelSize", *Arguments(call).kernel_size);
}
Failure kernel_size_positive(const Call& call) {
    return values_positive(call, "kernel_size_positive", "kernelSize", *Arguments(call).kernel_size);
}
Failure stride_length(const Call& call) {
    const Arguments args(call);
    if (args.stride->size == 0) return {};  // the kernel size
    return length_is_1_or_3(call, "stride_length", "stride", *args.stride);
}
Failure stride_positive(const Call& call) {
    return values_positive(call, "stride_positive", "stride", *Arguments(call).stride);
}
Failure padding_length(const Call& call) {
    return length_is_1_or_3(call, "padding_length", "padding", *Arguments(call).padding);
}
Failure padding_negative(const Call& call) {
    const IntArray& padding = *Arguments(call).padding;
    if (std::all_of(padding.values, padding.values + padding.size, [](int64_t value) { return value >= 0; })) return {};
    return refuse(call, "padding_negative", "{padding} is ", text_of(padding),
                  ", expected no value below 0; correct it");
}

Failure padding_half(const Call& call) {
    const Arguments args(call);
    for (int i = 0; i < 3; ++i) {
        if (value_on_axis(*args.padding, i) > value_on_axis(*args.kernel_size, i) / 2)
            return refuse(call, "padding_half", "{padding} is ", text_of(*args.padding), " with {kernelSize} ",
                          text_of(*args.kernel_size),
                          ", expected at most half the kernel on each axis; use less padding");
    }
    return {};
}

Failure dilation_length(const Call& call) {
    return length_is_1_or_3(call, "dilation_length", "dilation", *Arguments(call).dilation);
}
Failure dilation_positive(const Call& call) {
    return values_positive(call, "dilation_positive", "dilation", *Arguments(call).dilation);
}
Failure dilation_one(const Call& call) {
    const IntArray& dilation = *Arguments(call).dilation;
    if (!documented_profile(call)) return {};
    if (std::all_of(dilation.values, dilation.values + dilation.size, [](int64_t value) { return value == 1; }))
        return {};
    return refuse(call, "dilation_one", "{dilation} is ", text_of(dilation),
                  ", expected 1: the device supports no other; pass 1, or set ACLTWIN_PROFILE=device");
}

Failure plane_size(const Call& call) {
    if (!from_aclnn(call) || call.mode.soc == Soc::ascend950) return {};
    const Tensor& self = *Arguments(call).self;
    const int64_t* plane = self.dims + self.rank - 3;
    constexpr int64_t kMost = std::numeric_limits<int32_t>::max();
    const int64_t cells = plane[0] * plane[1] * plane[2];
    if (cells <= kMost) return {};
    return refuse(call, "plane_size", "{self} is ", shape_of(self), " with D*H*W = ", cells,
                  ", expected at most 2^31 - 1 on ", name_of(call.mode.soc),
                  ", whose indices are int32; use smaller planes, or set ACLTWIN_SOC=Ascend950");
}

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
    for (int i = 0; i < 3; ++i) expected[i] = args.axis(i).windows(args.self->dims[batch + i], call.flag);
    if (std::equal(expected, expected + 3, args.grad_output->dims + batch)) return {};
    return refuse(call, "grad_output_size", "{gradOutput} is ", shape_of(*args.grad_output),
                  ", expected D, H, W = ", text_of(expected, 3), ", what pooling {self} ", shape_of(*args.self),
                  " with {kernelSize} ", text_of(*args.kernel_size), ", {stride} ", text_of(*args.stride),
                  ", {padding} ", text_of(*args.padding), ", {dilation} ", text_of(*args.dilation), ", {ceilMode} ",
                  call.flag ? "true" : "false", " gives; pass the arguments of the forward pass");
}

Failure check(const Call& call) {
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
    read_axes(*args.grad_output, order_of(*args.grad_output), scatter.source_dims, scatter.source_strides);
    read_axes(*args.indices, order_of(*args.indices), nullptr, scatter.index_strides);
    read_axes(*args.grad_input, order_of(*args.grad_input), scatter.result_dims, scatter.result_strides);
    if (args.self->rank == 4) scatter.missing_axis = 0;
    // The windows are only a hint, so absurd ones may be cut to where no product of theirs can overflow.
    constexpr int64_t kMost = std::numeric_limits<int32_t>::max();
    for (int i = 0; i < 3; ++i) {
        const PoolAxis axis = args.axis(i);
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
