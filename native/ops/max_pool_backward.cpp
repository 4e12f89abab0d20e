// gradInput = 0, then gradInput[n, c, indices[n, c, j]] += gradOutput[n, c, j] in ascending j.
// The values of self are never read.
#include <algorithm>
#include <limits>

#include "kernels/plans.h"
#include "ops/pool.h"

namespace acltwin::max_pool_backward {

Failure grad_output_batch(const Call& call) {
    const Tensor &grad_output = *call.tensors[0], &self = *call.tensors[1];
    if (grad_output.rank == self.rank && same_batch(call, self, grad_output)) return {};
    const BatchSizes batch = batch_of(call, self);
    return refuse("{gradOutput} is ", shape_of(grad_output), ", expected ", axes_text(call, self),
                  batch.count == 1 ? " with C = " : " with N, C = ", text_of(batch.size, batch.count), " like {self} ",
                  shape_of(self), "; use the tensors of one forward pass");
}

Failure grad_output_size(const Call& call) { return pool::pooled_shape(call, *call.tensors[0], "gradOutput"); }

Tensor infer(const Call& call, int) { return pool::infer_gradient(call); }

std::unique_ptr<Plan> plan(const Call& call) {
    WindowScatter scatter = pool::window_scatter(call);
    // The windows are only a hint, so absurd ones may be cut to where no product of theirs can overflow.
    pool::set_windows(call, scatter, std::numeric_limits<int32_t>::max());
    return plan_window_scatter(scatter);
}

}  // namespace acltwin::max_pool_backward
