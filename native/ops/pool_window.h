// The windows of a 3-D pooling, one axis at a time, as (kernelSize, stride, padding, dilation) describe them.
#pragma once

#include "core/tensor.h"

namespace acltwin {

struct PoolAxis {
    int64_t kernel, stride, padding, dilation;
    int64_t more_behind = 0;  // how much more padding there is behind the cells than before them

    // How many windows there are over `size` cells; 0 if none fits. Never overflows.
    int64_t windows(int64_t size, bool ceil_mode) const;
};

// Axis 0, 1, 2 = D, H, W of an array that holds one value for all axes, or three, or none.
inline int64_t value_on_axis(const IntArray& array, int axis, int64_t none = 0) {
    return array.size == 0 ? none : array.values[array.size == 1 ? 0 : axis];
}

// An empty stride means the kernel.
PoolAxis pool_axis(const IntArray& kernel, const IntArray& stride, const IntArray& padding, const IntArray& dilation,
                   int axis);

}  // namespace acltwin
