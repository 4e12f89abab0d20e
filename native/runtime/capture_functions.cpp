// What callers can do with captures, and what they cannot do meanwhile; how one works is in capture.cpp.
#include <cstring>
#include <utility>

#include "acl/acl_rt.h"
#include "runtime/capture.h"
#include "runtime/context.h"

namespace acltwin {
namespace {

thread_local int mode_of_this_thread = ACL_MODEL_RI_CAPTURE_MODE_GLOBAL;

Failure check_mode(int mode) {
    if (mode >= ACL_MODEL_RI_CAPTURE_MODE_GLOBAL && mode <= ACL_MODEL_RI_CAPTURE_MODE_RELAXED) return {};
    return refuse(ACL_ERROR_RT_PARAM_INVALID, "mode is ", mode,
                  ", expected 0 to 2 (an aclmdlRICaptureMode); use ACL_MODEL_RI_CAPTURE_MODE_GLOBAL, for example");
}

Failure begin(aclrtStream handle, int mode) {
    const Lock lock = lock_runtime();
    std::shared_ptr<Stream> stream;
    if (Failure failure = find_stream(handle, lock, &stream)) return failure;
    if (Failure failure = check_mode(mode)) return failure;
    if (handle == nullptr)
        return refuse(ACL_ERROR_RT_STREAM_CAPTURE_IMPLICIT,
                      "stream is null, the default one, which cannot be captured, expected a created one; make it with "
                      "aclrtCreateStream");
    if (stream->capture(lock) != nullptr)
        return refuse(ACL_ERROR_RT_STREAM_CAPTURED, "stream ", handle,
                      " is being captured, expected one that is not; call aclmdlRICaptureEnd first");
    Capture::begin(*stream, handle, mode, lock);
    return {};
}

Failure end(aclrtStream handle, aclmdlRI* result) {
    std::shared_ptr<Capture> capture;  // outlives the lock: it may hold much
    if (result == nullptr) return null_output("modelRI");
    const Lock lock = lock_runtime();
    std::shared_ptr<Stream> stream;
    if (Failure failure = find_stream(handle, lock, &stream)) return failure;
    capture = stream->capture(lock);
    if (capture == nullptr)
        return refuse(ACL_ERROR_RT_STREAM_NOT_CAPTURED,
                      "the stream is not being captured, expected one that is; call aclmdlRICaptureBegin first");
    bool is_lost = false;
    Failure failure = capture->end(*stream, &is_lost, lock);
    if (is_lost) remove_handle<Capture>(capture->handle(), lock);
    if (!failure) *result = capture->handle();
    return failure;
}

Failure get_info(aclrtStream handle, aclmdlRICaptureStatus* status, aclmdlRI* result) {
    if (status == nullptr && result == nullptr) return null_output("status");
    const Lock lock = lock_runtime();
    std::shared_ptr<Stream> stream;
    if (Failure failure = find_stream(handle, lock, &stream)) return failure;
    const auto& capture = stream->capture(lock);
    if (status != nullptr)
        *status = capture == nullptr         ? ACL_MODEL_RI_CAPTURE_STATUS_NONE
                  : capture->is_active(lock) ? ACL_MODEL_RI_CAPTURE_STATUS_ACTIVE
                                             : ACL_MODEL_RI_CAPTURE_STATUS_INVALIDATED;
    if (result != nullptr) *result = capture != nullptr ? capture->handle() : nullptr;
    return {};
}

Failure find_capture(aclmdlRI handle, const Lock& lock, std::shared_ptr<Capture>* capture) {
    if (handle == nullptr)
        return refuse(ACL_ERROR_INVALID_PARAM,
                      "modelRI is null, expected a capture; pass what aclmdlRICaptureEnd gave");
    *capture = find_handle<Capture>(handle, lock);
    return *capture != nullptr ? Failure{} : bad_handle(ACL_ERROR_RT_INVALID_HANDLE, Kind::capture, handle);
}

Failure execute(aclmdlRI handle, aclrtStream stream_handle, Lock& lock, std::shared_ptr<Stream>* stream) {
    std::shared_ptr<Capture> capture;
    if (Failure failure = find_capture(handle, lock, &capture)) return failure;
    if (!capture->is_over(lock))
        return refuse(ACL_ERROR_RT_MODEL_CAPTURED,
                      "modelRI is still being captured, expected one that is complete; call aclmdlRICaptureEnd first");
    if (Failure failure = find_stream(stream_handle, lock, stream)) return failure;
    if (capture->context() != (*stream)->context())
        return refuse(ACL_ERROR_RT_MODEL_CONTEXT,
                      "modelRI belongs to another context, expected this thread's; make its context current with "
                      "aclrtSetCurrentContext");
    if (const auto outer = (*stream)->capture(lock))
        return outer->invalidate(
            refuse(ACL_ERROR_RT_STREAM_CAPTURED,
                   "the stream is being captured, expected one that is not; one capture cannot contain another"),
            lock);
    Task execution;
    if (Failure failure = capture->make_execution(&execution, lock)) return failure;
    return (*stream)->push(std::move(execution), lock);
}

Failure execute_and_wait(aclmdlRI handle, int32_t timeout) {
    if (timeout < -1 || timeout == 0)
        return refuse(ACL_ERROR_RT_PARAM_INVALID, "timeout is ", timeout,
                      " ms, expected -1 (wait for ever) or more than 0; use -1 or a time in milliseconds");
    Lock lock = lock_runtime();
    std::shared_ptr<Stream> stream;
    if (Failure failure = execute(handle, nullptr, lock, &stream)) return failure;
    return stream->synchronize(timeout, lock);
}

Failure destroy(aclmdlRI handle) {
    std::shared_ptr<Capture> capture;  // outlives the lock: it may hold much
    const Lock lock = lock_runtime();
    if (Failure failure = find_capture(handle, lock, &capture)) return failure;
    if (check::on) check::ending_capture(handle, lock);
    if (capture->is_running(lock))
        return refuse_by("still_running", ACL_ERROR_RT_MODEL_RUNNING,
                         "modelRI is queued or runs, expected one that does not; synchronise its stream first");
    capture->leave(true, lock);
    remove_handle<Capture>(handle, lock);
    return {};
}

Failure refuse_waiting(const std::shared_ptr<Capture>& capture, int code, const char* what, const Lock& lock) {
    if (capture == nullptr) return {};
    if (!capture->is_active(lock)) return capture->invalidated(lock);
    return capture->invalidate(refuse(code, what,
                                      " is waited for or queried while it is captured, expected no such call; its "
                                      "work runs only after aclmdlRICaptureEnd, with aclmdlRIExecuteAsync"),
                               lock);
}

}  // namespace

Failure refuse_waiting(const Stream& stream, const Lock& lock) {
    return refuse_waiting(stream.capture(lock), ACL_ERROR_RT_STREAM_CAPTURED, "a stream", lock);
}

Failure refuse_waiting(const std::shared_ptr<const Mark>& mark, const Lock& lock) {
    return refuse_waiting(capture_of(mark, lock), ACL_ERROR_RT_EVENT_CAPTURED, "an event", lock);
}

Failure let_wait_in_capture(Stream& stream, aclrtStream handle, const std::shared_ptr<const Mark>& mark,
                            const Lock& lock) {
    const auto capture = stream.capture(lock), recorded_in = capture_of(mark, lock);
    for (const auto& one : {capture, recorded_in})
        if (one != nullptr && !one->is_active(lock)) return one->invalidated(lock);
    if (recorded_in == nullptr)
        return capture->invalidate(
            refuse(ACL_ERROR_RT_CAPTURE_DEPENDENCY,
                   "a captured stream waits for an event that was not recorded in the capture, expected one that was; "
                   "record it on a captured stream, or synchronise before aclmdlRICaptureBegin"),
            lock);
    const bool is_elsewhere = capture == nullptr && recorded_in->context() != stream.context();
    if ((capture != nullptr && capture != recorded_in) || is_elsewhere) {
        Failure failure = refuse(ACL_ERROR_STREAM_CAPTURE_CONFLICT,
                                 "the event belongs to another capture than the stream, expected the same; let each "
                                 "capture wait for its own events only");
        if (capture != nullptr) capture->invalidate(failure, lock);
        return recorded_in->invalidate(std::move(failure), lock);
    }
    if (handle == nullptr)
        return recorded_in->invalidate(refuse(ACL_ERROR_RT_STREAM_CAPTURE_IMPLICIT,
                                              "the default stream waits for an event of a capture, which it cannot "
                                              "join, expected a created one; make it with "
                                              "aclrtCreateStream"),
                                       lock);
    if (capture == nullptr) recorded_in->join(stream, handle, lock);
    return recorded_in->wait(stream, *mark, lock);
}

// An event of the capture is free again when its waits were recorded.
Failure check_reset_in(const std::shared_ptr<Capture>& capture, const std::shared_ptr<Capture>& recorded_in,
                       bool was_recorded_outside, const Lock& lock) {
    for (const auto& one : {capture, recorded_in})
        if (one != nullptr && !one->is_active(lock)) return one->invalidated(lock);
    if (capture == recorded_in || (recorded_in == nullptr && !was_recorded_outside)) return {};
    Failure failure = refuse(recorded_in != nullptr ? ACL_ERROR_RT_EVENT_CAPTURED : ACL_ERROR_RT_CAPTURE_DEPENDENCY,
                             "the event was recorded and is reset in different captures, expected the same; reset it "
                             "on a stream of the capture that it was recorded in");
    if (capture != nullptr) capture->invalidate(failure, lock);
    return recorded_in != nullptr ? recorded_in->invalidate(std::move(failure), lock) : failure;
}

Failure refuse_unsafe(const Lock& lock) {
    if (!any_active_capture(lock)) return {};
    std::shared_ptr<Context> context;
    if (Failure failure = current_context(lock, &context)) return failure;
    const size_t forbidding = HandleTable<Capture>::instance().count_if(lock, [&](const Capture& capture) {
        return capture.context() == context->handle && capture.forbids_unsafe(mode_of_this_thread, lock);
    });
    if (forbidding == 0) return {};
    return refuse(ACL_ERROR_RT_CAPTURE_MODE_NOT_SUPPORT,
                  "a stream of this context is being captured, and its mode lets this thread copy or fill memory only "
                  "in streams, from and to memory of the runtime's, expected such a call; use aclrtMemcpyAsync with "
                  "aclrtMallocHost, or aclmdlRICaptureThreadExchangeMode with ACL_MODEL_RI_CAPTURE_MODE_RELAXED");
}

Failure refuse_ordinary_memory(const Stream& stream, const Lock& lock) {
    const auto& capture = stream.capture(lock);
    if (capture == nullptr) return refuse_unsafe(lock);
    if (!capture->is_active(lock)) return capture->invalidated(lock);
    return capture->invalidate(
        refuse(ACL_ERROR_RT_CAPTURE_MODE_NOT_SUPPORT,
               "a captured copy uses memory of the program's own, which nobody keeps for it, expected memory of the "
               "runtime's; allocate it with aclrtMallocHost, or register it with aclrtHostRegister"),
        lock);
}

}  // namespace acltwin

