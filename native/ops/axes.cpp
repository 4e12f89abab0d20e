#include "ops/axes.h"

namespace acltwin {

namespace {

void set_channels_last_strides(Tensor& tensor, int channel) {
    tensor.strides[channel] = 1;
    int64_t stride = tensor.dims[channel];
    for (int i = tensor.rank - 1; i >= 0; --i) {
        if (i == channel) continue;
        tensor.strides[i] = stride;
        stride *= tensor.dims[i];
    }
}

bool dense_channels_last(const Tensor& tensor, int channel) {
    if (tensor.contiguous()) return false;  // also says so of empty tensors, which have no layout to keep
    Tensor expected = tensor;
    set_channels_last_strides(expected, channel);
    for (int i = 0; i < tensor.rank; ++i)
        if (tensor.dims[i] > 1 && tensor.strides[i] != expected.strides[i]) return false;
    return true;
}

}  // namespace

void read_axes(const Tensor& tensor, const AxisOrder& order, int64_t dims[5], int64_t strides[5]) {
    for (int i = 0; i < 5; ++i) {
        const int axis = order.axis[i];
        if (dims != nullptr) dims[i] = axis < 0 ? 1 : tensor.dims[axis];
        if (strides != nullptr) strides[i] = axis < 0 ? 0 : tensor.strides[axis];
    }
}

void set_strides_like(Tensor& result, const Tensor& source, int channel) {
    if (dense_channels_last(source, channel))
        set_channels_last_strides(result, channel);
    else
        result.set_contiguous_strides();
}

}  // namespace acltwin
