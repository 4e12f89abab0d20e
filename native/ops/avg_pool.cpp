// out is the sum of each window of self, divided by the number of its cells, with or without padding, or by
// divisorOverride; and the gradient of that. The tensors are self and out, or gradOutput, self and gradInput.
#include <algorithm>
#include <cstdlib>

#include "ops/average.h"
#include "ops/pool.h"

namespace acltwin {

namespace avg_pool_shared {

namespace {

WeightTable table(const Call& call, int i, int64_t in, int64_t out) {
    const PoolAxis axis = pool::axis(call, i);
    return window_table(in, out, {axis.kernel, axis.stride, axis.padding, call.scalar("countIncludePad").integer != 0});
}

}  // namespace

// A format says which axes a tensor has: NCHW four, NCL three.
Failure format_rank(const Call& call) {
    for (int i = 0; i < call.op->tensors; ++i) {
        const Tensor* tensor = call.tensors[i];
        if (tensor == nullptr || (tensor->format == Format::nchw) == (tensor->rank == 4)) continue;
        return refuse("{", call.op->tensor[i].name, "} has ", tensor->rank, " dimensions and format ",
                      name_of(tensor->format), ", expected NCHW for 4 dimensions and NCL for 3; create it so");
    }
    return {};
}

Failure kernel_input(const Call& call) {
    const int64_t* const cells = pool::plane_of_self(call);
    for (int i = 0; i < call.op->axes; ++i) {
        const int64_t kernel = pool::axis(call, i).kernel;
        if (kernel <= cells[i]) continue;
        return refuse("{kernelSize} is ", text_of(*call.arrays[0]), " and ", axis_name(*call.op, i), " of {self} ",
                      cells[i], ", expected a kernel of at most that size; use a smaller one");
    }
    return {};
}

Failure grad_output_shape(const Call& call) { return pool::pooled_shape(call, *call.tensors[0], "gradOutput"); }

// ---- cubeMathType: in which precision the device's matrix unit computes ----

namespace {

int64_t cube_math_type(const Call& call) { return call.scalar("cubeMathType").integer; }

Failure cube_math_type_between(const Call& call, int most) {
    if (cube_math_type(call) >= 0 && cube_math_type(call) <= most) return {};
    return refuse("{cubeMathType} is ", cube_math_type(call), ", expected 0 to ", most, "; pass 0");
}

}  // namespace

Failure cube_math_type_range(const Call& call) { return cube_math_type_between(call, call.op->is_gradient ? 3 : 4); }

Failure cube_math_type_soc(const Call& call) {
    if (pool::self_of(call).dtype != DType::float32) return {};
    const int64_t type = cube_math_type(call), *const cells = pool::plane_of_self(call);
    const char* const soc = name_of(call.mode.soc);
    if (call.mode.soc == Soc::ascend910 && type != 1 && type != 2)
        return refuse("{cubeMathType} is ", type, " for float32 on ", soc,
                      ", expected 1 or 2: its matrix unit has no float32; pass one of these");
    if (call.mode.soc != Soc::ascend910b && call.mode.soc != Soc::ascend910_93) return {};
    if (type == 0 || type == 2) return {};
    // The paths through the matrix unit; the vector unit ignores it.
    const PoolAxis h = pool::axis(call, 0), w = pool::axis(call, 1);
    const bool whole = h.kernel == cells[0] && w.kernel == cells[1] && h.padding == 0 && w.padding == 0;
    const Tensor& self = pool::self_of(call);
    const bool square = cells[1] / cells[0] < 2 && cells[0] / cells[1] < 2;
    const bool small =
        h.kernel <= 255 && w.kernel <= 255 && (h.kernel * w.kernel <= 255 || (h.kernel <= 20 && w.kernel <= 20));
    const int64_t divisor = call.scalar("divisorOverride").integer;
    const bool few = self.dims[axis_order(call, self).axis[1]] < 65536 && divisor >= -255 && divisor <= 255;
    if (!whole && !(square && small && few && !pool::ceil_mode(call))) return {};
    return refuse("{cubeMathType} is ", type, " for float32 on ", soc, ", expected 0 or 2; pass 0");
}

}  // namespace avg_pool_shared

namespace avg_pool {

Tensor infer(const Call& call, int) { return pool::infer(call, 0); }

std::unique_ptr<Plan> plan(const Call& call) {
    return average::plan_forward(call, *call.tensors[0], *call.tensors[1], avg_pool_shared::table,
                                 call.scalar("divisorOverride").integer);
}

}  // namespace avg_pool

namespace avg_pool_backward {

Tensor infer(const Call& call, int) { return pool::infer_gradient(call); }

std::unique_ptr<Plan> plan(const Call& call) {
    return average::plan_gradient(call, *call.tensors[0], *call.tensors[2], avg_pool_shared::table,
                                  call.scalar("divisorOverride").integer);
}

}  // namespace avg_pool_backward

}  // namespace acltwin
