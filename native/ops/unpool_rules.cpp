#include "ops/unpool_rules.h"

#include <algorithm>

namespace acltwin::unpool {

namespace {

const IntArray& output_size(const Call& call) { return *call.arrays[0]; }
const IntArray& stride(const Call& call) { return *call.arrays[1]; }
const IntArray& padding(const Call& call) { return *call.arrays[2]; }

const char* axes_text(const Tensor& tensor) { return tensor.rank == 4 ? "(N, D, H, W)" : "(N, C, D, H, W)"; }

// Arrays may give one number for all three axes.
Failure window_length(const Call& call, const char* rule, const char* name, const IntArray& array) {
    if (!from_aclnn(call)) return length_is_1_or_3(call, rule, name, array);
    return length_is(call, rule, name, array, 3, "(D, H, W)");
}

}  // namespace

Failure contiguous(const Call& call, const char* rule, const char* name, const Tensor* tensor) {
    if (tensor == nullptr || tensor->contiguous()) return {};
    return refuse(call, rule, "{", name, "} has shape ", shape_of(*tensor), " and strides ",
                  text_of(tensor->strides, tensor->rank), ", expected a contiguous one; create it without strides");
}

Failure dtype(const Call& call, const char* rule, const char* name, const Tensor& tensor) {
    if (from_aclnn(call))
        return dtype_is_one_of(call, rule, name, tensor,
                               {DType::float32, DType::float16, DType::float64, DType::int8, DType::uint8, DType::int16,
                                DType::int32, DType::int64});
    return dtype_is_one_of(call, rule, name, tensor,
                           {DType::float32, DType::float16, DType::bfloat16, DType::float64, DType::int8, DType::uint8,
                            DType::int16, DType::int32, DType::int64});
}

Failure self_rank(const Call& call, const Tensor& self) {
    if (self.rank == 4 || self.rank == 5) return {};
    return refuse(call, "self_rank", "{self} has ", self.rank, " dimensions, ", shape_of(self),
                  ", expected 4 (N, D, H, W) or 5 (N, C, D, H, W); add the missing dimensions with size 1");
}

Failure rank_is_that_of_self(const Call& call, const char* rule, const char* name, const Tensor* tensor,
                             const Tensor& self) {
    if (tensor == nullptr || tensor->rank == self.rank) return {};
    return refuse(call, rule, "{", name, "} has ", tensor->rank, " dimensions, ", shape_of(*tensor), ", expected ",
                  self.rank, " like {self} ", shape_of(self), "; give it all of ", axes_text(self));
}

Failure self_size(const Call& call, const Tensor& self) {
    if (std::all_of(self.dims + 1, self.dims + self.rank, [](int64_t dim) { return dim > 0; })) return {};
    return refuse(call, "self_size", "{self} is ", shape_of(self), " = ", axes_text(self),
                  ", expected every dimension but N above 0; only the batch may be empty");
}

Failure stride_length(const Call& call) { return window_length(call, "stride_length", "stride", stride(call)); }

Failure padding_length(const Call& call) { return window_length(call, "padding_length", "padding", padding(call)); }

Failure stride_positive(const Call& call) { return values_positive(call, "stride_positive", "stride", stride(call)); }

Failure output_size_positive(const Call& call) {
    return values_positive(call, "output_size_positive", "outputSize", output_size(call));
}

Failure output_size_volume(const Call& call, const Tensor& self) {
    const int64_t *size = output_size(call).values, *cells = self.dims + self.rank - 3;
    int64_t volume, wanted = cells[0] * cells[1] * cells[2];
    // A volume beyond int64_t is certainly large enough.
    if (__builtin_mul_overflow(size[0], size[1], &volume) || __builtin_mul_overflow(volume, size[2], &volume))
        return {};
    if (volume >= wanted) return {};
    return refuse(call, "output_size_volume", "{outputSize} is ", text_of(output_size(call)), " with ", volume,
                  " cells, expected at least ", wanted, ", the D*H*W of {self} ", shape_of(self),
                  "; pass the size of the unpooled tensor");
}

}  // namespace acltwin::unpool
