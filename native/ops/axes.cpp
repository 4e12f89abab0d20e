#include "ops/axes.h"

#include <algorithm>
#include <functional>
#include <numeric>

namespace acltwin {

namespace {

void set_channels_last_strides(Tensor& tensor, int channel) {
    tensor.strides[channel] = 1;
    int64_t stride = tensor.dims[channel];
    for (int i = tensor.rank - 1; i >= 0; --i) {
        if (i == channel) continue;
        tensor.strides[i] = stride;
        if (__builtin_mul_overflow(stride, tensor.dims[i], &stride)) stride = 0;  // of an absurd shape
    }
}

}  // namespace

bool dense_channels_last(const Tensor& tensor, int channel) {
    if (tensor.contiguous()) return false;  // also says so of empty tensors, which have no layout to keep
    Tensor expected = tensor;
    set_channels_last_strides(expected, channel);
    for (int i = 0; i < tensor.rank; ++i)
        if (tensor.dims[i] > 1 && tensor.strides[i] != expected.strides[i]) return false;
    return true;
}

bool channels_last(const Call& call, Format format) {
    const Operator& op = *call.op;
    const bool known = op.reads_channels_last || (op.takes_channels_last && call.mode.door == Door::array);
    return known && format == op.channels_last_format();
}

AxisOrder axis_order(const Call& call, int rank, Format format) {
    const Operator& op = *call.op;
    AxisOrder order = {{-1, -1, -1, -1, -1}};
    const bool both = rank == 2 + op.axes;
    const bool last = both && channels_last(call, format);
    if (both || op.lone_axis == 'N') order.axis[0] = 0;
    if (both || op.lone_axis == 'C') order.axis[1] = last ? rank - 1 : both ? 1 : 0;
    const int first = last ? 1 : rank - op.axes;
    for (int i = 0; i < op.axes; ++i) order.axis[5 - op.axes + i] = first + i;
    return order;
}

char axis_name(const Operator& op, int axis) { return op.axes == 1 ? 'L' : "DHW"[3 - op.axes + axis]; }

std::string axis_names(const Operator& op, const char* between) {
    std::string text;
    for (int i = 0; i < op.axes; ++i) text += (i == 0 ? "" : between) + std::string(1, axis_name(op, i));
    return text;
}

int64_t cells_of(const Call& call, const Tensor& tensor) {
    const int64_t* plane = plane_of(call, tensor);
    return std::accumulate(plane, plane + call.op->axes, int64_t(1), std::multiplies<int64_t>());
}

std::string axes_text(const Call& call, int rank, Format format) {
    const AxisOrder order = axis_order(call, rank, format);
    std::string text;
    for (int i = 0; i < rank; ++i)
        for (int axis = 0; axis < 5; ++axis)
            if (order.axis[axis] == i)
                text += (text.empty() ? "" : ", ") +
                        std::string(1, axis < 2 ? "NC"[axis] : axis_name(*call.op, axis - 5 + call.op->axes));
    return "(" + text + ")";
}

void describe_axes(const Call& call, const Tensor& tensor, Indexed& plan) {
    const AxisOrder order = axis_order(call, tensor);
    plan.axes = call.op->axes;
    plan.missing_axis = order.axis[0] < 0 ? 0 : order.axis[1] < 0 ? 1 : -1;
    plan.channels_last = channels_last(call, tensor);
}

BatchSizes batch_of(const Call& call, const Tensor& tensor) {
    const AxisOrder order = axis_order(call, tensor);
    BatchSizes batch = {};
    for (int axis : {order.axis[0], order.axis[1]})
        if (axis >= 0) batch.size[batch.count++] = tensor.dims[axis];
    return batch;
}

void read_axes(const Call& call, const Tensor& tensor, int64_t dims[5], int64_t strides[5]) {
    const AxisOrder order = axis_order(call, tensor);
    for (int i = 0; i < 5; ++i) {
        const int axis = order.axis[i];
        if (dims != nullptr) dims[i] = axis < 0 ? 1 : tensor.dims[axis];
        // An axis of one element may come with any stride: nobody steps along it, but plans calculate with it.
        const bool steps = axis >= 0 && tensor.dims[axis] > 1;
        if (strides != nullptr) strides[i] = steps ? tensor.strides[axis] : 1;
    }
}

void set_result_strides(const Call& call, Tensor& result, const Tensor& source) {
    const int channel = source.rank - call.op->axes - 1;
    if (!channels_last(call, source) && dense_channels_last(source, channel))
        set_channels_last_strides(result, channel);
    else
        result.set_contiguous_strides();
}

Tensor with_plane(const Call& call, const Tensor& like, const int64_t plane[], int result) {
    const Operator& op = *call.op;
    Tensor fresh = like;
    fresh.data = nullptr;
    if (op.tensor[op.inputs() + result].holds == Holds::indices) fresh.dtype = call.index_dtype;
    std::copy_n(plane, op.axes, fresh.dims + first_spatial(call, like));
    set_result_strides(call, fresh, like);
    return fresh;
}

Tensor resized::infer(const Call& call, int result) {
    const Tensor& self = *call.tensors[0];
    int64_t plane[3];
    for (int i = 0; i < call.op->axes; ++i) plane[i] = value_on_axis(*call.arrays[0], i, plane_of(call, self)[i]);
    return with_plane(call, self, plane, result);
}

Tensor in_order_of(const Call& call, const Tensor& tensor, Format format) {
    const AxisOrder from = axis_order(call, tensor), to = axis_order(call, tensor.rank, format);
    Tensor ordered = tensor;
    ordered.format = format;
    for (int i = 0; i < 5; ++i)
        if (to.axis[i] >= 0) ordered.dims[to.axis[i]] = tensor.dims[from.axis[i]];
    return ordered;
}

bool has_sizes(const Call& call, const Tensor& tensor, const Tensor& expected) {
    const auto equals = [&](const Tensor& other) {
        return tensor.rank == other.rank && std::equal(tensor.dims, tensor.dims + tensor.rank, other.dims);
    };
    const bool alike = channels_last(call, tensor) == channels_last(call, expected);
    return alike ? equals(expected) : equals(in_order_of(call, expected, tensor.format));
}

int deciding_tensor(const Operator& op) {
    for (int i = 0; i < op.inputs(); ++i)
        if (op.tensor[i].holds == Holds::shape) return i;
    return 0;
}

}  // namespace acltwin
