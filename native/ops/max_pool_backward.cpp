// gradInput = 0, then gradInput[n, c, indices[n, c, j]] += gradOutput[n, c, j] in ascending j.
// The values of self are never read.
#include <algorithm>
#include <limits>

#include "kernels/plans.h"
#include "ops/pool.h"

namespace acltwin::max_pool_backward {

namespace {

struct Arguments {
    explicit Arguments(const Call& call)
        : grad_output(call.tensors[0]), self(call.tensors[1]), indices(call.tensors[2]), grad_input(call.tensors[3]) {}
    const Tensor *grad_output, *self, *indices, *grad_input;
};

}  // namespace

Failure grad_output_batch(const Call& call) {
    const Arguments args(call);
    if (args.grad_output->rank == args.self->rank && same_batch(call, *args.self, *args.grad_output)) return {};
    const BatchSizes batch = batch_of(call, *args.self);
    return refuse("{gradOutput} is ", shape_of(*args.grad_output), ", expected ", axes_text(call, *args.self),
                  batch.count == 1 ? " with C = " : " with N, C = ", text_of(batch.size, batch.count), " like {self} ",
                  shape_of(*args.self), "; use the tensors of one forward pass");
}

Failure grad_output_size(const Call& call) {
    const Arguments args(call);
    const int axes = call.op->axes;
    int64_t expected[3];
    for (int i = 0; i < axes; ++i)
        expected[i] = pool::axis(call, i).windows(pool::plane_of_self(call)[i], pool::ceil_mode(call));
    if (std::equal(expected, expected + axes, plane_of(call, *args.grad_output))) return {};
    return refuse("{gradOutput} is ", shape_of(*args.grad_output), ", expected ", axis_names(*call.op), " = ",
                  text_of(expected, axes), ", what pooling {self} ", shape_of(*args.self), " with ",
                  pool::window_text(call), " gives; pass the arguments of the forward pass");
}

Tensor infer(const Call& call, int) {
    const Arguments args(call);
    Tensor result = *args.self;
    result.data = nullptr;
    set_result_strides(call, result, *args.grad_output);
    return result;
}

std::unique_ptr<Plan> plan(const Call& call) {
    const Arguments args(call);
    WindowScatter scatter;
    scatter.dtype = args.self->dtype;
    scatter.index_dtype = args.indices->dtype;
    read_axes(call, *args.grad_output, scatter.source_dims, scatter.source_strides);
    pool::read_index_axes(call, *args.indices, scatter.index_strides);
    read_axes(call, *args.grad_input, scatter.result_dims, scatter.result_strides);
    describe_axes(call, *args.self, scatter);
    // The windows are only a hint, so absurd ones may be cut to where no product of theirs can overflow.
    pool::set_windows(call, scatter, std::numeric_limits<int32_t>::max());
    return plan_window_scatter(scatter);
}

}  // namespace acltwin::max_pool_backward
