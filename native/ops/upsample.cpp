#include "ops/upsample.h"

#include <algorithm>

#include "kernels/plans.h"
#include "ops/axes.h"
#include "ops/scale_rules.h"
#include "ops/source_table.h"

namespace acltwin {

namespace {

struct Arguments {
    explicit Arguments(const Call& call) : self(call.tensors[0]), out(call.tensors[1]), output_size(call.arrays[0]) {}
    const Tensor *self, *out;
    const IntArray* output_size;
};

template <int kAxes>
bool channels_last(const Tensor& tensor) {
    return tensor.format == (kAxes == 3 ? Format::ndhwc : Format::nhwc);
}

template <int kAxes>
const AxisOrder& order_of(const Tensor& tensor) {
    if (kAxes == 3) return channels_last<3>(tensor) ? kNdhwc : kNcdhw;
    return channels_last<2>(tensor) ? kNhwc : kNchw;
}

template <int kAxes>
const char* axes_text(const Tensor& tensor) {
    if (kAxes == 3) return channels_last<3>(tensor) ? "(N, D, H, W, C)" : "(N, C, D, H, W)";
    return channels_last<2>(tensor) ? "(N, H, W, C)" : "(N, C, H, W)";
}

// Where a tensor keeps its first spatial axis.
template <int kAxes>
int first_spatial(const Tensor& tensor) {
    return channels_last<kAxes>(tensor) ? 1 : 2;
}

// The dims of a result with the axes of `like`: N and C of self, and outputSize.
template <int kAxes>
void result_dims(const Arguments& args, const Tensor& like, int64_t dims[]) {
    const int channel = order_of<kAxes>(*args.self).axis[1], result_channel = order_of<kAxes>(like).axis[1];
    dims[0] = args.self->dims[0];
    dims[result_channel] = args.self->dims[channel];
    std::copy_n(args.output_size->values, kAxes, dims + first_spatial<kAxes>(like));
}

}  // namespace

template <int kAxes>
Failure Upsample<kAxes>::pointers(const Call& call) {
    const Arguments args(call);
    return not_null(call, {{args.self, "self", "self_null"},
                           {args.output_size, "outputSize", "output_size_null"},
                           {args.out, "out", "out_null"}});
}

template <int kAxes>
Failure Upsample<kAxes>::tensor_shape(const Call& call) {
    return tensor_shapes(call, {"self", "out"});
}

template <int kAxes>
Failure Upsample<kAxes>::out_dtype(const Call& call) {
    const Arguments args(call);
    if (args.out == nullptr) return {};
    return dtype_is_that_of(call, "out_dtype", "out", *args.out, "self", *args.self);
}

template <int kAxes>
Failure Upsample<kAxes>::self_rank(const Call& call) {
    const Tensor& self = *Arguments(call).self;
    if (self.rank == 2 + kAxes) return {};
    return refuse(call, "self_rank", "{self} has ", self.rank, " dimensions, ", shape_of(self), ", expected ",
                  2 + kAxes, " ", axes_text<kAxes>(self), "; add the missing dimensions with size 1");
}

template <int kAxes>
Failure Upsample<kAxes>::output_size_length(const Call& call) {
    return length_is(call, "output_size_length", "outputSize", *Arguments(call).output_size, kAxes,
                     kAxes == 3 ? "(D, H, W of the result)" : "(H, W of the result)");
}

template <int kAxes>
Failure Upsample<kAxes>::self_size(const Call& call) {
    const Tensor& self = *Arguments(call).self;
    const int64_t* cells = self.dims + first_spatial<kAxes>(self);
    if (std::all_of(cells, cells + kAxes, [](int64_t dim) { return dim > 0; })) return {};
    return refuse(call, "self_size", "{self} is ", shape_of(self), " = ", axes_text<kAxes>(self),
                  ", expected every dimension but N and C above 0; there is nothing to copy from");
}

template <int kAxes>
Failure Upsample<kAxes>::output_size_positive(const Call& call) {
    return values_positive(call, "output_size_positive", "outputSize", *Arguments(call).output_size);
}

template <int kAxes>
Failure Upsample<kAxes>::output_size_bytes(const Call& call) {
    const Arguments args(call);
    int64_t dims[2 + kAxes];
    result_dims<kAxes>(args, *args.self, dims);
    if (!bytes_overflow(dims, 2 + kAxes, size_of(args.self->dtype))) return {};
    return refuse(call, "output_size_bytes", "{outputSize} is ", text_of(*args.output_size),
                  ", expected a result of fewer than 2^63 bytes; use a smaller one");
}

template <int kAxes>
Failure Upsample<kAxes>::out_shape(const Call& call) {
    const Arguments args(call);
    if (args.out == nullptr) return {};
    int64_t expected[2 + kAxes];
    result_dims<kAxes>(args, *args.out, expected);
    if (args.out->rank == 2 + kAxes && std::equal(expected, expected + 2 + kAxes, args.out->dims)) return {};
    return refuse(call, "out_shape", "{out} is ", shape_of(*args.out), ", expected ", text_of(expected, 2 + kAxes),
                  " = ", axes_text<kAxes>(*args.out), " with N, C of {self} ", shape_of(*args.self),
                  " and {outputSize} = ", text_of(*args.output_size), "; create it with that shape");
}

template <int kAxes>
Failure Upsample<kAxes>::output_size_scale(const Call& call) {
    if (kAxes != 3 || !documented_profile(call)) return {};
    const Tensor& self = *Arguments(call).self;
    return acltwin::output_size_scale(call, self.dims + first_spatial<kAxes>(self));
}

template <int kAxes>
Failure Upsample<kAxes>::formats_equal(const Call& call) {
    const Arguments args(call);
    if (!from_aclnn(call)) return {};
    const bool equal = kAxes == 3 ? channels_last<3>(*args.self) == channels_last<3>(*args.out)
                                  : args.self->format == args.out->format;
    if (equal) return {};
    return refuse(call, "formats_equal", "{self} has format ", name_of(args.self->format), " and {out} ",
                  name_of(args.out->format), kAxes == 3 ? ", expected both NDHWC or neither" : ", expected the same",
                  "; create both with the same format");
}

template <int kAxes>
Failure Upsample<kAxes>::scales(const Call& call) {
    if (kAxes == 3) {
        if (from_aclnn(call)) return {};
        if (Failure failure = scales_not_negative(call, {"scalesD", "scalesH", "scalesW"})) return failure;
        return scales_finite(call, {"scalesD", "scalesH", "scalesW"});
    }
    if (Failure failure = scales_not_negative(call, {"scalesH", "scalesW"})) return failure;
    return scales_finite(call, {"scalesH", "scalesW"});
}

template <int kAxes>
Tensor Upsample<kAxes>::infer(const Call& call, int) {
    const Arguments args(call);
    Tensor result = *args.self;
    result.data = nullptr;
    result_dims<kAxes>(args, *args.self, result.dims);
    if (channels_last<kAxes>(result))
        result.set_contiguous_strides();
    else
        set_strides_like(result, *args.self, 1);
    return result;
}

template <int kAxes>
std::unique_ptr<Plan> Upsample<kAxes>::plan(const Call& call, bool exact) {
    const Arguments args(call);
    if (args.out->empty()) return nullptr;
    NearestCopy copy;
    copy.element_size = size_of(args.self->dtype);
    read_axes(*args.self, order_of<kAxes>(*args.self), copy.source_dims, copy.source_strides);
    read_axes(*args.out, order_of<kAxes>(*args.out), copy.result_dims, copy.result_strides);
    const auto map = [&](int axis, double scale) {
        copy.from[axis] =
            source_table(copy.source_dims[2 + axis], copy.result_dims[2 + axis], scale, exact, call.mode.map);
    };
    if (kAxes == 3) {
        const Scales3d scales(call);
        for (int i = 0; i < 3; ++i) map(i, scales.axis[i]);
    } else {
        copy.from[0] = {0};  // the D axis that a 2-D tensor does not have
        for (int i = 0; i < 2; ++i) map(1 + i, call.scales[i]);
    }
    return plan_nearest_copy(copy);
}

template struct Upsample<2>;
template struct Upsample<3>;

}  // namespace acltwin
