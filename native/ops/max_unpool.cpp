// out = 0, then out[n, c, indices[n, c, j]] = self[n, c, j] on the flattened axes of each plane, in ascending j. Where
// there are stride and padding, they are checked and then not needed.
#include <algorithm>

#include "kernels/plans.h"
#include "ops/unpool.h"

namespace acltwin::max_unpool {

namespace {

struct Arguments {
    explicit Arguments(const Call& call)
        : self(call.tensors[0]), indices(call.tensors[1]), out(call.tensors[2]), output_size(call.arrays[0]) {}
    const Tensor *self, *indices, *out;
    const IntArray* output_size;
};

}  // namespace

Failure self_size(const Call& call) { return unpool::self_size(call, *Arguments(call).self); }

Failure output_size_volume(const Call& call) { return unpool::output_size_volume(call, *Arguments(call).self); }

// Like self, but with outputSize along the spatial axes.
Tensor infer(const Call& call, int) {
    const Arguments args(call);
    Tensor result = *args.self;
    result.data = nullptr;
    std::copy_n(args.output_size->values, call.op->axes, result.dims + first_spatial(call, result));
    result.set_contiguous_strides();
    return result;
}

Failure output_size_bytes(const Call& call) {
    const Arguments args(call);
    int64_t dims[5];
    std::copy_n(args.self->dims, args.self->rank, dims);
    std::copy_n(args.output_size->values, call.op->axes, dims + first_spatial(call, *args.self));
    if (!bytes_overflow(dims, args.self->rank, size_of(args.self->dtype))) return {};
    return refuse("{outputSize} is ", text_of(*args.output_size), ", expected a result of fewer than 2^63 bytes");
}

Failure out_ref_size(const Call& call) {
    const Arguments args(call);
    if (args.out == nullptr) return {};
    const int64_t* plane = plane_of(call, *args.out);
    if (std::equal(plane, plane + call.op->axes, args.output_size->values)) return {};
    return refuse(result_name(call), " is ", shape_of(*args.out), ", expected ", axis_names(*call.op), " = ",
                  text_of(*args.output_size), " of {outputSize}; create it with these");
}

Failure out_ref_batch(const Call& call) {
    const Arguments args(call);
    if (args.out == nullptr || same_batch(call, *args.self, *args.out)) return {};
    return refuse(result_name(call), " is ", shape_of(*args.out), ", expected ", unpool::batch_text(call, *args.self),
                  " like {self} ", shape_of(*args.self), "; create it with these");
}

// The same rules where the result is called out.
Failure out_size(const Call& call) { return out_ref_size(call); }
Failure out_batch(const Call& call) { return out_ref_batch(call); }

std::unique_ptr<Plan> plan(const Call& call) {
    const Arguments args(call);
    ScatterCopy scatter;
    scatter.element_size = size_of(args.self->dtype);
    scatter.index_dtype = args.indices->dtype;
    read_axes(call, *args.self, scatter.source_dims, scatter.source_strides);
    read_axes_like(call, *args.indices, *args.self, nullptr, scatter.index_strides);
    read_axes(call, *args.out, scatter.result_dims, scatter.result_strides);
    describe_axes(call, *args.self, scatter);
    return plan_scatter_copy(scatter);
}

}  // namespace acltwin::max_unpool
