// out cell o shows self cell min(floor(o * t), inSize - 1) per axis, t = 1 /
// scale or inSize / outSize.
#include "ops/upsample.h"

namespace acltwin::upsample_nearest2d {

namespace {

// Small images have a kernel of their own.
bool is_small(const Call& call) {
    const int64_t* size = call.arrays[0]->values;
    return size[0] <= 128 && size[1] <= 128 && size[0] + size[1] <= 128;
}

// Shortcuts that ignore a given scale: where the size stays, and where it
// doubles.
StepRule shortened(StepRule step, int64_t in, int64_t out, bool stays, bool doubles) {
    if (stays && in == out)
        step.fixed = 1;
    else if (doubles && out == 2 * in)
        step.fixed = 0.5f;
    return step;
}

// Ascend950 has no shortcuts. The others double small images and channels-last
// ones of more than 3 rows by theirs.
StepRule device_step(const Call& call, int axis, int64_t in, int64_t out) {
    const StepRule step{double(float(call.scales[axis]))};  // C passes a float
    if (call.mode.soc == Soc::ascend950) return step;
    const Tensor& self = *call.tensors[0];
    return shortened(step, in, out, true, is_small(call) || (self.format == Format::nhwc && self.dims[1] > 3));
}

// PyTorch's kernel of contiguous images has them for small ones alone.
StepRule torch_step(const Call& call, int axis, int64_t in, int64_t out) {
    return shortened({call.scales[axis]}, in, out, is_small(call), is_small(call));
}

}  // namespace

Tensor infer(const Call& call, int result) { return upsample::infer(call, result); }

std::unique_ptr<Plan> plan(const Call& call) { return upsample::plan(call, /*exact=*/false, device_step, torch_step); }

}  // namespace acltwin::upsample_nearest2d
