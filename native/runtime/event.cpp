#include "runtime/event.h"

#include "runtime/context.h"
#include "runtime/stream.h"

namespace acltwin {

void Recording::complete(Failure failure_so_far) {
    std::lock_guard<std::mutex> lock(mutex_);
    time_ = std::chrono::steady_clock::now();
    failure_ = std::move(failure_so_far);
    completed_ = true;
    reached_.notify_all();
}

bool Recording::wait(int timeout_ms) {
    std::unique_lock<std::mutex> lock(mutex_);
    const auto reached = [&] { return completed_; };
    if (timeout_ms >= 0) return reached_.wait_for(lock, std::chrono::milliseconds(timeout_ms), reached);
    reached_.wait(lock, reached);
    return true;
}

bool Recording::completed() const {
    std::lock_guard<std::mutex> lock(mutex_);
    return completed_;
}

Failure Recording::failure() const {
    std::lock_guard<std::mutex> lock(mutex_);
    return failure_;
}

std::chrono::steady_clock::time_point Recording::time() const {
    std::lock_guard<std::mutex> lock(mutex_);
    return time_;
}

std::shared_ptr<Recording> Event::begin_recording() {
    auto recording = std::make_shared<Recording>();
    std::lock_guard<std::mutex> lock(mutex_);
    latest_ = recording;
    return recording;
}

std::shared_ptr<Recording> Event::latest() const {
    std::lock_guard<std::mutex> lock(mutex_);
    return latest_;
}

void Event::reset(const std::shared_ptr<Recording>& seen) {
    std::lock_guard<std::mutex> lock(mutex_);
    if (latest_ == seen) latest_ = nullptr;
}

Failure find_event(aclrtEvent handle, const char* name, std::shared_ptr<Event>* event) {
    if (handle == nullptr) return refuse(ACL_ERROR_INVALID_PARAM, name, " is null, expected an event");
    *event = find_handle<Event>(handle);
    return *event != nullptr ? Failure{} : bad_handle(ACL_ERROR_RT_INVALID_HANDLE, Kind::event, handle);
}

namespace {

Failure create_event(aclrtEvent* event, uint32_t flag) {
    if (event == nullptr) return null_output("event");
    std::shared_ptr<Context> context;
    if (Failure failure = current_context(&context)) return failure;
    return context->add_event(event, flag);
}

Failure find_both(aclrtEvent event_handle, aclrtStream stream_handle, std::shared_ptr<Event>* event,
                  std::shared_ptr<Stream>* stream) {
    if (Failure failure = find_event(event_handle, "event", event)) return failure;
    return find_stream(stream_handle, stream);
}

Failure record(aclrtEvent event_handle, aclrtStream stream_handle) {
    std::shared_ptr<Event> event;
    std::shared_ptr<Stream> stream;
    if (Failure failure = find_both(event_handle, stream_handle, &event, &stream)) return failure;
    const auto mark = [recording = event->begin_recording(), stream = stream.get()] {
        recording->complete(stream->pending_failure());
        return Failure{};
    };
    return stream->push({mark, true});
}

Failure synchronize_event(aclrtEvent handle, int32_t timeout) {
    std::shared_ptr<Event> event;
    if (Failure failure = find_event(handle, "event", &event)) return failure;
    if (Failure failure = check_timeout(timeout)) return failure;
    const auto recording = event->latest();
    if (recording == nullptr) return {};  // nothing to wait for
    if (!recording->wait(timeout))
        return refuse(ACL_ERROR_RT_EVENT_SYNC_TIMEOUT, "the event was not reached within ", timeout,
                      " ms; wait longer, or -1 for ever");
    return recording->failure();
}

Failure time_of(aclrtEvent handle, const char* name, std::chrono::steady_clock::time_point* time) {
    std::shared_ptr<Event> event;
    if (Failure failure = find_event(handle, name, &event)) return failure;
    const auto recording = event->latest();
    if (!event->has_time || recording == nullptr)
        return refuse(ACL_ERROR_RT_EVENT_TIMESTAMP_INVALID, name, " has no time; ",
                      event->has_time ? "record it first" : "create it with ACL_EVENT_TIME_LINE");
    if (!recording->completed())
        return refuse(ACL_ERROR_RT_EVENT_NOT_COMPLETE, name, " is not reached yet; synchronise its stream first");
    *time = recording->time();
    return {};
}

}  // namespace
}  // namespace acltwin