using namespace acltwin;

aclError aclmdlRICaptureBegin(aclrtStream stream, aclmdlRICaptureMode mode) {
    return answer(__func__, [&, mode = int(mode)] { return begin(stream, mode); });
}

aclError aclmdlRICaptureGetInfo(aclrtStream stream, aclmdlRICaptureStatus* status, aclmdlRI* modelRI) {
    return answer(__func__, [&] { return get_info(stream, status, modelRI); });
}

aclError aclmdlRICaptureEnd(aclrtStream stream, aclmdlRI* modelRI) {
    return answer(__func__, [&] { return end(stream, modelRI); });
}

aclError aclmdlRICaptureThreadExchangeMode(aclmdlRICaptureMode* mode) {
    return answer(__func__, [&]() -> Failure {
        if (mode == nullptr) return null_output("mode");
        int wanted = 0;
        std::memcpy(&wanted, mode, sizeof wanted);  // it may hold any number
        if (Failure failure = check_mode(wanted)) return failure;
        *mode = aclmdlRICaptureMode(std::exchange(mode_of_this_thread, wanted));
        return {};
    });
}

aclError aclmdlRIExecute(aclmdlRI modelRI, int32_t timeout) {
    return answer(__func__, [&] { return execute_and_wait(modelRI, timeout); });
}

aclError aclmdlRIExecuteAsync(aclmdlRI modelRI, aclrtStream stream) {
    return answer(__func__, [&] {
        Lock lock = lock_runtime();
        std::shared_ptr<Stream> found;
        return execute(modelRI, stream, lock, &found);
    });
}

aclError aclmdlRIDestroy(aclmdlRI modelRI) {
    return answer(__func__, [&] { return destroy(modelRI); });
}
