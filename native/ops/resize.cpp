// out is self, resized by nearest or bilinear interpolation to the sizes of out: the scales only say which are
// expected.
#include <cmath>
#include <cstring>

#include "ops/upsample.h"

namespace acltwin::resize {

namespace {

bool begins_with(const Call& call, const char* name) {
    return std::strncmp(call.scalar("mode").text, name, std::strlen(name)) == 0;
}

SourceRule by_sizes(const Call&, int, int64_t, int64_t) { return {}; }

ResampleRule by_sizes_or_copy(const Call&, int, int64_t, int64_t) {
    ResampleRule rule;
    rule.copies_same_size = true;
    return rule;
}

}  // namespace

Failure mode_name(const Call& call) {
    if (begins_with(call, "nearest") || begins_with(call, "bilinear")) return {};
    return refuse("{mode} is \"", std::string(call.scalar("mode").text).substr(0, 40),
                  "\", expected nearest or bilinear; pass one of these");
}

Failure scales_length(const Call& call) {
    const int64_t size = call.float_arrays[0]->size;
    if (size == 4) return {};
    return refuse("{scales} has ", size, " values, expected 4 (N, C, H, W); pass 1 for N and C");
}

// An infinite scale, or one that is no number, fits no size.
Failure out_size(const Call& call) {
    const Tensor &self = *call.tensors[0], &out = *call.tensors[1];
    for (int i = 0; i < call.op->axes; ++i) {
        const int axis = first_spatial(call, self) + i;
        const double in = double(self.dims[axis]), size = double(out.dims[axis]);
        const double scale = double(call.float_arrays[0]->values[axis]);
        if (std::trunc(in * (scale - 1e-5)) <= size && size <= std::trunc(in * (scale + 1e-5))) continue;
        return refuse("{out} is ", shape_of(out), " with ", axis_name(*call.op, i), " = ", out.dims[axis],
                      ", expected ", self.dims[axis], " times ", scale,
                      ", rounded down; create it with that size, or correct {scales}");
    }
    return {};
}

Tensor infer(const Call& call, int) { return *call.tensors[1]; }

std::unique_ptr<Plan> plan(const Call& call) {
    if (begins_with(call, "nearest")) return upsample::plan_nearest(call, by_sizes);
    return upsample::plan_resampled(call, Filter::linear, by_sizes_or_copy);
}

}  // namespace acltwin::resize
