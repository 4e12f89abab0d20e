#include "python/xla_frame.h"

#include <algorithm>
#include <cstring>
#include <string>

#include "core/dtypes.h"

namespace acltwin {
namespace {

Failure strange_frame(const std::string& what) {
    return {kInvalidParameter, "xla_call",
            what + ", unlike what acltwin.jax writes; trace the program again with the acltwin that runs it"};
}

Failure missing(const std::string& attribute) {
    return strange_frame("the attribute " + attribute + " is missing, or of another length");
}

DType dtype_of(int type) {
    return find_dtype([&](const DTypeFacts& facts) { return facts.xla == type; });
}

// ---- attributes ----

template <typename Attribute>
const Attribute* find_attribute(const xla_ffi::CallFrame& frame, const std::string& name, int type) {
    const xla_ffi::Attributes& attributes = frame.attributes;
    for (int64_t i = 0; i < attributes.size; ++i) {
        const xla_ffi::ByteSpan& found = *attributes.names[i];
        if (found.size == name.size() && std::memcmp(found.data, name.data(), name.size()) == 0)
            return attributes.types[i] == type ? static_cast<const Attribute*>(attributes.values[i]) : nullptr;
    }
    return nullptr;
}

const xla_ffi::Array* find_array(const xla_ffi::CallFrame& frame, const std::string& name, int dtype) {
    const auto* array = find_attribute<xla_ffi::Array>(frame, name, xla_ffi::kArrayAttribute);
    return array != nullptr && array->dtype == dtype ? array : nullptr;
}

bool find_ints(const xla_ffi::CallFrame& frame, const std::string& name, IntArray& ints) {
    const xla_ffi::Array* array = find_array(frame, name, xla_ffi::kS64);
    if (array != nullptr) ints = {static_cast<const int64_t*>(array->data), int64_t(array->size)};
    return array != nullptr;
}

Failure read_bool(const xla_ffi::CallFrame& frame, const std::string& name, bool& value) {
    const auto* scalar = find_attribute<xla_ffi::Scalar>(frame, name, xla_ffi::kScalarAttribute);
    if (scalar == nullptr || scalar->dtype != xla_ffi::kPred) return missing(name);
    value = *static_cast<const bool*>(scalar->value);
    return {};
}

Failure read_operator(const xla_ffi::CallFrame& frame, FrameCall& read) {
    const auto* name = find_attribute<xla_ffi::ByteSpan>(frame, "operator", xla_ffi::kStringAttribute);
    if (name == nullptr) return missing("operator");
    const std::string text(name->data, name->size);
    read.op = read.call.op = find_operator(text.c_str());
    return read.op != nullptr && !read.op->c_only ? Failure{} : strange_frame("there is no operator " + text);
}

// The batch axes of the first tensor, then `plane`: how many dims that makes, or -1 if they do not fit.
int64_t behind_batch(const Tensor& first, const IntArray& plane, int64_t dims[kMaxRank]) {
    if (plane.size > first.rank) return -1;
    std::copy_n(first.dims, first.rank - plane.size, dims);
    std::copy_n(plane.values, plane.size, dims + first.rank - plane.size);
    return first.rank;
}

Failure read_numbers(const xla_ffi::CallFrame& frame, FrameCall& read) {
    for (int i = 0; i < read.op->arrays; ++i) {
        const std::string name = "array" + std::to_string(i);
        IntArray& ints = read.arrays[i];
        if (!find_ints(frame, name, ints)) {
            if (!find_ints(frame, "batch_" + name, ints)) return missing(name);
            ints = {read.batch_arrays[i], behind_batch(read.tensors[0], ints, read.batch_arrays[i])};
            if (ints.size < 0) return strange_frame("the attribute batch_" + name + " is longer than a tensor");
        }
        read.call.arrays[i] = &ints;
    }
    const xla_ffi::Array* reals = find_array(frame, "reals", xla_ffi::kF64);
    IntArray integers;
    if (reals == nullptr || reals->size != size_t(read.op->scalars)) return missing("reals");
    if (!find_ints(frame, "integers", integers) || integers.size != read.op->scalars) return missing("integers");
    for (int i = 0; i < read.op->scalars; ++i) {
        read.call.scalars[i].real = static_cast<const double*>(reals->data)[i];
        read.call.scalars[i].integer = integers.values[i];
    }
    bool torch_rule = false;
    if (Failure failure = read_bool(frame, "torch_rule", torch_rule)) return failure;
    read.call.mode.map = torch_rule ? MapRule::torch : MapRule::device;
    return read_bool(frame, "many_devices", read.many_devices);
}

// ---- tensors ----

// The view of N, D, H, W, C as N, C, D, H, W.
void turn_channels_first(Tensor& tensor) {
    for (int64_t* values : {tensor.dims, tensor.strides})
        std::rotate(values + 1, values + tensor.rank - 1, values + tensor.rank);
}

Failure read_buffer(const xla_ffi::Buffers& buffers, int64_t i, bool channels_last, Tensor& tensor) {
    if (i >= buffers.size || buffers.types[i] != xla_ffi::kBufferArgument) return strange_frame("a tensor is missing");
    const auto& buffer = *static_cast<const xla_ffi::Buffer*>(buffers.values[i]);
    if (buffer.rank > kMaxRank || (channels_last && buffer.rank < 2))
        return strange_frame("a tensor has " + std::to_string(buffer.rank) + " dimensions");
    tensor.data = buffer.data;
    tensor.dtype = dtype_of(buffer.dtype);
    tensor.rank = int(buffer.rank);
    if (buffer.rank > 0) std::memcpy(tensor.dims, buffer.dims, sizeof(int64_t) * size_t(buffer.rank));
    tensor.set_contiguous_strides();
    if (channels_last) turn_channels_first(tensor);
    return {};
}

Failure read_tensors(const xla_ffi::CallFrame& frame, FrameCall& read) {
    bool channels_last = false;
    if (Failure failure = read_bool(frame, "channels_last", channels_last)) return failure;
    const int inputs = read.op->inputs();
    int64_t argument = 0;
    for (int i = 0; i < inputs; ++i) {
        Tensor& tensor = read.tensors[i];
        if (read.op->tensor[i].holds == Holds::shape) {
            const std::string name = "plane" + std::to_string(i);
            IntArray plane;
            if (!find_ints(frame, name, plane)) return missing(name);
            tensor.dtype = read.tensors[0].dtype;
            tensor.rank = int(behind_batch(read.tensors[0], plane, tensor.dims));
            if (tensor.rank < 0) return strange_frame("a plane has more axes than the first tensor");
        } else if (Failure failure = read_buffer(frame.arguments, argument++, channels_last, tensor)) {
            return failure;
        }
        read.call.tensors[i] = &tensor;
    }
    for (int i = 0; i < read.op->results; ++i)
        if (Failure failure = read_buffer(frame.results, i, channels_last, read.tensors[inputs + i])) return failure;
    if (read.op->makes_indices()) read.call.index_dtype = read.tensors[read.op->tensors - 1].dtype;
    return {};
}

}  // namespace

Call FrameCall::with_results() const {
    Call complete = call;
    for (int i = op->inputs(); i < op->tensors; ++i) complete.tensors[i] = &tensors[i];
    return complete;
}

Failure read_frame(const xla_ffi::CallFrame& frame, FrameCall& read) {
    if (Failure failure = read_operator(frame, read)) return failure;
    if (Failure failure = read_tensors(frame, read)) return failure;
    return read_numbers(frame, read);
}

Failure check_results(const FrameCall& read) {
    for (int i = 0; i < read.op->results; ++i) {
        const Tensor expected = read.op->infer(read.call, i), &result = read.tensors[read.op->inputs() + i];
        if (result.dtype != expected.dtype || result.rank != expected.rank ||
            !std::equal(result.dims, result.dims + result.rank, expected.dims))
            return strange_frame("a result has not the dtype and the shape of this call's result");
    }
    return {};
}

}  // namespace acltwin