using namespace acltwin;

aclError aclrtCreateEvent(aclrtEvent* event) {
    return answer(__func__, [&] { return create_event(event, ACL_EVENT_SYNC | ACL_EVENT_TIME_LINE); });
}

aclError aclrtCreateEventWithFlag(aclrtEvent* event, uint32_t flag) {
    return answer(__func__, [&] { return create_event(event, flag); });
}

aclError aclrtDestroyEvent(aclrtEvent event) {
    return answer(__func__, [&]() -> Failure {
        if (event == nullptr) return refuse(ACL_ERROR_INVALID_PARAM, "event is null, expected an event");
        const auto gone = remove_handle<Event>(event);
        if (gone == nullptr) return bad_handle(ACL_ERROR_RT_INVALID_HANDLE, Kind::event, event);
        if (const auto context = find_handle<Context>(gone->context)) context->forget(event);
        return {};
    });
}

aclError aclrtRecordEvent(aclrtEvent event, aclrtStream stream) {
    return answer(__func__, [&] { return record(event, stream); });
}

aclError aclrtResetEvent(aclrtEvent event, aclrtStream stream) {
    return answer(__func__, [&]() -> Failure {
        std::shared_ptr<Event> found;
        std::shared_ptr<Stream> queue;
        if (Failure failure = find_both(event, stream, &found, &queue)) return failure;
        const auto forget = [found, seen = found->latest()] {
            found->reset(seen);
            return Failure{};
        };
        return queue->push({forget, true});
    });
}

aclError aclrtStreamWaitEvent(aclrtStream stream, aclrtEvent event) {
    return answer(__func__, [&]() -> Failure {
        std::shared_ptr<Event> found;
        std::shared_ptr<Stream> queue;
        if (Failure failure = find_both(event, stream, &found, &queue)) return failure;
        const auto recording = found->latest();
        if (recording == nullptr) return {};  // nothing to wait for
        const auto wait = [recording] {
            recording->wait(-1);
            return Failure{};
        };
        return queue->push({wait, false});
    });
}

aclError aclrtQueryEventStatus(aclrtEvent event, aclrtEventRecordedStatus* status) {
    return answer(__func__, [&]() -> Failure {
        if (status == nullptr) return null_output("status");
        std::shared_ptr<Event> found;
        if (Failure failure = find_event(event, "event", &found)) return failure;
        const auto recording = found->latest();
        const bool reached = recording != nullptr && recording->completed();
        *status = reached ? ACL_EVENT_RECORDED_STATUS_COMPLETE : ACL_EVENT_RECORDED_STATUS_NOT_READY;
        return {};
    });
}

aclError aclrtSynchronizeEvent(aclrtEvent event) {
    return answer(__func__, [&] { return synchronize_event(event, -1); });
}

aclError aclrtSynchronizeEventWithTimeout(aclrtEvent event, int32_t timeout) {
    return answer(__func__, [&] { return synchronize_event(event, timeout); });
}

aclError aclrtEventElapsedTime(float* ms, aclrtEvent startEvent, aclrtEvent endEvent) {
    return answer(__func__, [&]() -> Failure {
        if (ms == nullptr) return null_output("ms");
        std::chrono::steady_clock::time_point start, end;
        if (Failure failure = time_of(startEvent, "startEvent", &start)) return failure;
        if (Failure failure = time_of(endEvent, "endEvent", &end)) return failure;
        *ms = std::chrono::duration<float, std::milli>(end - start).count();
        return {};
    });
}
