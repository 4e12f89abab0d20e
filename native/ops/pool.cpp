#include "ops/pool.h"

namespace acltwin {

int64_t PoolAxis::windows(int64_t size, bool ceil_mode) const {
    using Wide = __int128;  // the values come from outside: any product of two of them must fit
    const Wide room = Wide(size) + 2 * Wide(padding) + more_behind - Wide(dilation) * (Wide(kernel) - 1) - 1;
    if (room < 0 && (!ceil_mode || room <= -Wide(stride))) return 0;
    // From here room / stride rounds towards 0, which is up for a negative room, and that is what ceil_mode wants.
    Wide count = (ceil_mode && room > 0 ? (room + stride - 1) / stride : room / stride) + 1;
    // What ceil mode adds must begin inside the cells or their left padding.
    if (ceil_mode && (count - 1) * stride >= Wide(size) + padding) --count;
    return int64_t(std::min<Wide>(count, std::numeric_limits<int64_t>::max()));
}

namespace pool {

namespace {

const IntArray& kernel_size(const Call& call) { return *call.arrays[0]; }
const IntArray& padding(const Call& call) { return *call.arrays[2]; }

template <class Predicate>
bool all_values(const Call& call, int array, Predicate predicate) {
    const IntArray& values = *call.arrays[array];
    return std::all_of(values.values, values.values + values.size, predicate);
}

bool is_dilated(const Call& call) {
    return !all_values(call, 3, [](int64_t value) { return value == 1; });
}

// Of padding, which is first that before the cells, then that behind them.
bool sided(const Call& call) { return padding(call).size > std::max(1, call.op->axes); }

std::string pooling_text(const Call& call, const Tensor&) {
    return sentence(", what pooling {self} ", shape_of(self_of(call)), " with ", window_text(call), " gives; ",
                    call.op->is_gradient ? "pass the arguments of the forward pass" : "create it with that shape");
}

template <class... Parts>
Failure refuse_array(const Call& call, int array, const Parts&... parts) {
    return refuse("{", call.op->array[array].name, "} is ", text_of(*call.arrays[array]), parts...);
}

}  // namespace

PoolAxis axis(const Call& call, int i) {
    const IntArray &kernel = kernel_size(call), &stride = *call.arrays[1], &pads = padding(call);
    const int64_t step = call.op->array[1].empty;  // of windows whose stride is not given; 0: their size
    PoolAxis axis = {value_on_axis(kernel, i), step == 0 ? value_on_axis(kernel, i) : step, value_on_axis(pads, i), 1};
    axis.stride = value_on_axis(stride, i, axis.stride);
    if (call.op->arrays > 3) axis.dilation = value_on_axis(*call.arrays[3], i, 1);
    if (sided(call)) axis.more_behind = pads.values[i + call.op->axes] - pads.values[i];
    return axis;
}

// Each axis has its own values there, however few were given.
std::string window_text(const Call& call) {
    int64_t values[4][3] = {};  // kernel, stride, padding, dilation
    for (int i = 0; i < call.op->axes; ++i) {
        const PoolAxis of = axis(call, i);
        values[0][i] = of.kernel, values[1][i] = of.stride, values[2][i] = of.padding, values[3][i] = of.dilation;
    }
    std::string text;
    for (int j = 0; j < call.op->arrays; ++j)
        text += sentence("{", call.op->array[j].name, "} ",
                         j == 2 && sided(call) ? text_of(padding(call)) : text_of({values[j], call.op->axes}), ", ");
    return text + "{ceilMode} " + (ceil_mode(call) ? "true" : "false");
}

int64_t windows(const Call& call, int i) { return axis(call, i).windows(plane_of_self(call)[i], ceil_mode(call)); }

Tensor infer(const Call& call, int result) {
    int64_t plane[3];
    for (int i = 0; i < call.op->axes; ++i) plane[i] = windows(call, i);
    return with_plane(call, self_of(call), plane, result);
}

// Whatever format indices have, their axes are in the order of self's.
void read_index_axes(const Call& call, const Tensor& indices, int64_t strides[5]) {
    read_axes_like(call, indices, self_of(call), nullptr, strides);
}

WindowMax window_max(const Call& call) {
    WindowMax windows;
    windows.dtype = call.tensors[0]->dtype;
    windows.index_dtype = DType::undefined;
    read_tensors(call, *call.tensors[0], *call.tensors[1], windows);
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
    read_tensors(call, *call.tensors[0], *call.tensors[3], scatter);
    if (call.op->tensor[2].holds == Holds::indices) read_index_axes(call, *call.tensors[2], scatter.index_strides);
    describe_axes(call, *call.tensors[1], scatter);
    return scatter;
}

// ---- rules ----

Failure out_bytes(const Call& call) {
    if (countable(call, 0) && (!call.op->makes_indices() || countable(call, 1))) return {};
    return refuse("{self} is ", shape_of(self_of(call)), ", which ", window_text(call), " pools to ",
                  shape_of(infer(call, 0)),
                  ", expected results of fewer than 2^63 bytes; use less padding or a larger stride");
}

Failure out_shape(const Call& call) { return result_shape(call, pooling_text); }
Failure grad_output_shape(const Call& call) { return has_shape(call, 0, infer(call, 0), pooling_text); }
Failure grad_output_size(const Call& call) { return grad_output_shape(call); }

Failure window_fits(const Call& call) {
    for (int i = 0; i < call.op->axes; ++i)
        if (windows(call, i) <= 0)
            return refuse("{self} is ", shape_of(self_of(call)), " with ", axis_name(*call.op, i), " = ",
                          plane_of_self(call)[i], ", expected room for one window of ", window_text(call),
                          "; use a smaller kernel, or more padding");
    return {};
}

Failure padding_negative(const Call& call) {
    if (all_values(call, 2, [](int64_t value) { return value >= 0; })) return {};
    return refuse_array(call, 2, ", expected no negative value; use 0 or more");
}

Failure padding_half(const Call& call) {
    for (int i = 0; i < call.op->axes; ++i)  // not from axis(), which also reads dilation: that is checked later
        if (value_on_axis(padding(call), i) > value_on_axis(kernel_size(call), i) / 2)
            return refuse_array(call, 2, " with {kernelSize} ", text_of(kernel_size(call)),
                                ", expected at most half the kernel on each axis; use less padding");
    return {};
}

Failure dilation_is_one(const Call& call) {
    return is_dilated(call) ? refuse_array(call, 3, ", expected 1 on all axes; pass 1") : Failure();
}

Failure dilation_one(const Call& call) {
    if (!is_dilated(call)) return {};
    return refuse_array(call, 3, ", expected 1: the device supports no other; pass 1, or set ACLTWIN_PROFILE=device");
}

Failure dilation_soc(const Call& call) {
    if (is_950(call) || !is_dilated(call)) return {};
    return refuse_array(call, 3, ", expected 1 on ", name_of(call.mode.soc), "; pass 1, or set ACLTWIN_SOC=Ascend950");
}

Failure channels_last_soc(const Call& call) {
    if (is_950(call) || !channels_last(call, self_of(call))) return {};
    return refuse("{self} has format ", name_of(self_of(call).format), ", expected channels first on ",
                  name_of(call.mode.soc), "; transpose the data, or set ACLTWIN_SOC=Ascend950");
}

Failure plane_size(const Call& call) {
    if (is_950(call)) return {};
    return plane_in_int32(call, std::string(" on ") + name_of(call.mode.soc) + ", whose indices are int32",
                          "use smaller planes, or set ACLTWIN_SOC=Ascend950");
}

}  // namespace pool

namespace pool_backward {
// Like self, in the layout of the gradient that comes in.
Tensor infer(const Call& call, int) {
    const Tensor& gradient = *call.tensors[0];
    Tensor result = *call.tensors[1];
    result.data = nullptr;
    result.dtype = gradient.dtype;
    set_result_strides(call, result, gradient);
    return result;
}
}  // namespace pool_backward

}  // namespace acltwin
