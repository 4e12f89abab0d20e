// What max pooling and its gradient share. Their arrays are kernelSize, stride, padding, dilation; a scalar is
// ceilMode.
#pragma once

#include <algorithm>
#include <limits>

#include "ops/axes.h"
#include "ops/pool_window.h"
#include "ops/texts.h"

namespace acltwin::pool {

PoolAxis axis(const Call& call, int i);
inline bool ceil_mode(const Call& call) { return call.scalar("ceilMode").integer != 0; }
std::string window_text(const Call& call);  // the arguments of the window, for a message

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

// The tensor with one cell for each window of self: its dims, and rules about it, be it out or gradOutput.
void pooled_dims(const Call& call, int64_t dims[]);
Failure pooled_shape(const Call& call, const Tensor& pooled, const char* name);
// Results of forward operators, and of gradients: like self, in the layout of the gradient that comes in.
Tensor infer(const Call& call, int result);
Tensor infer_gradient(const Call& call);
// Plans without their windows: (self, out, indices), and (gradOutput, self, indices, gradInput).
WindowMax window_max(const Call& call);
WindowScatter window_scatter(const Call& call);

// The strides of indices along N, C, D, H, W: whatever format they have, their axes are in the order of self's.
void read_index_axes(const Call& call, const Tensor& indices, int64_t strides[5]);

const Tensor& self_of(const Call& call);
const int64_t* plane_of_self(const Call& call);  // its sizes along the spatial axes

}  // namespace acltwin::pool
