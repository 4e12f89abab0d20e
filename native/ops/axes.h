// Tensors seen along N, C, D, H, W: the axes that plans know, whatever order a tensor keeps them in.
#pragma once

#include <string>

#include "ops/operator.h"

namespace acltwin {

// For each of N, C, D, H, W the tensor's axis; -1 for one the tensor does not have.
struct AxisOrder {
    int axis[5];
};

// How an operator reads the axes of a tensor of this rank and format.
AxisOrder axis_order(const Operator& op, int rank, Format format);
inline AxisOrder axis_order(const Call& call, const Tensor& tensor) {
    return axis_order(*call.op, tensor.rank, tensor.format);
}
std::string axes_text(const Operator& op, int rank, Format format);  // "(N, D, H, W, C)"
inline std::string axes_text(const Call& call, const Tensor& tensor) {
    return axes_text(*call.op, tensor.rank, tensor.format);
}
bool channels_last(const Call& call, const Tensor& tensor);  // by its format

// Fills dims and strides of a plan; a missing axis has size 1, and what has size 1 has stride 1. Either may be null.
void read_axes(const Call& call, const Tensor& tensor, int64_t dims[5], int64_t strides[5]);
// 0 (N) or 1 (C): the batch axis that the tensor does not have; -1: it has both.
int missing_batch_axis(const Call& call, const Tensor& tensor);
// The first of a channels-first tensor's spatial axes.
inline int first_spatial(const Call& call, const Tensor& tensor) { return tensor.rank - call.op->axes; }

// Whether a tensor, its axes in logical order, is dense in memory with `channel` innermost, and not contiguous.
bool dense_channels_last(const Tensor& tensor, int channel);

// The strides of a fresh result: contiguous, or channels-last if the source is so. A network that keeps that layout
// thereby keeps it through its gradients.
void set_strides_like(Tensor& result, const Tensor& source, int channel);

}  // namespace acltwin
