// Axes of tensors on their way to loops: which of them are one.
#pragma once

#include <utility>

#include "kernels/saturating.h"

namespace acltwin {

template <int kOperands>
struct Axis {
    int64_t extent = 1, step[kOperands] = {};

    bool continues(const Axis& inner) const {  // this axis and the inner one are one longer axis
        for (int o = 0; o < kOperands; ++o)
            if (!is_product(step[o], inner.step[o], inner.extent)) return false;
        return true;
    }
};

// Of axes in memory order, the outermost first, makes those one that are. Returns the end of what is left.
template <class SomeAxis>
SomeAxis* merge_axes(SomeAxis* first, SomeAxis* last) {
    SomeAxis* end = first;
    for (SomeAxis* axis = first; axis != last; ++axis) {
        if (end != first && end[-1].continues(*axis)) axis->extent = saturating_product(axis->extent, (--end)->extent);
        if (end != axis) *end = std::move(*axis);
        ++end;
    }
    return end;
}

// Axes D, H, W, the innermost `step` elements apart, without gaps. Axes of one element fit anywhere.
inline bool one_run(const int64_t* dims, const int64_t* strides, int64_t step) {
    for (int i = 2; i >= 0; --i) {
        if (dims[i] != 1 && strides[i] != step) return false;
        step = saturating_product(step, dims[i]);
    }
    return true;
}

// How many steps nested loops have altogether.
template <int kLoops>
int64_t steps_of(const int64_t (&extent)[kLoops]) {
    int64_t steps = 1;
    for (int64_t one : extent) steps = one == 0 ? 0 : saturating_product(steps, one);
    return steps;
}

}  // namespace acltwin
