// XLA hands a handler its buffers and attributes in a call frame; here they become a Call like any other. Handlers run
// on XLA's threads, several at once, and know nothing of Python.
#include "python/xla_handler.h"

#include <algorithm>
#include <cstring>
#include <new>

#include "core/dtypes.h"
#include "core/float_mode.h"
#include "core/huge_pages.h"
#include "python/operators.h"
#include "python/run.h"
#include "python/xla_ffi.h"

namespace acltwin {
namespace {

struct FrameCall {
    Tensor tensors[kMaxTensors];
    IntArray arrays[kMaxArrays];
    Call call;
};

Failure strange_frame(const std::string& what) {
    return {kInvalidParameter, "xla_call",
            what + ", unlike what acltwin.jax writes; trace the program again with the acltwin that runs it"};
}

DType dtype_of(int type) {
    return find_dtype([&](const DTypeFacts& facts) { return facts.xla == type; });
}

// ---- attributes ----

const void* find_attribute(const xla_ffi::Attributes& attributes, const char* name, int type) {
    const size_t size = std::strlen(name);
    for (int64_t i = 0; i < attributes.size; ++i) {
        const xla_ffi::ByteSpan& found = *attributes.names[i];
        if (found.size == size && std::memcmp(found.data, name, size) == 0)
            return attributes.types[i] == type ? attributes.values[i] : nullptr;
    }
    return nullptr;
}

const xla_ffi::Array* find_array(const xla_ffi::CallFrame& frame, const char* name, int dtype) {
    const void* found = find_attribute(frame.attributes, name, xla_ffi::kArrayAttribute);
    const auto* array = static_cast<const xla_ffi::Array*>(found);
    return array != nullptr && array->dtype == dtype ? array : nullptr;
}

Failure read_ints(const xla_ffi::CallFrame& frame, const char* name, IntArray& ints) {
    const xla_ffi::Array* array = find_array(frame, name, xla_ffi::kS64);
    if (array == nullptr) return strange_frame(std::string("the attribute ") + name + " is missing");
    ints = {static_cast<const int64_t*>(array->data), int64_t(array->size)};
    return {};
}

Failure read_bool(const xla_ffi::CallFrame& frame, const char* name, bool& value) {
    const void* found = find_attribute(frame.attributes, name, xla_ffi::kScalarAttribute);
    const auto* scalar = static_cast<const xla_ffi::Scalar*>(found);
    if (scalar == nullptr || scalar->dtype != xla_ffi::kPred)
        return strange_frame(std::string("the attribute ") + name + " is missing");
    value = *static_cast<const bool*>(scalar->value);
    return {};
}

Failure read_numbers(const Operator& op, const xla_ffi::CallFrame& frame, FrameCall& read) {
    static constexpr const char* kNames[kMaxArrays] = {"array0", "array1", "array2", "array3"};
    for (int i = 0; i < op.arrays; ++i) {
        if (Failure failure = read_ints(frame, kNames[i], read.arrays[i])) return failure;
        read.call.arrays[i] = &read.arrays[i];
    }
    const xla_ffi::Array* scales = find_array(frame, "scales", xla_ffi::kF64);
    if (scales == nullptr || scales->size != size_t(op.scales))
        return strange_frame("the attribute scales has not as many values as the operator has scales");
    if (op.scales > 0) std::memcpy(read.call.scales, scales->data, sizeof(double) * size_t(op.scales));
    return read_bool(frame, "flag", read.call.flag);
}

// ---- tensors ----

Failure read_buffer(const xla_ffi::Buffers& buffers, int64_t i, Tensor& tensor) {
    if (i >= buffers.size || buffers.types[i] != xla_ffi::kBufferArgument) return strange_frame("a tensor is missing");
    const auto& buffer = *static_cast<const xla_ffi::Buffer*>(buffers.values[i]);
    if (buffer.rank > kMaxRank) return strange_frame("a tensor has " + std::to_string(buffer.rank) + " dimensions");
    tensor.data = buffer.data;
    tensor.dtype = dtype_of(buffer.dtype);
    tensor.rank = int(buffer.rank);
    if (buffer.rank > 0) std::memcpy(tensor.dims, buffer.dims, sizeof(int64_t) * size_t(buffer.rank));
    tensor.set_contiguous_strides();
    return {};
}

// The `input` of the index operators' gradients, of which only the shape is read: it travels as an attribute, so that a
// program need not keep its memory.
Failure describe_input(const xla_ffi::CallFrame& frame, Tensor& tensor) {
    IntArray shape;
    if (Failure failure = read_ints(frame, "input_shape", shape)) return failure;
    if (shape.size > kMaxRank) return strange_frame("input_shape has " + std::to_string(shape.size) + " values");
    tensor.rank = int(shape.size);
    std::copy(shape.values, shape.values + shape.size, tensor.dims);
    return {};
}

bool only_shape_is_read(const Operator& op, int tensor) { return op.tensor[tensor].holds == Holds::shape; }

Failure read_tensors(const Operator& op, const xla_ffi::CallFrame& frame, FrameCall& read) {
    int64_t argument = 0;
    for (int i = 0; i < op.inputs(); ++i) {
        const bool described = only_shape_is_read(op, i);
        const Failure failure = described ? describe_input(frame, read.tensors[i])
                                          : read_buffer(frame.arguments, argument++, read.tensors[i]);
        if (failure) return failure;
        if (described) read.tensors[i].dtype = read.tensors[0].dtype;
    }
    for (int i = 0; i < op.results; ++i)
        if (Failure failure = read_buffer(frame.results, i, read.tensors[op.inputs() + i])) return failure;
    bool channels_last = false;
    if (Failure failure = read_bool(frame, "channels_last", channels_last)) return failure;
    for (int i = 0; i < op.tensors; ++i) {
        read.tensors[i].format = format_of(op, channels_last);
        read.call.tensors[i] = &read.tensors[i];
    }
    return {};
}

// ---- the call ----

Failure run_frame(const Operator& op, const xla_ffi::CallFrame& frame) {
    const FloatMode plain;  // XLA's threads flush denormal numbers to zero
    FrameCall read;
    read.call.op = &op;
    if (Failure failure = read_tensors(op, frame, read)) return failure;
    if (Failure failure = read_numbers(op, frame, read)) return failure;
    bool torch_rule = false;
    if (Failure failure = read_bool(frame, "torch_rule", torch_rule)) return failure;
    read.call.mode.map = torch_rule ? MapRule::torch : MapRule::device;
    if (Failure failure = op.check(read.call)) return failure;
    // XLA takes fresh memory for a large result, whose page faults would cost more than the kernel.
    for (int i = op.inputs(); i < op.tensors; ++i) advise_huge_pages(read.tensors[i].data, bytes_of(read.tensors[i]));
    return run_call(op, read.call);
}

xla_ffi::Error* new_error(const xla_ffi::Api& api, int code, const std::string& message) {
    xla_ffi::ErrorArguments arguments = {xla_ffi::kErrorArgumentsSize, nullptr, message.c_str(), code};
    return api.create_error(&arguments);
}

// XLA asks a new handler for the version of the interface that it was made for, and refuses one it does not know.
bool answers_metadata(const xla_ffi::CallFrame& frame) {
    if (frame.extensions == nullptr || frame.extensions->type != xla_ffi::kMetadataExtension) return false;
    xla_ffi::Metadata& metadata = *reinterpret_cast<xla_ffi::MetadataExtension*>(frame.extensions)->metadata;
    if (metadata.struct_size < xla_ffi::kMetadataSize) return true;
    metadata.version = {xla_ffi::kVersionSize, nullptr, xla_ffi::kMajor, xla_ffi::kMinor};
    metadata.traits = 0;
    return true;
}

template <int kPosition>
xla_ffi::Error* handle(xla_ffi::CallFrame* frame) {
    if (answers_metadata(*frame) || frame->stage != xla_ffi::kExecute) return nullptr;
    const Operator& op = operators().first[kPosition];
    try {
        const Failure failure = run_frame(op, *frame);
        if (!failure) return nullptr;
        const int code = is_index_failure(failure) ? xla_ffi::kOutOfRange : xla_ffi::kInvalidArgument;
        return new_error(*frame->api, code, message_of(op, failure));
    } catch (const std::bad_alloc&) {
        return new_error(*frame->api, xla_ffi::kResourceExhausted, "out of memory");
    }
}

using Handler = xla_ffi::Error* (*)(xla_ffi::CallFrame*);

bool add_handler(PyObject* dict, const char* name, Handler handler) {
    Object capsule(PyCapsule_New(reinterpret_cast<void*>(handler), nullptr, nullptr));
    return capsule && PyDict_SetItemString(dict, name, capsule.get()) == 0;
}

}  // namespace

PyObject* xla_handlers(PyObject*, PyObject*) {
    Object dict(PyDict_New());
    const Handler handlers[] = {handle<0>, handle<1>, handle<2>, handle<3>, handle<4>,  handle<5>,
                                handle<6>, handle<7>, handle<8>, handle<9>, handle<10>, handle<11>};
    const Handler* handler = handlers;
    for (const Operator& op : operators())
        if (!dict || !add_handler(dict.get(), op.name, *handler++)) return nullptr;
    return dict.release();
}

}  // namespace acltwin
