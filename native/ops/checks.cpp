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

Failure result_bytes(const Rule& rule, const Call& call) {
    int counted = 0;
    while (counted < call.op->results && countable(call, counted)) ++counted;
    if (counted == call.op->results) return {};
    return refuse("{", call.op->array[rule.argument].name, "} is ", text_of(*call.arrays[rule.argument]), ", expected ",
                  counted == 0 ? "a result" : "results", " of fewer than 2^63 bytes", rule.meaning);
}

Failure result_size(const Call& call) {
    return result_shape(call, [](const Call& of, const Tensor& expected) {
        const std::string batch = sentence(" with N, C of {self} ", shape_of(*of.tensors[0]), " and");
        const int last = of.op->arrays - 1;
        return sentence(" = ", axes_text(of, expected), of.op->is_gradient ? std::string(" of") : batch, " {",
                        of.op->array[last].name, "} = ", text_of(*of.arrays[last]), "; create it with that shape");
    });
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
