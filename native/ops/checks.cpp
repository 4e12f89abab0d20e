#include "ops/checks.h"

#include <algorithm>
#include <limits>

namespace acltwin {

Failure has_shape(const Call& call, int position, const Tensor& expected, ShapeText text) {
    if (call.tensors[position] == nullptr) return {};
    const Tensor& tensor = *call.tensors[position];
    if (has_sizes(call, tensor, expected)) return {};
    const Tensor ordered = in_order_of(call, expected, tensor.format);
    return refuse("{", call.op->tensor[position].name, "} is ", shape_of(tensor), ", expected ", shape_of(ordered),
                  text(call, ordered));
}

Failure result_shape(const Call& call, ShapeText text) {
    const int position = call.op->inputs();
    return call.tensors[position] == nullptr ? Failure() : has_shape(call, position, call.op->infer(call, 0), text);
}

bool countable(const Call& call, int result) {
    const Tensor inferred = call.op->infer(call, result);
    return !bytes_overflow(inferred.dims, inferred.rank, size_of(inferred.dtype));
}

Failure plane_in_int32(const Call& call, const std::string& reason, const char* fix) {
    const int deciding = deciding_tensor(*call.op);
    const Tensor& tensor = *call.tensors[deciding];
    const int64_t cells = cells_of(call, tensor);
    if (cells <= std::numeric_limits<int32_t>::max()) return {};
    return refuse("{", call.op->tensor[deciding].name, "} is ", shape_of(tensor), " with ", plane_name(*call.op), " = ",
                  cells, ", expected at most 2^31 - 1", reason, "; ", fix);
}

}  // namespace acltwin
