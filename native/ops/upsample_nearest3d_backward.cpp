// gradInput cell i collects the gradOut cells [b(i), b(i + 1)) per axis, b(i) = min(ceil(i * s), outSize).
#include "ops/upsample3d_backward.h"

namespace acltwin {

namespace {

Failure soc(const Call& call) {
    if (call.mode.profile == Profile::documented)
        return soc_is_one_of(call, {Soc::ascend910b, Soc::ascend910_93, Soc::ascend910});
    return soc_is_one_of(call, {Soc::ascend910b, Soc::ascend910_93, Soc::ascend910, Soc::ascend950});
}

Failure grad_out_dtype(const Call& call) {
    return dtype_is_one_of(call, "grad_out_dtype", "gradOut", *call.tensors[0],
                           {DType::float32, DType::float16, DType::bfloat16, DType::float64});
}

// As the exact operator, but any factor is allowed.
Failure check(const Call& call) {
    using namespace upsample3d_backward;
    return first_failure(call, {pointers, soc, tensor_shape, grad_out_dtype, grad_input_dtype, grad_out_rank,
                                output_size_length, input_size_length, input_size_positive, output_size_positive,
                                grad_out_shape, grad_input_shape, documented_limits, formats_equal, scales});
}

std::unique_ptr<Plan> plan(const Call& call) { return upsample3d_backward::plan(call, /*exact=*/false); }

}  // namespace

const Operator upsample_nearest3d_backward = {
    "upsample_nearest3d_backward",
    "aclnnUpsampleNearest3dBackward",
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
