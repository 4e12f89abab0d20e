#include "ops/upsample.h"

#include <algorithm>

#include "kernels/plans.h"
#include "ops/axes.h"
#include "ops/scale.h"

namespace acltwin::upsample {

namespace {

struct Arguments {
    explicit Arguments(const Call& call) : self(call.tensors[0]), out(call.tensors[1]), output_size(call.arrays[0]) {}
    const Tensor *self, *out;
    const IntArray* output_size;
};

// The dims of a result with the axes of `like`: N and C of self, and outputSize.
void result_dims(const Call& call, const Tensor& like, int64_t dims[]) {
    const Arguments args(call);
    const AxisOrder from = axis_order(call, *args.self), to = axis_order(call, 2 + call.op->axes, like.format);
    dims[to.axis[0]] = args.self->dims[from.axis[0]];
    dims[to.axis[1]] = args.self->dims[from.axis[1]];
    for (int i = 0; i < call.op->axes; ++i) dims[to.axis[5 - call.op->axes + i]] = args.output_size->values[i];
}

}  // namespace

Failure self_size(const Call& call) {
    const Tensor& self = *Arguments(call).self;
    const int64_t* sizes = plane_of(call, self);
    if (std::all_of(sizes, sizes + call.op->axes, [](int64_t size) { return size > 0; })) return {};
    return refuse("{self} is ", shape_of(self), " = ", axes_text(call, self),
                  ", expected every dimension but N and C above 0; skip the call where there is nothing to copy from");
}

Failure self_channels(const Call& call) {
    const Tensor& self = *Arguments(call).self;
    if (self.dims[axis_order(call, self).axis[1]] > 0) return {};
    return refuse("{self} is ", shape_of(self), " = ", axes_text(call, self),
                  ", expected C above 0: only N may be 0; skip the call when there are no channels");
}

Failure self_batch(const Call& call) {
    const Tensor& self = *Arguments(call).self;
    if (self.dims[axis_order(call, self).axis[0]] > 0) return {};
    return refuse("{self} is ", shape_of(self), " = ", axes_text(call, self),
                  ", expected N above 0; skip the call when the batch is empty");
}

Failure output_size_bytes(const Call& call) {
    const Arguments args(call);
    int64_t dims[kMaxRank];
    result_dims(call, *args.self, dims);
    if (!bytes_overflow(dims, args.self->rank, size_of(args.self->dtype))) return {};
    return refuse("{outputSize} is ", text_of(*args.output_size), ", expected a result of fewer than 2^63 bytes");
}

Failure out_shape(const Call& call) {
    const Arguments args(call);
    if (args.out == nullptr) return {};
    int64_t expected[kMaxRank];
    result_dims(call, *args.out, expected);
    const int rank = 2 + call.op->axes;
    if (args.out->rank == rank && std::equal(expected, expected + rank, args.out->dims)) return {};
    return refuse("{out} is ", shape_of(*args.out), ", expected ", text_of(expected, rank), " = ",
                  axes_text(call, rank, args.out->format), " with N, C of {self} ", shape_of(*args.self),
                  " and {outputSize} = ", text_of(*args.output_size), "; create it with that shape");
}

Failure output_size_scale(const Call& call) {
    return scale::output_size_scale(call, plane_of(call, *Arguments(call).self));
}

bool is_small_image(const Call& call) {
    const int64_t* size = call.arrays[0]->values;
    return call.op->axes == 2 && size[0] <= 128 && size[1] <= 128 && size[0] + size[1] <= 128;
}

bool keeps_size(const Call& call) {
    const int64_t* sizes = plane_of(call, *Arguments(call).self);
    return std::equal(sizes, sizes + call.op->axes, call.arrays[0]->values);
}

namespace {

// Whether PyTorch takes the kernel that looks up every cell on its own: for small images, and for channels-last tensors
// of more than 3 channels.
bool torch_goes_by_cell(const Call& call) {
    const Tensor& self = *Arguments(call).self;
    if (is_small_image(call)) return true;
    if (call.mode.map != MapRule::torch_tensor || call.op->axes == 1) return false;
    const int channel = axis_order(call, self).axis[1];
    return self.dims[channel] > 3 && dense_channels_last(self, channel);
}

SourceRule torch_rule(const Call& call, int axis, int64_t in, int64_t out) {
    if (torch_goes_by_cell(call)) {
        const bool shortcut = !call.op->exact && (out == in || out == 2 * in);  // which ignores a given scale
        return {shortcut ? 0 : call.scale(axis), false, Arithmetic::torch_by_cell};
    }
    const bool wide = call.mode.map == MapRule::torch_tensor && call.tensors[0]->dtype == DType::float64;
    return {call.scale(axis), false, wide ? Arithmetic::torch_by_axis_double : Arithmetic::torch_by_axis};
}

}  // namespace

Tensor infer(const Call& call, int) {
    const Tensor& self = *Arguments(call).self;
    Tensor result = self;
    result.data = nullptr;
    result_dims(call, self, result.dims);
    set_result_strides(call, result, self);
    return result;
}

std::unique_ptr<Plan> plan(const Call& call, DeviceRule device_rule) {
    const Arguments args(call);
    NearestCopy copy;
    copy.element_size = size_of(args.self->dtype);
    read_axes(call, *args.self, copy.source_dims, copy.source_strides);
    read_axes(call, *args.out, copy.result_dims, copy.result_strides);
    for (int axis = 0; axis < 3 - call.op->axes; ++axis) copy.from[axis] = {0};  // those that the tensors do not have
    for (int i = 0; i < call.op->axes; ++i) {
        const int axis = 3 - call.op->axes + i;
        const int64_t in = copy.source_dims[2 + axis], out = copy.result_dims[2 + axis];
        const SourceRule rule =
            call.mode.map == MapRule::device ? device_rule(call, i, in, out) : torch_rule(call, i, in, out);
        copy.from[axis] = source_table(in, out, rule, call.op->exact);
    }
    return plan_nearest_copy(std::move(copy));
}

}  // namespace acltwin::upsample
