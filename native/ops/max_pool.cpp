// out is the maximum of each window of self, and indices, which not every operator has, where it lies in the flattened,
// unpadded plane.
#include <algorithm>
#include <limits>

#include "kernels/plans.h"
#include "ops/pool.h"

namespace acltwin::max_pool {

namespace {

struct Arguments {
    explicit Arguments(const Call& call)
        : self(call.tensors[0]), out(call.tensors[1]), indices(call.tensors[2]), cells(plane_of(call, *self)) {}
    const Tensor *self, *out, *indices;
    const int64_t* cells;  // of self along the spatial axes
};

// Like self, but with the numbers of windows along the spatial axes.
void result_dims(const Call& call, int64_t dims[]) {
    const Arguments args(call);
    const int first = first_spatial(call, *args.self);
    std::copy_n(args.self->dims, args.self->rank, dims);
    for (int i = 0; i < call.op->axes; ++i)
        dims[first + i] = pool::axis(call, i).windows(args.cells[i], pool::ceil_mode(call));
}

}  // namespace

Failure auto_pad(const Call& call) {
    const int64_t value = call.scalar("autoPad").integer;
    if (value == 0) return {};
    return refuse("{autoPad} is ", value, ", expected 0; pass 0, and the padding as {pads}");
}

// Neither sum is negative, so as an unsigned one it does not overflow.
Failure pads_kernel(const Call& call) {
    for (int i = 0; i < call.op->axes; ++i) {
        const PoolAxis axis = pool::axis(call, i);
        if (2 * uint64_t(axis.padding) + uint64_t(axis.more_behind) <= uint64_t(axis.kernel)) continue;
        return refuse("{pads} is ", text_of(*call.arrays[2]), " with {kernelShape} ", text_of(*call.arrays[0]),
                      ", expected at most the kernel in total along ", axis_name(*call.op, i), "; use less padding");
    }
    return {};
}

Failure window_fits(const Call& call) {
    const Arguments args(call);
    for (int i = 0; i < call.op->axes; ++i)
        if (pool::axis(call, i).windows(args.cells[i], pool::ceil_mode(call)) <= 0)
            return refuse("{self} is ", shape_of(*args.self), " with ", axis_name(*call.op, i), " = ", args.cells[i],
                          ", expected room for one window of ", pool::window_text(call),
                          "; use a smaller kernel, or more padding");
    return {};
}

// Where the taps are further apart than the cells reach, the first window can have all of its taps in the padding.
// Others cannot: then kernels are at most 2 wide and the padding at most 1, or there is but one window.
Failure window_cells(const Call& call) {
    const Arguments args(call);
    for (int i = 0; i < call.op->axes; ++i) {
        const PoolAxis axis = pool::axis(call, i);
        const int64_t first_cell = (axis.dilation - axis.padding % axis.dilation) % axis.dilation;
        if (first_cell >= args.cells[i])
            return refuse("{self} is ", shape_of(*args.self), " with ", axis_name(*call.op, i), " = ", args.cells[i],
                          ", expected every window of ", pool::window_text(call),
                          " to cover one of its cells; use less dilation or less padding");
    }
    return {};
}

Failure indices_width(const Call& call) {
    const Arguments args(call);
    const DType dtype = args.indices != nullptr ? args.indices->dtype : call.index_dtype;
    const int64_t cells = cells_of(call, *args.self);
    if (dtype != DType::int32 || cells <= std::numeric_limits<int32_t>::max()) return {};
    return refuse("{self} is ", shape_of(*args.self), " with ", plane_name(*call.op), " = ", cells,
                  ", expected at most 2^31 - 1 for int32 indices; ",
                  from_aclnn(call) ? "create them as int64" : "pass index_dtype=\"int64\"");
}

Failure out_bytes(const Call& call) {
    const Arguments args(call);
    int64_t dims[5];
    result_dims(call, dims);
    const size_t index = call.op->makes_indices() ? size_of(call.index_dtype) : 0;
    const size_t element = std::max(size_of(args.self->dtype), index);
    if (!bytes_overflow(dims, args.self->rank, element)) return {};
    return refuse("{self} is ", shape_of(*args.self), ", which ", pool::window_text(call), " pools to ",
                  text_of(dims, args.self->rank),
                  ", expected results of fewer than 2^63 bytes; use less padding or a larger stride");
}

Failure out_shape(const Call& call) {
    const Arguments args(call);
    if (args.out == nullptr) return {};
    int64_t expected[5];
    result_dims(call, expected);
    if (std::equal(expected, expected + args.self->rank, args.out->dims)) return {};
    return refuse("{out} is ", shape_of(*args.out), ", expected ", text_of(expected, args.self->rank),
                  ", what pooling {self} ", shape_of(*args.self), " with ", pool::window_text(call),
                  " gives; create it with that shape");
}

Tensor infer(const Call& call, int result) {
    const Arguments args(call);
    Tensor inferred = *args.self;
    inferred.data = nullptr;
    if (result == 1) inferred.dtype = call.index_dtype;
    result_dims(call, inferred.dims);
    set_result_strides(call, inferred, *args.self);
    return inferred;
}

std::unique_ptr<Plan> plan(const Call& call) {
    const Arguments args(call);
    WindowMax windows;
    windows.dtype = args.self->dtype;
    read_axes(call, *args.self, windows.source_dims, windows.source_strides);
    read_axes(call, *args.out, windows.result_dims, windows.result_strides);
    windows.index_dtype = DType::undefined;
    if (args.indices != nullptr) {
        windows.index_dtype = args.indices->dtype;
        pool::read_index_axes(call, *args.indices, windows.index_strides);
    }
    pool::set_windows(call, windows);
    return plan_window_max(windows);
}

}  // namespace acltwin::max_pool
