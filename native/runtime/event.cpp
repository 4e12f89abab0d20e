#include "runtime/event.h"

#include "runtime/context.h"
#include "runtime/stream.h"

namespace acltwin {

void Recording::complete(const Failure& failure_so_far, const Lock& lock) {
    time = std::chrono::steady_clock::now();
    completed = true;
    notify_change(this, lock);
    failure = failure_so_far;  // last: if there is no memory for its text, the event is reached all the same
}

bool Recording::wait(int timeout_ms, Lock& lock) const {
    return wait_until(this, lock, timeout_ms, [&] { return completed; });
}

namespace {

Failure find_event(aclrtEvent handle, const char* name, const Lock& lock, std::shared_ptr<Event>* event) {
    if (handle == nullptr)
        return refuse(ACL_ERROR_INVALID_PARAM, name, " is null, expected an event; pass what aclrtCreateEvent gave");
    *event = find_handle<Event>(handle, lock);
    return *event != nullptr ? Failure{} : bad_handle(ACL_ERROR_RT_INVALID_HANDLE, Kind::event, handle);
}

Failure create_event(aclrtEvent* event, uint32_t flag) {
    if (event == nullptr) return null_output("event");
    const Lock lock = lock_runtime();
    std::shared_ptr<Context> context;
    if (Failure failure = current_context(lock, &context)) return failure;
    *event = add_handle(std::make_shared<Event>(context->handle, flag), lock);
    return {};
}

Failure find_both(aclrtEvent event_handle, aclrtStream stream_handle, const Lock& lock, std::shared_ptr<Event>* event,
                  std::shared_ptr<Stream>* stream) {
    if (Failure failure = find_event(event_handle, "event", lock, event)) return failure;
    return find_stream(stream_handle, lock, stream);
}

Failure record(aclrtEvent event_handle, aclrtStream stream_handle) {
    const Lock lock = lock_runtime();
    std::shared_ptr<Event> event;
    std::shared_ptr<Stream> stream;
    if (Failure failure = find_both(event_handle, stream_handle, lock, &event, &stream)) return failure;
    if (const auto capture = stream->capture(lock)) {
        if (Failure failure = capture->record(*stream, &event->mark, lock)) return failure;
        event->latest = nullptr;
        if (check::on) check::reset_event(event_handle, lock);
        return {};
    }
    auto recording = std::make_shared<Recording>();
    Task task;
    task.runs_after_failure = true;
    task.run = [recording](Stream& on) {
        const Lock lock = lock_runtime();
        recording->complete(on.pending_failure(lock), lock);
        return Failure{};
    };
    if (Failure failure = stream->push(std::move(task), lock)) return failure;
    event->latest = std::move(recording);
    event->mark = nullptr;
    if (check::on) check::recorded_event(event_handle, *stream, lock);
    return {};
}

Failure reset(aclrtEvent event_handle, aclrtStream stream_handle) {
    const Lock lock = lock_runtime();
    std::shared_ptr<Event> event;
    std::shared_ptr<Stream> stream;
    if (Failure failure = find_both(event_handle, stream_handle, lock, &event, &stream)) return failure;
    const auto capture = stream->capture(lock), recorded_in = capture_of(event->mark, lock);
    if (capture != nullptr || recorded_in != nullptr) {
        if (Failure failure = check_reset_in(capture, recorded_in, event->latest != nullptr, lock)) return failure;
        event->mark = nullptr;
        return {};
    }
    Task task;
    task.runs_after_failure = true;
    task.run = [event, seen = event->latest](Stream&) {
        const Lock lock = lock_runtime();
        if (event->latest == seen) event->latest = nullptr;  // unless it was recorded anew since
        return Failure{};
    };
    if (check::on) check::reset_event(event_handle, lock);
    return stream->push(std::move(task), lock);
}

Failure let_wait(aclrtStream stream_handle, aclrtEvent event_handle) {
    const Lock lock = lock_runtime();
    std::shared_ptr<Event> event;
    std::shared_ptr<Stream> stream;
    if (Failure failure = find_both(event_handle, stream_handle, lock, &event, &stream)) return failure;
    if (stream->capture(lock) != nullptr || capture_of(event->mark, lock) != nullptr)
        return let_wait_in_capture(*stream, stream_handle, event->mark, lock);
    if (check::on) check::let_stream_wait(*stream, event_handle, lock);
    if (event->latest == nullptr) return {};  // nothing to wait for
    Task task;
    task.run = [recording = event->latest](Stream&) {
        Lock lock = lock_runtime();
        recording->wait(-1, lock);
        return Failure{};
    };
    return stream->push(std::move(task), lock);
}

Failure synchronize_event(aclrtEvent handle, int32_t timeout) {
    Lock lock = lock_runtime();
    std::shared_ptr<Event> event;
    if (Failure failure = find_event(handle, "event", lock, &event)) return failure;
    if (Failure failure = check_timeout(timeout)) return failure;
    if (Failure failure = refuse_waiting(event->mark, lock)) return failure;
    const auto recording = event->latest;
    check::Waiting* const waiting = check::on ? check::waiting_for_event(handle, lock) : nullptr;
    if (recording == nullptr) return {};  // nothing to wait for
    const bool reached = recording->wait(timeout, lock);
    if (check::on) check::waited(waiting, reached, recording->failure, lock);
    if (!reached)
        return refuse(ACL_ERROR_RT_EVENT_SYNC_TIMEOUT, "the event was not reached within ", timeout,
                      " ms; wait longer, or -1 for ever");
    return recording->failure;
}

Failure time_of(aclrtEvent handle, const char* name, const Lock& lock, std::chrono::steady_clock::time_point* time) {
    std::shared_ptr<Event> event;
    if (Failure failure = find_event(handle, name, lock, &event)) return failure;
    if (Failure failure = refuse_waiting(event->mark, lock)) return failure;
    if (!event->has_time || event->latest == nullptr)
        return refuse(ACL_ERROR_RT_EVENT_TIMESTAMP_INVALID, name, " has no time, expected a recorded event; ",
                      event->has_time ? "record it first" : "create it with ACL_EVENT_TIME_LINE");
    if (!event->latest->completed)
        return refuse(ACL_ERROR_RT_EVENT_NOT_COMPLETE, name,
                      " is not reached yet, expected a completed event; synchronise its stream first");
    *time = event->latest->time;
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

aclError aclrtCreateEventExWithFlag(aclrtEvent* event, uint32_t flag) {
    return answer(__func__, [&] { return create_event(event, flag); });
}

aclError aclrtDestroyEvent(aclrtEvent event) {
    return answer(__func__, [&]() -> Failure {
        const Lock lock = lock_runtime();
        std::shared_ptr<Event> found;
        if (Failure failure = find_event(event, "event", lock, &found)) return failure;
        remove_handle<Event>(event, lock);
        return {};
    });
}

aclError aclrtRecordEvent(aclrtEvent event, aclrtStream stream) {
    return answer(__func__, [&] { return record(event, stream); });
}

aclError aclrtResetEvent(aclrtEvent event, aclrtStream stream) {
    return answer(__func__, [&] { return reset(event, stream); });
}

aclError aclrtStreamWaitEvent(aclrtStream stream, aclrtEvent event) {
    return answer(__func__, [&] { return let_wait(stream, event); });
}

aclError aclrtQueryEventStatus(aclrtEvent event, aclrtEventRecordedStatus* status) {
    return answer(__func__, [&]() -> Failure {
        if (status == nullptr) return null_output("status");
        const Lock lock = lock_runtime();
        std::shared_ptr<Event> found;
        if (Failure failure = find_event(event, "event", lock, &found)) return failure;
        if (Failure failure = refuse_waiting(found->mark, lock)) return failure;
        const bool reached =
            found->latest != nullptr && found->latest->completed && (!check::on || check::may_be_reached(event, lock));
        if (check::on && reached) check::waited(check::waiting_for_event(event, lock), true, {}, lock);
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
        const Lock lock = lock_runtime();
        std::chrono::steady_clock::time_point start, end;
        if (Failure failure = time_of(startEvent, "startEvent", lock, &start)) return failure;
        if (Failure failure = time_of(endEvent, "endEvent", lock, &end)) return failure;
        *ms = std::chrono::duration<float, std::milli>(end - start).count();
        return {};
    });
}

aclError aclrtEventGetTimestamp(aclrtEvent event, uint64_t* timestamp) {
    return answer(__func__, [&]() -> Failure {
        if (timestamp == nullptr) return null_output("timestamp");
        const Lock lock = lock_runtime();
        std::chrono::steady_clock::time_point time;
        if (Failure failure = time_of(event, "event", lock, &time)) return failure;
        *timestamp = uint64_t(std::chrono::duration_cast<std::chrono::microseconds>(time.time_since_epoch()).count());
        return {};
    });
}
