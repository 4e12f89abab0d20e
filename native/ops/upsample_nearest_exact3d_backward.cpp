// gradInput cell i collects the gradOut cells [b(i), b(i + 1)) per axis, b(i) = min(ceil(i * s - 0.5), outSize).
#include "ops/upsample3d_backward.h"

namespace acltwin {

namespace {

Failure soc(const Call& call) {
    if (call.mode.profile == Profile::documented) return soc_is_one_of(call, {Soc::ascend910b, Soc::ascend910_93});
    return soc_is_one_of(call, {Soc::ascend910b, Soc::ascend910_93, Soc::ascend950});
}

Failure grad_out_dtype(const Call& call) { return dtype_is_float(call, "grad_out_dtype", "gradOut", *call.tensors[0]); }

Failure check(const Call& call) {
    using namespace upsample3d_backward;
    return first_failure(
        call, {pointers, soc, tensor_shape, grad_out_dtype, grad_input_dtype, grad_out_rank, output_size_length,
               input_size_length, input_size_positive, output_size_positive, grad_out_shape, grad_input_shape,
               scale_factor, documented_limits, formats_equal, scales});
}

std::unique_ptr<Plan> plan(const Call& call) { return upsample3d_backward::plan(call, /*exact=*/true); }

}  // namespace

const Operator upsample_nearest_exact3d_backward = {
    "upsample_nearest_exact3d_backward",
    "aclnnUpsampleNearestExact3dBackward",
    {"gradOut", "gradInput"},
    {"outputSize", "inputSize"},
    {"scalesD", "scalesH", "scalesW"},
    nullptr,
    2,
    1,
    2,
    3,
    check,
    upsample3d_backward::infer,
    plan,
};

}  // namespace acltwin
