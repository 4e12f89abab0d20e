// XLA runs handlers on its own threads, several at once; they know nothing of Python.
#include "python/xla_handler.h"

#include <new>

#include "core/float_mode.h"
#include "core/huge_pages.h"
#include "python/execute.h"
#include "python/xla_planes.h"

namespace acltwin {
namespace {

Failure run_frame(const xla_ffi::CallFrame& frame, FrameCall& read) {
    const FloatMode plain;  // XLA's threads flush denormal numbers to zero
    if (Failure failure = read_frame(frame, read)) return failure;
    if (Failure failure = read.op->check(read.call)) return failure;
    if (Failure failure = check_results(read)) return failure;
    // XLA takes fresh memory for a large result, whose page faults would cost more than the kernel.
    for (int i = read.op->inputs(); i < read.op->tensors; ++i)
        advise_huge_pages(read.tensors[i].data, bytes_of(read.tensors[i]));
    Failure failure = execute(*read.op, read.with_results());
    if (!read.many_devices || !is_index_failure(failure)) return failure;
    run_planes(read);
    return {};
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

xla_ffi::Error* handle(xla_ffi::CallFrame* frame) {
    if (answers_metadata(*frame) || frame->stage != xla_ffi::kExecute) return nullptr;
    try {
        FrameCall read;
        const Failure failure = run_frame(*frame, read);
        if (!failure) return nullptr;
        const int code = is_index_failure(failure) ? xla_ffi::kOutOfRange : xla_ffi::kInvalidArgument;
        return new_error(*frame->api, code, read.op != nullptr ? message_of(*read.op, failure) : failure.text);
    } catch (const std::bad_alloc&) {
        return new_error(*frame->api, xla_ffi::kResourceExhausted, "out of memory");
    }
}

}  // namespace

PyObject* xla_handler(PyObject*, PyObject*) { return PyCapsule_New(reinterpret_cast<void*>(handle), nullptr, nullptr); }

}  // namespace acltwin
