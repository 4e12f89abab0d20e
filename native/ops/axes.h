// Tensors seen along N, C, D, H, W: the axes that plans know, whatever order a tensor keeps them in.
#pragma once

#include <string>
#include <utility>

#include "kernels/plans.h"
#include "ops/operator.h"

namespace acltwin {

// For each of N, C, D, H, W the tensor's axis; -1 for one the tensor does not have.
struct AxisOrder {
    int axis[5];
};

// Whether a tensor of this format has its C last. Some operators know that of arrays only: through aclnn they read any
// format as channels first.
bool channels_last(const Call& call, Format format);
inline bool channels_last(const Call& call, const Tensor& tensor) { return channels_last(call, tensor.format); }

// How an operator reads the axes of a tensor of this rank and format.
AxisOrder axis_order(const Call& call, int rank, Format format);
inline AxisOrder axis_order(const Call& call, const Tensor& tensor) {
    return axis_order(call, tensor.rank, tensor.format);
}
std::string axes_text(const Call& call, int rank, Format format);  // "(N, D, H, W, C)"
inline std::string axes_text(const Call& call, const Tensor& tensor) {
    return axes_text(call, tensor.rank, tensor.format);
}

// What messages call the operator's spatial axes: "D, H, W", and one of them.
std::string axis_names(const Operator& op, const char* between = ", ");
char axis_name(const Operator& op, int axis);
// The cells of a tensor's plane, which "tensor_shape" keeps from overflowing; and what messages call them, "D*H*W".
int64_t cells_of(const Call& call, const Tensor& tensor);
inline std::string plane_name(const Operator& op) { return axis_names(op, "*"); }

// Fills dims and strides of a plan; a missing axis has size 1, and what has size 1 has stride 1. Either may be null.
void read_axes(const Call& call, const Tensor& tensor, int64_t dims[5], int64_t strides[5]);
template <class Geometry>
void read_tensors(const Call& call, const Tensor& source, const Tensor& result, Geometry& plan) {
    read_axes(call, source, plan.source_dims, plan.source_strides);
    read_axes(call, result, plan.result_dims, plan.result_strides);
}
// The same of a tensor whose dims were compared with those of another one: it has that one's order of axes, whatever
// its own format says.
inline void read_axes_like(const Call& call, Tensor tensor, const Tensor& other, int64_t dims[5], int64_t strides[5]) {
    tensor.format = other.format;
    read_axes(call, tensor, dims, strides);
}
// What a plan with indices says of the caller's tensors in its messages.
void describe_axes(const Call& call, const Tensor& tensor, Indexed& plan);
// The first of a tensor's spatial axes; they follow each other in every order.
inline int first_spatial(const Call& call, const Tensor& tensor) {
    return channels_last(call, tensor) ? 1 : tensor.rank - call.op->axes;
}
// D, H, W of a tensor, and its sizes along the batch axes that it has.
inline const int64_t* plane_of(const Call& call, const Tensor& tensor) {
    return tensor.dims + first_spatial(call, tensor);
}
struct BatchSizes {
    int64_t size[2];
    int count;
};
BatchSizes batch_of(const Call& call, const Tensor& tensor);

// Whether a tensor, its axes in logical order, is dense in memory with `channel` innermost, and not contiguous.
bool dense_channels_last(const Tensor& tensor, int channel);

// The strides of a fresh result: contiguous, or channels-last if a channels-first source is so in memory. A network
// that keeps that layout thereby keeps it through its gradients.
void set_result_strides(const Call& call, Tensor& result, const Tensor& source);
// A fresh result that differs from a tensor only by its plane. One that holds indices has their dtype.
Tensor with_plane(const Call& call, const Tensor& like, const int64_t plane[], int result = 0);
// A result of the first tensor's N and C and of outputSize, the first array: one value of it serves all axes, and none
// keeps the sizes.
namespace resized {
Tensor infer(const Call& call, int result);
}
// The same tensor with its dims in the order of another format's axes.
Tensor in_order_of(const Call& call, const Tensor& tensor, Format format);
// Whether a tensor has the rank and the sizes of another one, each read in its own order.
bool has_sizes(const Call& call, const Tensor& tensor, const Tensor& expected);

// The position of the tensor whose sizes decide about all others: the one that is pooled, of which a gradient reads
// nothing but the shape.
int deciding_tensor(const Operator& op);

// Axis 0, 1, 2 = D, H, W of an array that holds one value for all axes, or three, or none.
inline int64_t value_on_axis(const IntArray& array, int axis, int64_t none = 0) {
    return array.size == 0 ? none : array.values[array.size == 1 ? 0 : axis];
}

// The tables of D, H, W by the sizes of the forward pass; an axis that the tensors lack has one cell.
template <class Geometry, class Table, class Find>
void fill_tables(const Call& call, const Geometry& plan, Table (&tables)[3], const Table& one_cell, const Find& find) {
    for (int axis = 0; axis < 3; ++axis) {
        const int own = axis - (3 - call.op->axes);
        int64_t in = plan.source_dims[2 + axis], out = plan.result_dims[2 + axis];
        if (call.op->is_gradient) std::swap(in, out);
        tables[axis] = own < 0 ? one_cell : find(own, in, out);
    }
}

}  // namespace acltwin
