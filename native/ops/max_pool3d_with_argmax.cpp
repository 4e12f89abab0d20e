// out is the maximum of each window of self, and indices where it lies in the flattened, unpadded D*H*W plane.
#include <algorithm>
#include <limits>

#include "kernels/plans.h"
#include "ops/pool_rules.h"

namespace acltwin {

namespace {

struct Arguments {
    explicit Arguments(const Call& call) : self(call.tensors[0]), out(call.tensors[1]), indices(call.tensors[2]) {}
    const int64_t* cells() const { return self->dims + self->rank - 3; }  // D, H, W
    const Tensor *self, *out, *indices;
};

Failure pointers(const Call& call) {
    const Arguments args(call);
    return not_null(call, {{args.self, "self", "self_null"},
                           {call.arrays[0], "kernelSize", "kernel_size_null"},
                           {call.arrays[1], "stride", "stride_null"},
                           {call.arrays[2], "padding", "padding_null"},
                           {call.arrays[3], "dilation", "dilation_null"},
                           {args.out, "out", "out_null"},
                           {args.indices, "indices", "indices_null"}});
}

Failure tensor_shape(const Call& call) { return tensor_shapes(call, {"self", "out", "indices"}); }

Failure self_dtype(const Call& call) { return pool::self_dtype(call, *Arguments(call).self); }
Failure indices_dtype(const Call& call) { return pool::indices_dtype(call, Arguments(call).indices); }
Failure indices_soc_dtype(const Call& call) { return pool::indices_soc_dtype(call, Arguments(call).indices); }

Failure out_dtype(const Call& call) {
    const Arguments args(call);
    if (args.out == nullptr) return {};
    return dtype_is_that_of(call, "out_dtype", "out", *args.out, "self", *args.self);
}

Failure formats_equal(const Call& call) {
    const Arguments args(call);
    if (!from_aclnn(call) || args.self->format == args.out->format) return {};
    return refuse(call, "formats_equal", "{self} has format ", name_of(args.self->format), " and {out} ",
                  name_of(args.out->format), ", expected the same; create both with the same format");
}

Failure private_format(const Call& call) { return pool::private_format(call, {"self", "out", "indices"}); }

Failure self_rank(const Call& call) { return pool::rank_is_4_or_5(call, "self_rank", "self", Arguments(call).self); }

Failure rank_is_that_of_self(const Call& call, const char* rule, const char* name, const Tensor* tensor) {
    const Tensor& self = *Arguments(call).self;
    if (tensor == nullptr || tensor->rank == self.rank) return {};
    return refuse(call, rule, "{", name, "} has ", tensor->rank, " dimensions, ", shape_of(*tensor), ", expected ",
                  self.rank, " like {self} ", shape_of(self), "; create it with as many");
}

Failure out_rank(const Call& call) { return rank_is_that_of_self(call, "out_rank", "out", Arguments(call).out); }
Failure indices_rank(const Call& call) {
    return rank_is_that_of_self(call, "indices_rank", "indices", Arguments(call).indices);
}

Failure self_size(const Call& call) {
    const Arguments args(call);
    if (std::all_of(args.cells(), args.cells() + 3, [](int64_t dim) { return dim > 0; })) return {};
    return refuse(call, "self_size", "{self} is ", shape_of(*args.self),
                  ", expected D, H, W above 0; only N and C may be empty");
}

// Like self, but with the numbers of windows for its D, H, W.
void result_dims(const Call& call, int64_t dims[]) {
    const Arguments args(call);
    const int batch = args.self->rank - 3;
    std::copy_n(args.self->dims, batch, dims);
    for (int i = 0; i < 3; ++i) dims[batch + i] = pool::axis(call, i).windows(args.cells()[i], call.flag);
}

Failure window_fits(const Call& call) {
    const Arguments args(call);
    for (int i = 0; i < 3; ++i)
        if (pool::axis(call, i).windows(args.cells()[i], call.flag) <= 0)
            return refuse(call, "window_fits", "{self} is ", shape_of(*args.self), " with ", "DHW"[i], " = ",
                          args.cells()[i], ", expected room for one window of ", pool::window_text(call),
                          "; use a smaller kernel, or more padding");
    return {};
}

// Where the taps are further apart than the cells reach, the first window can have all of its taps in the padding.
// Others cannot: then kernels are at most 2 wide and the padding at most 1, or there is but one window.
Failure window_cells(const Call& call) {
    const Arguments args(call);
    for (int i = 0; i < 3; ++i) {
        const PoolAxis axis = pool::axis(call, i);
        const int64_t first_cell = (axis.dilation - axis.padding % axis.dilation) % axis.dilation;
        if (first_cell >= args.cells()[i])
            return refuse(call, "window_cells", "{self} is ", shape_of(*args.self), " with ", "DHW"[i], " = ",
                          args.cells()[i], ", expected every window of ", pool::window_text(call),
                          " to cover one of its cells; use less dilation or less padding");
    }
    return {};
}

Failure plane_size(const Call& call) { return pool::plane_size(call, *Arguments(call).self); }

Failure indices_width(const Call& call) {
    const Arguments args(call);
    const DType dtype = args.indices != nullptr ? args.indices->dtype : call.index_dtype;
    const int64_t cells = args.cells()[0] * args.cells()[1] * args.cells()[2];
    if (dtype != DType::int32 || cells <= std::numeric_limits<int32_t>::max()) return {};
    return refuse(call, "indices_width", "{self} is ", shape_of(*args.self), " with D*H*W = ", cells,
                  ", expected at most 2^31 - 1 for int32 {indices}; ",
                  from_aclnn(call) ? "create {indices} as int64" : "pass index_dtype=\"int64\"");
}

Failure out_bytes(const Call& call) {
    if (from_aclnn(call)) return {};
    const Arguments args(call);
    int64_t dims[5];
    result_dims(call, dims);
    const size_t element = std::max(size_of(args.self->dtype), size_of(call.index_dtype));
    if (!bytes_overflow(dims, args.self->rank, element)) return {};
    return refuse(call, "out_bytes", "{self} is ", shape_of(*args.self), ", which ", pool::window_text(call),
                  " pools to ", text_of(dims, args.self->rank),
                  ", expected results of fewer than 2^63 bytes; use less padding or a larger stride");
}

Failure out_shape(const Call& call) {
    const Arguments args(call);
    if (args.out == nullptr) return {};
    int64_t expected[5];
    result_dims(call, expected);
    if (std::equal(expected, expected + args.self->rank, args.out->dims)) return {};
    return refuse(call, "out_shape", "{out} is ", shape_of(*args.out), ", expected ",
                  text_of(expected, args.self->rank), ", what pooling {self} ", shape_of(*args.self), " with ",
                  pool::window_text(call), " gives; create it with that shape");
}

Failure indices_shape(const Call& call) {
    const Arguments args(call);
    if (args.out == nullptr) return {};
    return shape_is_that_of(call, "indices_shape", "indices", args.indices, "out", *args.out);
}

Failure check(const Call& call) {
    using namespace pool;
    return first_failure(call, {pointers,           soc,
                                tensor_shape,       self_dtype,
                                indices_dtype,      indices_soc_dtype,
                                out_dtype,          formats_equal,
                                private_format,     self_rank,
                                out_rank,           indices_rank,
                                kernel_size_length, kernel_size_positive,
                                stride_length,      stride_positive,
                                padding_length,     padding_negative,
                                padding_half,       dilation_length,
                                dilation_positive,  dilation_one,
                                self_size,          window_fits,
                                window_cells,       plane_size,
                                indices_width,      out_bytes,
                                out_shape,          indices_shape});
}

Tensor infer(const Call& call, int result) {
    const Arguments args(call);
    Tensor inferred = *args.self;
    inferred.data = nullptr;
    if (result == 1) inferred.dtype = call.index_dtype;
    result_dims(call, inferred.dims);
    set_strides_like(inferred, *args.self, args.self->rank - 4);
    return inferred;
}

std::unique_ptr<Plan> plan(const Call& call) {
    const Arguments args(call);
    if (args.out->empty()) return nullptr;
    WindowMax windows;
    windows.dtype = args.self->dtype;
    windows.index_dtype = args.indices->dtype;
    read_axes(*args.self, pool::order_of(*args.self), windows.source_dims, windows.source_strides);
    read_axes(*args.out, pool::order_of(*args.out), windows.result_dims, windows.result_strides);
    read_axes(*args.indices, pool::order_of(*args.indices), nullptr, windows.index_strides);
    for (int i = 0; i < 3; ++i) {
        const PoolAxis axis = pool::axis(call, i);
        windows.kernel[i] = axis.kernel;
        windows.stride[i] = axis.stride;
        windows.padding[i] = axis.padding;
        windows.dilation[i] = axis.dilation;
    }
    return plan_window_max(windows);
}

}  // namespace

const Operator max_pool3d_with_argmax = {
    "max_pool3d_with_argmax",
    "aclnnMaxPool3dWithArgmax",
    {"self", "out", "indices"},
    {"kernelSize", "stride", "padding", "dilation"},
    {},
    "ceilMode",
    3,
    2,
    4,
    0,
    check,
    infer,
    plan,
};

}  // namespace acltwin
