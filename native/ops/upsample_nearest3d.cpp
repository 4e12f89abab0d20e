// out cell o shows self cell min(floor(o * t), inSize - 1) per axis, t = 1 / scale or inSize / outSize.
#include "ops/upsample.h"

namespace acltwin {

namespace {

using Rules = Upsample<3>;

Failure soc(const Call& call) {
    if (call.mode.profile == Profile::documented)
        return soc_is_one_of(call, {Soc::ascend910b, Soc::ascend910_93, Soc::ascend910});
    return soc_is_one_of(call, {Soc::ascend910b, Soc::ascend910_93, Soc::ascend910, Soc::ascend950});
}

Failure self_dtype(const Call& call) {
    return dtype_is_one_of(call, "self_dtype", "self", *call.tensors[0],
                           {DType::float32, DType::float16, DType::bfloat16, DType::float64});
}

Failure check(const Call& call) {
    return first_failure(
        call, {Rules::pointers, soc, Rules::tensor_shape, self_dtype, Rules::out_dtype, Rules::self_rank,
               Rules::output_size_length, Rules::self_size, Rules::output_size_positive, Rules::output_size_bytes,
               Rules::out_shape, Rules::formats_equal, Rules::scales});
}

std::unique_ptr<Plan> plan(const Call& call) { return Rules::plan(call, /*exact=*/false); }

}  // namespace

const Operator upsample_nearest3d = {
    "upsample_nearest3d",
    "aclnnUpsampleNearest3d",
    {"self", "out"},
    {"outputSize"},
    {"scalesD", "scalesH", "scalesW"},
    nullptr,
    2,
    1,
    1,
    3,
    check,
    Rules::infer,
    plan,
};

}  // namespace acltwin
