// out[n, c, j] = gradOutput[n, c, indices[n, c, j]] on the flattened axes of each plane.
// The values of self are never read; where there are stride and padding, they are checked and then not needed.
#include <algorithm>

#include "kernels/plans.h"
#include "ops/unpool.h"

namespace acltwin::max_unpool_backward {

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
    const int axes = call.op->axes;
    if (size == axes) return {};
    const Tensor& grad_output = *args.grad_output;
    std::string hint = "pass " + axis_names(*call.op) + " of {gradOutput}";
    if (grad_output.rank == axes + 1 || grad_output.rank == axes + 2)
        hint = "{gradOutput} is " + shape_of(grad_output) +
               ", so pass {outputSize}=" + text_of(plane_of(call, grad_output), axes);
    return refuse("{outputSize} has ", size == 0 ? "no" : std::to_string(size), size == 1 ? " value" : " values",
                  ", expected ", axes, " (", axis_names(*call.op), "); ", hint);
}

Failure grad_output_size(const Call& call) {
    const Arguments args(call);
    const int64_t* plane = plane_of(call, *args.grad_output);
    if (std::equal(plane, plane + call.op->axes, args.output_size->values)) return {};
    return refuse("{gradOutput} is ", shape_of(*args.grad_output), ", expected ", axis_names(*call.op), " = ",
                  text_of(*args.output_size), " of {outputSize}; pass {outputSize} = ", text_of(plane, call.op->axes),
                  " or correct the tensor");
}

Failure grad_output_batch(const Call& call) {
    const Arguments args(call);
    if (same_batch(call, *args.self, *args.grad_output)) return {};
    return refuse("{gradOutput} is ", shape_of(*args.grad_output), ", expected ", unpool::batch_text(call, *args.self),
                  " like {self} ", shape_of(*args.self), "; use the tensors of one forward pass");
}

// What PyTorch lets a copy between tensors do: from a float to floats, from an integer to any number, from bool to all.
Failure out_cast(const Call& call) {
    const Arguments args(call);
    if (args.out == nullptr) return {};
    constexpr Bits kFloats = bit(DType::float32) | bit(DType::float16) | bit(DType::bfloat16) | bit(DType::float64);
    const DType from = args.grad_output->dtype, to = args.out->dtype;
    if (from == to || from == DType::boolean || has(kFloats, to) || (!has(kFloats, from) && to != DType::boolean))
        return {};
    return refuse("{out} is ", name_of(to), ", expected a type that ", name_of(from),
                  " of {gradOutput} can be cast to: a float for floats, no bool; create it as ", name_of(from));
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
    read_axes_like(call, *args.out, *args.self, gather.result_dims, gather.result_strides);
    read_axes_like(call, *args.indices, *args.self, nullptr, gather.index_strides);
    gather.source_dtype = args.grad_output->dtype;
    gather.result_dtype = args.out->dtype;
    describe_axes(call, *args.self, gather);
    return plan_gather(gather);
}

}  // namespace acltwin::max_unpool_backward
