// The C functions of streams; how a stream works is in stream.cpp.
#include "acl/acl_rt.h"
#include "runtime/callbacks.h"
#include "runtime/capture.h"
#include "runtime/context.h"
#include "runtime/stream.h"

namespace acltwin {

Failure find_stream(aclrtStream handle, const Lock& lock, std::shared_ptr<Stream>* stream) {
    std::shared_ptr<Context> context;
    if (Failure failure = current_context(lock, &context)) return failure;
    if (handle == nullptr) {
        // The default stream is made when it is first used.
        if (context->default_stream == nullptr)
            if (Failure failure = Stream::create(context->handle, context->device, lock, &context->default_stream))
                return failure;
        *stream = context->default_stream;
        return {};
    }
    *stream = find_handle<Stream>(handle, lock);
    if (*stream == nullptr) return bad_handle(ACL_ERROR_RT_INVALID_HANDLE, Kind::stream, handle);
    if (check::on && (*stream)->device() != context->device) check::will_refuse(check::Id::use_wrong_device, handle);
    if ((*stream)->context() != context->handle)
        return refuse_by(
            "stream_context", ACL_ERROR_RT_STREAM_CONTEXT, "stream ", handle,
            " belongs to another context, expected a stream of this thread's; make its context current with "
            "aclrtSetCurrentContext, or create the stream in this one");
    return {};
}

Failure check_timeout(int32_t timeout) {
    if (timeout >= -1) return {};
    return refuse(ACL_ERROR_RT_PARAM_INVALID, "timeout is ", timeout,
                  " ms, expected -1 (wait for ever) or more; use -1 or a time in milliseconds");
}

namespace {

Failure create_stream(aclrtStream* handle) {
    if (handle == nullptr) return null_output("stream");
    Lock lock = lock_runtime();
    std::shared_ptr<Context> context;
    if (Failure failure = current_context(lock, &context)) return failure;
    std::shared_ptr<Stream> stream;
    if (Failure failure = Stream::create(context->handle, context->device, lock, &stream)) return failure;
    try {
        *handle = add_handle(stream, lock);
    } catch (const std::bad_alloc&) {
        stream->close(true, lock);  // or its worker would wait for ever
        throw;
    }
    return {};
}

Failure destroy_stream(aclrtStream handle, bool drop_queued) {
    if (handle == nullptr)
        return refuse(ACL_ERROR_INVALID_PARAM,
                      "stream is null, expected a stream; the default one ends with its context");
    Lock lock = lock_runtime();
    std::shared_ptr<Stream> stream;
    if (Failure failure = find_stream(handle, lock, &stream)) return failure;
    if (Failure failure = check_not_inside(*stream)) return failure;
    if (stream->capture(lock) != nullptr)
        return refuse(ACL_ERROR_RT_STREAM_CAPTURED, "stream ", handle,
                      " is being captured, expected one that is not; call aclmdlRICaptureEnd first, or "
                      "aclmdlRIDestroy to give the capture up");
    if (check::on) check::closing_stream(*stream, drop_queued, lock);
    remove_handle<Stream>(handle, lock);
    if (drop_queued) end_reports_of(*stream, lock);
    Failure failure = stream->close(drop_queued, lock);
    end_reports_of(*stream, lock);
    return failure;
}

}  // namespace
}  // namespace acltwin

using namespace acltwin;

aclError aclrtCreateStream(aclrtStream* stream) {
    return answer(__func__, [&] { return create_stream(stream); });
}

// Priorities and flags steer the device's scheduler; all streams are equal here.
aclError aclrtCreateStreamWithConfig(aclrtStream* stream, uint32_t, uint32_t) {
    return answer(__func__, [&] { return create_stream(stream); });
}

aclError aclrtDestroyStream(aclrtStream stream) {
    return answer(__func__, [&] { return destroy_stream(stream, false); });
}

aclError aclrtDestroyStreamForce(aclrtStream stream) {
    return answer(__func__, [&] { return destroy_stream(stream, true); });
}

aclError aclrtSynchronizeStream(aclrtStream stream) {
    return answer(__func__, [&]() -> Failure {
        Lock lock = lock_runtime();
        std::shared_ptr<Stream> found;
        if (Failure failure = find_stream(stream, lock, &found)) return failure;
        return found->synchronize(-1, lock);
    });
}

aclError aclrtSynchronizeStreamWithTimeout(aclrtStream stream, int32_t timeout) {
    return answer(__func__, [&]() -> Failure {
        Lock lock = lock_runtime();
        std::shared_ptr<Stream> found;
        if (Failure failure = find_stream(stream, lock, &found)) return failure;
        if (Failure failure = check_timeout(timeout)) return failure;
        return found->synchronize(timeout, lock);
    });
}

aclError aclrtStreamQuery(aclrtStream stream, aclrtStreamStatus* status) {
    return answer(__func__, [&]() -> Failure {
        if (status == nullptr) return null_output("status");
        Lock lock = lock_runtime();
        std::shared_ptr<Stream> found;
        if (Failure failure = find_stream(stream, lock, &found)) return failure;
        if (Failure failure = refuse_waiting(*found, lock)) return failure;
        const bool idle = found->idle(lock) && (!check::on || check::may_be_done(*found, lock));
        if (check::on && idle) check::waited(check::waiting_for(*found, lock), true, {}, lock);
        *status = idle ? ACL_STREAM_STATUS_COMPLETE : ACL_STREAM_STATUS_NOT_READY;
        return {};
    });
}

aclError aclrtStreamGetId(aclrtStream stream, int32_t* streamId) {
    return answer(__func__, [&]() -> Failure {
        if (streamId == nullptr) return null_output("streamId");
        const Lock lock = lock_runtime();
        std::shared_ptr<Stream> found;
        if (Failure failure = find_stream(stream, lock, &found)) return failure;
        *streamId = found->id();
        return {};
    });
}
