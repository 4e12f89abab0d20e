// outRef = 0, then outRef[n, c, indices[n, c, j]] = self[n, c, j] on the flattened D*H*W axis of each plane, in
// ascending j. Stride and padding are checked and then not needed.
#include <algorithm>

#include "kernels/plans.h"
#include "ops/unpool_rules.h"

namespace acltwin {

namespace {

struct Arguments {
    explicit Arguments(const Call& call)
        : self(call.tensors[0]), indices(call.tensors[1]), out(call.tensors[2]), output_size(call.arrays[0]) {}
    const Tensor *self, *indices, *out;
    const IntArray* output_size;
};

Failure pointers(const Call& call) {
    const Arguments args(call);
    return not_null(call, {{args.self, "self", "self_null"},
                           {args.indices, "indices", "indices_null"},
                           {args.output_size, "outputSize", "output_size_null"},
                           {call.arrays[1], "stride", "stride_null"},
                           {call.arrays[2], "padding", "padding_null"},
                           {args.out, "outRef", "out_ref_null"}});
}

Failure tensor_shape(const Call& call) { return tensor_shapes(call, {"self", "indices", "outRef"}); }

Failure out_ref_contiguous(const Call& call) {
    return unpool::contiguous(call, "out_ref_contiguous", "outRef", Arguments(call).out);
}

Failure self_dtype(const Call& call) { return unpool::dtype(call, "self_dtype", "self", *Arguments(call).self); }

Failure out_ref_dtype(const Call& call) {
    const Arguments args(call);
    if (args.out == nullptr) return {};
    return dtype_is_that_of(call, "out_ref_dtype", "outRef", *args.out, "self", *args.self);
}

Failure indices_dtype(const Call& call) {
    return dtype_is_one_of(call, "indices_dtype", "indices", *Arguments(call).indices, {DType::int32, DType::int64});
}

Failure self_rank(const Call& call) { return unpool::self_rank(call, *Arguments(call).self); }
Failure self_size(const Call& call) { return unpool::self_size(call, *Arguments(call).self); }
Failure output_size_volume(const Call& call) { return unpool::output_size_volume(call, *Arguments(call).self); }

Failure indices_rank(const Call& call) {
    const Arguments args(call);
    return unpool::rank_is_that_of_self(call, "indices_rank", "indices", args.indices, *args.self);
}

Failure out_ref_rank(const Call& call) {
    const Arguments args(call);
    return unpool::rank_is_that_of_self(call, "out_ref_rank", "outRef", args.out, *args.self);
}

Failure indices_shape(const Call& call) {
    const Arguments args(call);
    return shape_is_that_of(call, "indices_shape", "indices", args.indices, "self", *args.self);
}

Failure output_size_length(const Call& call) {
    return length_is(call, "output_size_length", "outputSize", *Arguments(call).output_size, 3,
                     "(D, H, W of the result)");
}

// Like self, but with outputSize for its D, H, W.
Tensor infer(const Call& call, int) {
    const Arguments args(call);
    Tensor result = *args.self;
    result.data = nullptr;
    std::copy_n(args.output_size->values, 3, result.dims + result.rank - 3);
    result.set_contiguous_strides();
    return result;
}

Failure output_size_bytes(const Call& call) {
    const Arguments args(call);
    int64_t dims[5];
    const int batch = args.self->rank - 3;
    std::copy_n(args.self->dims, batch, dims);
    std::copy_n(args.output_size->values, 3, dims + batch);
    if (!bytes_overflow(dims, args.self->rank, size_of(args.self->dtype))) return {};
    return refuse(call, "output_size_bytes", "{outputSize} is ", text_of(*args.output_size),
                  ", expected a result of fewer than 2^63 bytes; use a smaller one");
}

Failure out_ref_size(const Call& call) {
    const Arguments args(call);
    if (args.out == nullptr) return {};
    const int64_t* plane = args.out->dims + args.out->rank - 3;
    if (std::equal(plane, plane + 3, args.output_size->values)) return {};
    return refuse(call, "out_ref_size", "{outRef} is ", shape_of(*args.out),
                  ", expected D, H, W = ", text_of(*args.output_size), " of {outputSize}; create it with these");
}

Failure out_ref_batch(const Call& call) {
    const Arguments args(call);
    const int batch = args.self->rank - 3;
    if (args.out == nullptr || std::equal(args.self->dims, args.self->dims + batch, args.out->dims)) return {};
    return refuse(call, "out_ref_batch", "{outRef} is ", shape_of(*args.out), ", expected ",
                  batch == 1 ? "N = " : "N, C = ", text_of(args.self->dims, batch), " like {self} ",
                  shape_of(*args.self), "; create it with these");
}

Failure check(const Call& call) {
    using namespace unpool;
    return first_failure(call, {pointers,           tensor_shape,      out_ref_contiguous, self_dtype,
                                out_ref_dtype,      indices_dtype,     self_rank,          indices_rank,
                                out_ref_rank,       indices_shape,     self_size,          output_size_length,
                                stride_length,      padding_length,    stride_positive,    output_size_positive,
                                output_size_volume, output_size_bytes, out_ref_size,       out_ref_batch});
}

std::unique_ptr<Plan> plan(const Call& call) {
    const Arguments args(call);
    if (args.out->empty()) return nullptr;
    ScatterCopy scatter;
    scatter.element_size = size_of(args.self->dtype);
    scatter.index_dtype = args.indices->dtype;
    read_axes(*args.self, unpool::order_of(*args.self), scatter.source_dims, scatter.source_strides);
    read_axes(*args.indices, unpool::order_of(*args.indices), nullptr, scatter.index_strides);
    read_axes(*args.out, unpool::order_of(*args.out), scatter.result_dims, scatter.result_strides);
    if (args.self->rank == 4) scatter.missing_axis = 1;
    return plan_scatter_copy(scatter);
}

}  // namespace

const Operator max_unpool3d = {
    "max_unpool3d",
    "aclnnMaxUnpool3d",
    {"self", "indices", "outRef"},
    {"outputSize", "stride", "padding"},
    {},
    nullptr,
    3,
    1,
    3,
    0,
    check,
    infer,
    plan,
};

}  // namespace acltwin
