// Max unpooling: out = 0, then out[n, c, indices[n, c, j]] = self[n, c, j] on the flattened axes of each plane, in
// ascending j. The gradient: out[n, c, j] = gradOutput[n, c, indices[n, c, j]]; the values of self are never read.
// The arrays are outputSize and, where there are any, stride and padding, which are checked and then not needed.
#include "kernels/plans.h"
#include "ops/checks.h"

namespace acltwin {

namespace max_unpool {

Failure output_size_volume(const Call& call) {
    const Tensor& self = *call.tensors[deciding_tensor(*call.op)];
    const IntArray& output_size = *call.arrays[0];
    int64_t volume = 1;
    const int64_t wanted = cells_of(call, self);
    // A volume beyond int64_t is certainly large enough.
    for (int i = 0; i < call.op->axes; ++i)
        if (__builtin_mul_overflow(volume, output_size.values[i], &volume)) return {};
    if (volume >= wanted) return {};
    return refuse("{outputSize} is ", text_of(output_size), " with ", volume, " cells, expected at least ", wanted,
                  ", the ", plane_name(*call.op), " of {self} ", shape_of(self),
                  "; pass the size of the unpooled tensor");
}

Tensor infer(const Call& call, int result) {
    Tensor inferred = resized::infer(call, result);
    inferred.set_contiguous_strides();
    return inferred;
}

std::unique_ptr<Plan> plan(const Call& call) {
    const Tensor &self = *call.tensors[0], &indices = *call.tensors[1];
    ScatterCopy scatter;
    scatter.element_size = size_of(self.dtype);
    scatter.index_dtype = indices.dtype;
    read_tensors(call, self, *call.tensors[2], scatter);
    read_axes_like(call, indices, self, nullptr, scatter.index_strides);
    describe_axes(call, self, scatter);
    return plan_scatter_copy(scatter);
}

}  // namespace max_unpool

namespace max_unpool_backward {

Failure output_size_length(const Call& call) {
    const Tensor& grad_output = *call.tensors[0];
    const int64_t size = call.arrays[0]->size;
    const int axes = call.op->axes;
    if (size == axes) return {};
    const bool known = grad_output.rank == axes + 1 || grad_output.rank == axes + 2;
    return refuse("{outputSize} has ", size == 0 ? "no" : std::to_string(size), size == 1 ? " value" : " values",
                  ", expected ", axes, " (", axis_names(*call.op), "); ",
                  known ? sentence("{gradOutput} is ", shape_of(grad_output),
                                   ", so pass {outputSize}=", text_of(plane_of(call, grad_output), axes))
                        : "pass " + axis_names(*call.op) + " of {gradOutput}");
}

// What PyTorch lets a copy between tensors do: from a float to floats, from an integer to any number, from bool to all.
Failure out_cast(const Call& call) {
    if (call.tensors[3] == nullptr) return {};
    constexpr Bits kFloats = bit(DType::float32) | bit(DType::float16) | bit(DType::bfloat16) | bit(DType::float64);
    const DType from = call.tensors[0]->dtype, to = call.tensors[3]->dtype;
    if (from == to || from == DType::boolean || has(kFloats, to) || (!has(kFloats, from) && to != DType::boolean))
        return {};
    return refuse("{out} is ", name_of(to), ", expected a type that ", name_of(from),
                  " of {gradOutput} can be cast to: a float for floats, no bool; create it as ", name_of(from));
}

Tensor infer(const Call& call, int) {
    Tensor result = *call.tensors[1];
    result.data = nullptr;
    result.set_contiguous_strides();
    return result;
}

std::unique_ptr<Plan> plan(const Call& call) {
    const Tensor &grad_output = *call.tensors[0], &self = *call.tensors[1], &indices = *call.tensors[2];
    Tensor out = *call.tensors[3];
    out.format = self.format;  // only its dims were compared
    Gather gather;
    gather.element_size = size_of(out.dtype);
    gather.index_dtype = indices.dtype;
    gather.source_dtype = grad_output.dtype;
    gather.result_dtype = out.dtype;
    read_tensors(call, grad_output, out, gather);
    read_axes_like(call, indices, self, nullptr, gather.index_strides);
    describe_axes(call, self, gather);
    return plan_gather(gather);
}

}  // namespace max_unpool_backward

}  // namespace acltwin
