// Averages over windows that follow from the sizes: cell o of out covers cells floor(o * in / out) to
// ceil((o + 1) * in / out) - 1 of self. The tensors are self and out, or gradOutput, self and out.
#include <algorithm>

#include "ops/average.h"
#include "ops/pool.h"

namespace acltwin {

namespace {

WeightTable table(const Call&, int, int64_t in, int64_t out) { return adaptive_table(in, out); }

}  // namespace

namespace adaptive_avg_pool {

namespace {

void result_dims(const Call& call, int64_t dims[]) {
    const Tensor& self = *call.tensors[0];
    std::copy_n(self.dims, self.rank, dims);
    for (int i = 0; i < call.op->axes; ++i) dims[first_spatial(call, self) + i] = value_on_axis(*call.arrays[0], i);
}

}  // namespace

Failure output_size_bytes(const Call& call) {
    const Tensor& self = *call.tensors[0];
    int64_t dims[kMaxRank];
    result_dims(call, dims);
    if (!bytes_overflow(dims, self.rank, size_of(self.dtype))) return {};
    return refuse("{outputSize} is ", text_of(*call.arrays[0]),
                  ", expected a result of fewer than 2^63 bytes; use a smaller one");
}

Failure out_shape(const Call& call) {
    const Tensor *const out = call.tensors[1], &self = *call.tensors[0];
    if (out == nullptr) return {};
    int64_t expected[kMaxRank];
    result_dims(call, expected);
    if (out->rank == self.rank && std::equal(expected, expected + self.rank, out->dims)) return {};
    return refuse("{out} is ", shape_of(*out), ", expected ", text_of(expected, self.rank), " = ",
                  axes_text(call, self), " with {outputSize} = ", text_of(*call.arrays[0]),
                  "; create it with that shape");
}

Tensor infer(const Call& call, int) {
    const Tensor& self = *call.tensors[0];
    Tensor result = self;
    result.data = nullptr;
    result_dims(call, result.dims);
    set_result_strides(call, result, self);
    return result;
}

std::unique_ptr<Plan> plan(const Call& call) {
    return average::plan_forward(call, *call.tensors[0], *call.tensors[1], table);
}

}  // namespace adaptive_avg_pool

namespace adaptive_avg_pool_backward {

Failure grad_output_batch(const Call& call) {
    const Tensor &grad_output = *call.tensors[0], &self = *call.tensors[1];
    if (grad_output.rank == self.rank && same_batch(call, self, grad_output)) return {};
    return refuse("{gradOutput} is ", shape_of(grad_output), " and {self} ", shape_of(self),
                  ", expected the same rank, N and C; use the tensors of one forward pass");
}

Failure grad_output_positive(const Call& call) {
    const Tensor& grad_output = *call.tensors[0];
    const int64_t* const plane = plane_of(call, grad_output);
    if (std::all_of(plane, plane + call.op->axes, [](int64_t size) { return size > 0; })) return {};
    return refuse("{gradOutput} is ", shape_of(grad_output), ", expected ", axis_names(*call.op),
                  " above 0; pass the gradient of the averages");
}

Tensor infer(const Call& call, int) { return pool::infer_gradient(call); }

std::unique_ptr<Plan> plan(const Call& call) {
    return average::plan_gradient(call, *call.tensors[0], *call.tensors[2], table);
}

}  // namespace adaptive_avg_pool_backward

}  // namespace acltwin
