// out[n, c, j] = gradOutput[n, c, indices[n, c, j]] on the flattened D*H*W axis of each plane.
// The values of self are never read; stride and padding are checked and then not needed.
#include <algorithm>

#include "kernels/plans.h"
#include "ops/unpool.h"

namespace acltwin::max_unpool3d_backward {

namespace {

struct Arguments {
    explicit Arguments(const Call& call)
        : grad_output(call.tensors[0]),
          self(call.tensors[1]),
          indices(call.tensors[2]),
          out(call.tensors[3]),
          output_size(call.arrays[0]) {}
    const Tensor *grad_output, *self, *indices, *out;
    const IntArray* output_size;
};

}  // namespace

Failure self_size(const Call& call) { return unpool::self_size(call, *Arguments(call).self); }

Failure output_size_volume(const Call& call) { return unpool::output_size_volume(call, *Arguments(call).self); }

Failure output_size_length(const Call& call) {
    const Arguments args(call);
    const int64_t size = args.output_size->size;
    if (size == 3) return {};
    const Tensor& grad_output = *args.grad_output;
    std::string hint = "pass D, H, W of {gradOutput}";
    if (grad_output.rank == 5 || grad_output.rank == 4)
        hint = "{gradOutput} is " + shape_of(grad_output) +
               ", so pass {outputSize}=" + text_of(plane_of(call, grad_output), 3);
    return refuse("{outputSize} has ", size, size == 1 ? " value" : " values", ", expected 3 (D, H, W); ", hint);
}

Failure grad_output_size(const Call& call) {
    const Arguments args(call);
    const int64_t* plane = plane_of(call, *args.grad_output);
    if (std::equal(plane, plane + 3, args.output_size->values)) return {};
    return refuse("{gradOutput} is ", shape_of(*args.grad_output), ", expected D, H, W = ", text_of(*args.output_size),
                  " of {outputSize}; pass {outputSize} = ", text_of(plane, 3), " or correct the tensor");
}

Failure grad_output_batch(const Call& call) {
    const Arguments args(call);
    if (same_batch(call, *args.self, *args.grad_output)) return {};
    return refuse("{gradOutput} is ", shape_of(*args.grad_output), ", expected ", unpool::batch_text(call, *args.self),
                  " like {self} ", shape_of(*args.self), "; use the tensors of one forward pass");
}

Tensor infer(const Call& call, int) {
    Tensor result = *Arguments(call).self;
    result.data = nullptr;
    result.set_contiguous_strides();
    return result;
}

std::unique_ptr<Plan> plan(const Call& call) {
    const Arguments args(call);
    Gather gather;
    gather.element_size = size_of(args.out->dtype);
    gather.index_dtype = args.indices->dtype;
    read_axes(call, *args.grad_output, gather.source_dims, gather.source_strides);
    read_axes(call, *args.out, gather.result_dims, gather.result_strides);
    read_axes(call, *args.indices, nullptr, gather.index_strides);
    gather.missing_axis = missing_batch_axis(call, *args.out);
    gather.channels_last = channels_last(call, *args.out);
    return plan_gather(gather);
}

}  // namespace acltwin::max_unpool3d_backward
