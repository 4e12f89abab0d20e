// Tensors seen along N, C, D, H, W: the axes that plans know, whatever order a tensor keeps them in.
#pragma once

#include "core/tensor.h"

namespace acltwin {

// For each of N, C, D, H, W the tensor's axis; -1 for one the tensor does not have.
struct AxisOrder {
    int axis[5];
};
constexpr AxisOrder kNcdhw = {{0, 1, 2, 3, 4}};
constexpr AxisOrder kNdhwc = {{0, 4, 1, 2, 3}};
constexpr AxisOrder kNchw = {{0, 1, -1, 2, 3}};
constexpr AxisOrder kNhwc = {{0, 3, -1, 1, 2}};
constexpr AxisOrder kNdhw = {{0, -1, 1, 2, 3}};
constexpr AxisOrder kCdhw = {{-1, 0, 1, 2, 3}};

// Fills dims and strides of a plan; a missing axis has size 1. Either may be null.
void read_axes(const Tensor& tensor, const AxisOrder& order, int64_t dims[5], int64_t strides[5]);

// The strides of a fresh result: contiguous, or channels-last if the source is a dense channels-last tensor (its axes
// in logical order, `channel` innermost in memory). So a network that keeps that layout keeps it through its gradients.
void set_strides_like(Tensor& result, const Tensor& source, int channel);

}  // namespace acltwin
