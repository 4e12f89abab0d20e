#include "ops/unpool.h"

#include <algorithm>

namespace acltwin::unpool {

Failure self_size(const Call& call, const Tensor& self) {
    if (std::all_of(self.dims + 1, self.dims + self.rank, [](int64_t dim) { return dim > 0; })) return {};
    return refuse(
        "{self} is ", shape_of(self), " = ", axes_text(call, self),
        ", expected every dimension but the first above 0; skip the call where there are no cells: only the batch "
        "may be empty");
}

std::string batch_text(const Call& call, const Tensor& tensor) {
    const BatchSizes batch = batch_of(call, tensor);
    return (batch.count == 2            ? "N, C = "
            : call.op->lone_axis == 'N' ? "N = "
                                        : "C = ") +
           text_of(batch.size, batch.count);
}

Failure output_size_volume(const Call& call, const Tensor& self) {
    const IntArray& output_size = *call.arrays[0];
    int64_t volume = 1;
    const int64_t wanted = cells_of(call, self);
    // A volume beyond int64_t is certainly large enough.
    for (int i = 0; i < call.op->axes; ++i)
        if (__builtin_mul_overflow(volume, output_size.values[i], &volume)) return {};
    if (volume >= wanted) return {};
    return refuse("{outputSize} is ", text_of(output_size), " with ", volume, " cells, expected at least ", wanted,
                  ", the ", plane_name(*call.op), " of {self} ", shape_of(self),
                  "; pass the size of the unpooled tensor");
}

}  // namespace acltwin::unpool
