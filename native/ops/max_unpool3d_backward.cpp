// out[n, c, j] = gradOutput[n, c, indices[n, c, j]] on the flattened D*H*W axis of each plane.
// The values of self are never read; stride and padding are checked and then not needed.
#include <algorithm>

#include "kernels/plans.h"
#include "ops/unpool_rules.h"

namespace acltwin {

namespace {

struct Arguments {
    explicit Arguments(const Call& call)
        : grad_output(call.tensors[0]),
          self(call.tensors[1]),
          indices(call.tensors[2]),
          out(call.tensors[3]),
          output_size(call.arrays[0]),
          stride(call.arrays[1]),
          padding(call.arrays[2]) {}
    const Tensor *grad_output, *self, *indices, *out;
    const IntArray *output_size, *stride, *padding;
};

Failure pointers(const Call& call) {
    const Arguments args(call);
    return not_null(call, {{args.grad_output, "gradOutput", "grad_output_null"},
                           {args.self, "self", "self_null"},
                           {args.indices, "indices", "indices_null"},
                           {args.output_size, "outputSize", "output_size_null"},
                           {args.stride, "stride", "stride_null"},
                           {args.padding, "padding", "padding_null"},
                           {args.out, "out", "out_null"}});
}

Failure tensor_shape(const Call& call) { return tensor_shapes(call, {"gradOutput", "self", "indices", "out"}); }

Failure out_contiguous(const Call& call) {
    return unpool::contiguous(call, "out_contiguous", "out", Arguments(call).out);
}

Failure grad_output_dtype(const Call& call) {
    return unpool::dtype(call, "grad_output_dtype", "gradOutput", *Arguments(call).grad_output);
}

Failure self_dtype(const Call& call) {
    const Arguments args(call);
    return dtype_is_that_of(call, "self_dtype", "self", *args.self, "gradOutput", *args.grad_output);
}

Failure out_dtype(const Call& call) {
    const Arguments args(call);
    if (args.out == nullptr) return {};
    return dtype_is_that_of(call, "out_dtype", "out", *args.out, "gradOutput", *args.grad_output);
}

Failure indices_dtype(const Call& call) {
    const Tensor& indices = *Arguments(call).indices;
    if (from_aclnn(call)) return dtype_is_one_of(call, "indices_dtype", "indices", indices, {DType::int64});
    return dtype_is_one_of(call, "indices_dtype", "indices", indices, {DType::int64, DType::int32});
}

Failure self_rank(const Call& call) { return unpool::self_rank(call, *Arguments(call).self); }
Failure self_size(const Call& call) { return unpool::self_size(call, *Arguments(call).self); }
Failure output_size_volume(const Call& call) { return unpool::output_size_volume(call, *Arguments(call).self); }

// Of the tensors that have self's rank.
Failure rank_is_that_of_self(const Call& call, const char* rule, const char* name, const Tensor* tensor) {
    return unpool::rank_is_that_of_self(call, rule, name, tensor, *Arguments(call).self);
}

Failure indices_rank(const Call& call) {
    return rank_is_that_of_self(call, "indices_rank", "indices", Arguments(call).indices);
}

Failure out_rank(const Call& call) { return rank_is_that_of_self(call, "out_rank", "out", Arguments(call).out); }

Failure indices_shape(const Call& call) {
    const Arguments args(call);
    return shape_is_that_of(call, "indices_shape", "indices", args.indices, "self", *args.self);
}

Failure out_shape(const Call& call) {
    const Arguments args(call);
    return shape_is_that_of(call, "out_shape", "out", args.out, "self", *args.self);
}

Failure output_size_length(const Call& call) {
    const Arguments args(call);
    const int64_t size = args.output_size->size;
    if (size == 3) return {};
    const Tensor& grad_output = *args.grad_output;
    std::string hint = "pass D, H, W of {gradOutput}";
    if (grad_output.rank >= 3)
        hint = "{gradOutput} is " + shape_of(grad_output) +
               ", so pass {outputSize}=" + text_of(grad_output.dims + grad_output.rank - 3, 3);
    return refuse(call, "output_size_length", "{outputSize} has ", size, size == 1 ? " value" : " values",
                  ", expected 3 (D, H, W); ", hint);
}

Failure grad_output_rank(const Call& call) {
    return rank_is_that_of_self(call, "grad_output_rank", "gradOutput", Arguments(call).grad_output);
}

Failure grad_output_size(const Call& call) {
    const Arguments args(call);
    const int64_t* plane = args.grad_output->dims + args.grad_output->rank - 3;
    if (std::equal(plane, plane + 3, args.output_size->values)) return {};
    return refuse(call, "grad_output_size", "{gradOutput} is ", shape_of(*args.grad_output),
                  ", expected D, H, W = ", text_of(*args.output_size),
                  " of {outputSize}; pass {outputSize} = ", text_of(plane, 3), " or correct the tensor");
}

Failure grad_output_batch(const Call& call) {
    const Arguments args(call);
    const int batch = args.self->rank - 3;
    if (std::equal(args.self->dims, args.self->dims + batch, args.grad_output->dims)) return {};
    return refuse(call, "grad_output_batch", "{gradOutput} is ", shape_of(*args.grad_output), ", expected ",
                  batch == 1 ? "N = " : "N, C = ", text_of(args.self->dims, batch), " like {self} ",
                  shape_of(*args.self), "; use the tensors of one forward pass");
}

Failure check(const Call& call) {
    using namespace unpool;
    return first_failure(call, {pointers,           tensor_shape,       out_contiguous,
                                grad_output_dtype,  self_dtype,         out_dtype,
                                indices_dtype,      self_rank,          indices_rank,
                                out_rank,           indices_shape,      out_shape,
                                self_size,          output_size_length, stride_length,
                                padding_length,     stride_positive,    output_size_positive,
                                output_size_volume, grad_output_rank,   grad_output_size,
                                grad_output_batch});
}

Tensor infer(const Call& call, int) {
    Tensor result = *Arguments(call).self;
    result.data = nullptr;
    result.set_contiguous_strides();
    return result;
}

std::unique_ptr<Plan> plan(const Call& call) {
    const Arguments args(call);
    if (args.out->empty()) return nullptr;
    Gather gather;
    gather.element_size = size_of(args.out->dtype);
    gather.index_dtype = args.indices->dtype;
    read_axes(*args.grad_output, unpool::order_of(*args.grad_output), gather.source_dims, gather.source_strides);
    read_axes(*args.out, unpool::order_of(*args.out), gather.result_dims, gather.result_strides);
    read_axes(*args.indices, unpool::order_of(*args.indices), nullptr, gather.index_strides);
    if (args.out->rank == 4) gather.missing_axis = 1;
    return plan_gather(gather);
}

}  // namespace

const Operator max_unpool3d_backward = {
    "max_unpool3d_backward",
    "aclnnMaxUnpool3dBackward",
    {"gradOutput", "self", "indices", "out"},
    {"outputSize", "stride", "padding"},
    {},
    nullptr,
    4,
    1,
    3,
    0,
    check,
    infer,
    plan,
};

}  // namespace acltwin
