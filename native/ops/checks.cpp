#include "ops/checks.h"

#include <algorithm>
#include <limits>

namespace acltwin {

namespace {

const char* name_of_tensor(const Call& call, int tensor) { return call.op->tensor[tensor].name; }

// What to do about a tensor that does not fit the others.
const char* fix_of(const Call& call, int tensor) {
    return tensor < call.op->inputs() ? "; use the tensors and arguments of one forward pass"
                                      : "; create it with that shape";
}

}  // namespace

Failure above_zero(const Call& call, int position, Dims dims, const char* lack) {
    const Tensor& tensor = *call.tensors[position];
    int first = 0, count = tensor.rank;
    switch (dims) {
        case Dims::batch: first = axis_order(call, tensor).axis[0], count = 1; break;
        case Dims::channels: first = axis_order(call, tensor).axis[1], count = 1; break;
        case Dims::plane: first = first_spatial(call, tensor), count = call.op->axes; break;
        case Dims::behind_first: first = 1, --count; break;
        case Dims::all: break;
    }
    if (std::all_of(tensor.dims + first, tensor.dims + first + count, [](int64_t dim) { return dim > 0; })) return {};
    const char* const which = dims == Dims::batch          ? "N"
                              : dims == Dims::channels     ? "C"
                              : dims == Dims::plane        ? "every dimension but N and C"
                              : dims == Dims::behind_first ? "every dimension but the first"
                                                           : "every dimension";
    return refuse("{", name_of_tensor(call, position), "} is ", shape_of(tensor), " = ", axes_text(call, tensor),
                  ", expected ", which, " above 0; skip the call where ", lack);
}

Failure same_batch(const Call& call, int position, int other_position) {
    if (call.tensors[position] == nullptr) return {};
    const Tensor &tensor = *call.tensors[position], &other = *call.tensors[other_position];
    const BatchSizes own = batch_of(call, tensor), batch = batch_of(call, other);
    if (tensor.rank == other.rank && std::equal(own.size, own.size + own.count, batch.size)) return {};
    const char* const names = batch.count == 2 ? "N, C" : call.op->lone_axis == 'N' ? "N" : "C";
    return refuse("{", name_of_tensor(call, position), "} is ", shape_of(tensor), ", expected ", axes_text(call, other),
                  " with ", names, " = ", text_of(batch.size, batch.count), " like {",
                  name_of_tensor(call, other_position), "} ", shape_of(other), fix_of(call, position));
}

Failure has_plane(const Call& call, int position, int array) {
    if (call.tensors[position] == nullptr) return {};
    const Tensor& tensor = *call.tensors[position];
    const int64_t* const plane = plane_of(call, tensor);
    if (std::equal(plane, plane + call.op->axes, call.arrays[array]->values)) return {};
    return refuse("{", name_of_tensor(call, position), "} is ", shape_of(tensor), ", expected ", axis_names(*call.op),
                  " = ", text_of(*call.arrays[array]), " of {", call.op->array[array].name, "}",
                  fix_of(call, position));
}

Failure has_shape(const Call& call, int position, const Tensor& expected, ShapeText text) {
    if (call.tensors[position] == nullptr) return {};
    const Tensor& tensor = *call.tensors[position];
    if (has_sizes(call, tensor, expected)) return {};
    const Tensor ordered = in_order_of(call, expected, tensor.format);
    return refuse("{", name_of_tensor(call, position), "} is ", shape_of(tensor), ", expected ", shape_of(ordered),
                  text(call, ordered));
}

Failure result_shape(const Call& call, ShapeText text) {
    const int position = call.op->inputs();
    return call.tensors[position] == nullptr ? Failure() : has_shape(call, position, call.op->infer(call, 0), text);
}

std::string output_size_text(const Call& call, const Tensor& expected) {
    return sentence(" = ", axes_text(call, expected), " with N, C of {self} ", shape_of(*call.tensors[0]),
                    " and {outputSize} = ", text_of(*call.arrays[0]), "; create it with that shape");
}

bool countable(const Call& call, int result) {
    const Tensor inferred = call.op->infer(call, result);
    return !bytes_overflow(inferred.dims, inferred.rank, size_of(inferred.dtype));
}

Failure size_bytes(const Call& call, int array, const char* fix) {
    int counted = 0;
    while (counted < call.op->results && countable(call, counted)) ++counted;
    if (counted == call.op->results) return {};
    return refuse("{", call.op->array[array].name, "} is ", text_of(*call.arrays[array]), ", expected ",
                  counted == 0 ? "a result" : "results", " of fewer than 2^63 bytes", fix);
}

Failure plane_in_int32(const Call& call, const std::string& reason, const char* fix) {
    const int deciding = deciding_tensor(*call.op);
    const Tensor& tensor = *call.tensors[deciding];
    const int64_t cells = cells_of(call, tensor);
    if (cells <= std::numeric_limits<int32_t>::max()) return {};
    return refuse("{", name_of_tensor(call, deciding), "} is ", shape_of(tensor), " with ", plane_name(*call.op), " = ",
                  cells, ", expected at most 2^31 - 1", reason, "; ", fix);
}

}  // namespace acltwin
