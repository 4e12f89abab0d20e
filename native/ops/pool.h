// What poolings by windows and their gradients share. Their arrays are kernelSize, stride, padding and, but for
// averages, dilation; a scalar is ceilMode.
#pragma once

#include <algorithm>
#include <limits>

#include "ops/checks.h"
#include "ops/weight_table.h"

namespace acltwin {

// The windows along one axis.
struct PoolAxis {
    int64_t kernel, stride, padding, dilation;
    int64_t more_behind = 0;  // how much more padding there is behind the cells than before them

    // How many windows there are over `size` cells; 0 if none fits. Never overflows.
    int64_t windows(int64_t size, bool ceil_mode) const;
};

namespace pool {

PoolAxis axis(const Call& call, int i);
inline bool ceil_mode(const Call& call) { return call.scalar("ceilMode").integer != 0; }
std::string window_text(const Call& call);  // the arguments of the window, for a message
// How many windows there are along an axis.
int64_t windows(const Call& call, int i);

// The tensor that is pooled, and its sizes along the spatial axes.
inline const Tensor& self_of(const Call& call) { return *call.tensors[deciding_tensor(*call.op)]; }
inline const int64_t* plane_of_self(const Call& call) { return plane_of(call, self_of(call)); }

// The windows of a plan, along D, H, W: those that the tensors lack have one window of one cell.
template <class Geometry>
void set_windows(const Call& call, Geometry& geometry, int64_t most = std::numeric_limits<int64_t>::max()) {
    const int lacking = 3 - call.op->axes;
    for (int i = 0; i < 3; ++i) {
        const PoolAxis of = i < lacking ? PoolAxis{1, 1, 0, 1} : axis(call, i - lacking);
        geometry.kernel[i] = std::min(of.kernel, most);
        geometry.stride[i] = std::min(of.stride, most);
        geometry.padding[i] = std::min(of.padding, most);
        geometry.dilation[i] = std::min(of.dilation, most);
    }
}

// One cell for each window of self.
Tensor infer(const Call& call, int result);
// Plans of maxima without their windows: (self, out, indices), and (gradOutput, self, indices, gradInput).
WindowMax window_max(const Call& call);
WindowScatter window_scatter(const Call& call);

}  // namespace pool

namespace average {

// A plan of sums over the tables' windows, divided by their divisors or, if it is not 0, by `divisor`; and of the
// gradients of that. The source is the first tensor.
std::unique_ptr<Plan> plan(const Call& call, WeightTable (*table)(const Call& call, int axis, int64_t in, int64_t out),
                           int64_t divisor = 0);

}  // namespace average
}  // namespace acltwin
