#include "ops/pool.h"

#include <algorithm>
#include <limits>

namespace acltwin::pool {

namespace {

const IntArray& kernel_size(const Call& call) { return *call.arrays[0]; }
const IntArray& stride(const Call& call) { return *call.arrays[1]; }
const IntArray& padding(const Call& call) { return *call.arrays[2]; }

// Averages have none.
const IntArray& dilation(const Call& call) {
    static const int64_t one = 1;
    static const IntArray none = {&one, 1};
    return call.op->arrays > 3 ? *call.arrays[3] : none;
}

std::string name_of_array(const Call& call, int i) { return "{" + std::string(call.op->array[i].name) + "}"; }

// Whether the padding is first that before the cells, then that behind them.
bool sided(const Call& call) { return padding(call).size > std::max(1, call.op->axes); }

template <class Predicate>
bool all_values(const IntArray& array, Predicate predicate) {
    return std::all_of(array.values, array.values + array.size, predicate);
}

}  // namespace

PoolAxis axis(const Call& call, int i) {
    PoolAxis axis = pool_axis(kernel_size(call), stride(call), padding(call), dilation(call), i);
    const int64_t step = call.op->array[1].empty;
    if (stride(call).size == 0 && step != 0) axis.stride = step;
    const IntArray& pads = padding(call);
    if (sided(call)) axis.more_behind = pads.values[i + call.op->axes] - pads.values[i];
    return axis;
}

std::string window_text(const Call& call) {
    int64_t windows[4][3] = {};  // kernel, stride, padding, dilation of each axis, however few were given
    for (int i = 0; i < call.op->axes; ++i) {
        const PoolAxis of = axis(call, i);
        const int64_t values[] = {of.kernel, of.stride, of.padding, of.dilation};
        for (int j = 0; j < 4; ++j) windows[j][i] = values[j];
    }
    const auto text = [&](int j) { return text_of(IntArray{windows[j], call.op->axes}); };
    std::string all;
    for (int j = 0; j < call.op->arrays; ++j)
        all += name_of_array(call, j) + " " + (j == 2 && sided(call) ? text_of(padding(call)) : text(j)) + ", ";
    return all + "{ceilMode} " + (ceil_mode(call) ? "true" : "false");
}

// The tensor that is pooled: a gradient reads nothing but its shape.
const Tensor& self_of(const Call& call) {
    for (int i = 0; i < call.op->inputs(); ++i)
        if (call.op->tensor[i].holds == Holds::shape) return *call.tensors[i];
    return *call.tensors[0];
}

void read_index_axes(const Call& call, const Tensor& indices, int64_t strides[5]) {
    read_axes_like(call, indices, self_of(call), nullptr, strides);
}

const int64_t* plane_of_self(const Call& call) { return plane_of(call, self_of(call)); }

void pooled_dims(const Call& call, int64_t dims[]) {
    const Tensor& self = self_of(call);
    const int64_t* const cells = plane_of_self(call);
    std::copy_n(self.dims, self.rank, dims);
    for (int i = 0; i < call.op->axes; ++i)
        dims[first_spatial(call, self) + i] = axis(call, i).windows(cells[i], ceil_mode(call));
}

Failure pooled_shape(const Call& call, const Tensor& pooled, const char* name) {
    const Tensor& self = self_of(call);
    int64_t expected[kMaxRank];
    pooled_dims(call, expected);
    const bool alike = pooled.rank == self.rank && channels_last(call, pooled) == channels_last(call, self);
    if (alike && std::equal(expected, expected + self.rank, pooled.dims)) return {};
    return refuse("{", name, "} is ", shape_of(pooled), ", expected ", text_of(expected, self.rank),
                  ", what pooling {self} ", shape_of(self), " with ", window_text(call), " gives; ",
                  call.op->is_gradient ? "pass the arguments of the forward pass" : "create it with that shape");
}

Tensor infer(const Call& call, int result) {
    Tensor inferred = self_of(call);
    inferred.data = nullptr;
    if (result == 1) inferred.dtype = call.index_dtype;
    pooled_dims(call, inferred.dims);
    set_result_strides(call, inferred, self_of(call));
    return inferred;
}

Tensor infer_gradient(const Call& call) {
    const Tensor& gradient = *call.tensors[0];
    Tensor result = *call.tensors[1];
    result.data = nullptr;
    result.dtype = gradient.dtype;
    set_result_strides(call, result, gradient);
    return result;
}

WindowMax window_max(const Call& call) {
    WindowMax windows;
    windows.dtype = call.tensors[0]->dtype;
    windows.index_dtype = DType::undefined;
    read_axes(call, *call.tensors[0], windows.source_dims, windows.source_strides);
    read_axes(call, *call.tensors[1], windows.result_dims, windows.result_strides);
    if (call.op->makes_indices()) {
        windows.index_dtype = call.tensors[2]->dtype;
        read_index_axes(call, *call.tensors[2], windows.index_strides);
    }
    return windows;
}

WindowScatter window_scatter(const Call& call) {
    WindowScatter scatter;
    scatter.dtype = call.tensors[1]->dtype;
    scatter.index_dtype = call.tensors[2]->dtype;
    read_axes(call, *call.tensors[0], scatter.source_dims, scatter.source_strides);
    if (call.op->tensor[2].holds == Holds::indices) read_index_axes(call, *call.tensors[2], scatter.index_strides);
    read_axes(call, *call.tensors[3], scatter.result_dims, scatter.result_strides);
    describe_axes(call, *call.tensors[1], scatter);
    return scatter;
}

Failure window_fits(const Call& call) {
    const Tensor& self = self_of(call);
    const int64_t* const cells = plane_of_self(call);
    for (int i = 0; i < call.op->axes; ++i)
        if (axis(call, i).windows(cells[i], ceil_mode(call)) <= 0)
            return refuse("{self} is ", shape_of(self), " with ", axis_name(*call.op, i), " = ", cells[i],
                          ", expected room for one window of ", window_text(call),
                          "; use a smaller kernel, or more padding");
    return {};
}

Failure out_bytes(const Call& call) {
    const Tensor& self = self_of(call);
    int64_t dims[kMaxRank];
    pooled_dims(call, dims);
    const size_t index = call.op->makes_indices() ? size_of(call.index_dtype) : 0;
    if (!bytes_overflow(dims, self.rank, std::max(size_of(self.dtype), index))) return {};
    return refuse("{self} is ", shape_of(self), ", which ", window_text(call), " pools to ", text_of(dims, self.rank),
                  ", expected results of fewer than 2^63 bytes; use less padding or a larger stride");
}

Failure out_shape(const Call& call) {
    return call.tensors[1] == nullptr ? Failure() : pooled_shape(call, *call.tensors[1], "out");
}

Failure padding_negative(const Call& call) {
    if (all_values(padding(call), [](int64_t value) { return value >= 0; })) return {};
    return refuse(name_of_array(call, 2), " is ", text_of(padding(call)),
                  ", expected no negative value; use 0 or more");
}

Failure padding_half(const Call& call) {
    for (int i = 0; i < call.op->axes; ++i)
        if (value_on_axis(padding(call), i) > value_on_axis(kernel_size(call), i) / 2)
            return refuse(name_of_array(call, 2), " is ", text_of(padding(call)), " with {kernelSize} ",
                          text_of(kernel_size(call)),
                          ", expected at most half the kernel on each axis; use less padding");
    return {};
}

Failure dilation_is_one(const Call& call) {
    if (all_values(dilation(call), [](int64_t value) { return value == 1; })) return {};
    return refuse(name_of_array(call, 3), " is ", text_of(dilation(call)), ", expected 1 on all axes; pass 1");
}

Failure dilation_one(const Call& call) {
    if (all_values(dilation(call), [](int64_t value) { return value == 1; })) return {};
    return refuse("{dilation} is ", text_of(dilation(call)),
                  ", expected 1: the device supports no other; pass 1, or set ACLTWIN_PROFILE=device");
}

Failure dilation_soc(const Call& call) {
    if (call.mode.soc == Soc::ascend950 || all_values(dilation(call), [](int64_t value) { return value == 1; }))
        return {};
    return refuse("{dilation} is ", text_of(dilation(call)), ", expected 1 on ", name_of(call.mode.soc),
                  "; pass 1, or set ACLTWIN_SOC=Ascend950");
}

Failure channels_last_soc(const Call& call) {
    if (call.mode.soc == Soc::ascend950 || !channels_last(call, self_of(call))) return {};
    return refuse("{self} has format ", name_of(self_of(call).format), ", expected channels first on ",
                  name_of(call.mode.soc), "; transpose the data, or set ACLTWIN_SOC=Ascend950");
}

Failure self_size(const Call& call) {
    const Tensor& self = self_of(call);
    const int64_t* plane = plane_of_self(call);
    if (std::all_of(plane, plane + call.op->axes, [](int64_t dim) { return dim > 0; })) return {};
    return refuse("{self} is ", shape_of(self), ", expected ", axis_names(*call.op),
                  " above 0 (only N and C may be 0); skip the call where there are no cells");
}

Failure self_channels(const Call& call) {
    const Tensor& self = self_of(call);
    if (self.dims[axis_order(call, self).axis[1]] > 0) return {};
    return refuse("{self} is ", shape_of(self), " = ", axes_text(call, self),
                  ", expected C above 0: only N may be 0; skip the call when there are no channels");
}

Failure plane_size(const Call& call) {
    if (call.mode.soc == Soc::ascend950) return {};
    const int64_t cells = cells_of(call, self_of(call));
    if (cells <= std::numeric_limits<int32_t>::max()) return {};
    return refuse("{self} is ", shape_of(self_of(call)), " with ", plane_name(*call.op), " = ", cells,
                  ", expected at most 2^31 - 1 on ", name_of(call.mode.soc),
                  ", whose indices are int32; use smaller planes, or set ACLTWIN_SOC=Ascend950");
}

}  // namespace acltwin::pool
