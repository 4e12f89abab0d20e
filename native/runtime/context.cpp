#include "runtime/context.h"

#include "runtime/device.h"
#include "runtime/event.h"

namespace acltwin {
namespace {

thread_local aclrtContext current = nullptr;

Failure find_context(aclrtContext handle, std::shared_ptr<Context>* context) {
    if (handle == nullptr) return refuse(ACL_ERROR_INVALID_PARAM, "context is null, expected a context");
    *context = find_handle<Context>(handle);
    return *context != nullptr ? Failure{} : bad_handle(ACL_ERROR_RT_INVALID_HANDLE, Kind::context, handle);
}

}  // namespace

std::shared_ptr<Context> Context::create(int device, bool is_default) {
    std::shared_ptr<Context> context(new Context(device, is_default));
    context->handle_ = add_handle(context);
    return context;
}

Failure Context::check_open() const {
    if (!closed_) return {};
    return refuse(ACL_ERROR_RT_CONTEXT_NULL, "another thread destroyed this thread's context; let the last user do it");
}

Failure Context::add_stream(aclrtStream* handle) {
    std::lock_guard<std::mutex> lock(mutex_);
    if (Failure failure = check_open()) return failure;
    *handle = add_handle(std::make_shared<Stream>(handle_, device));
    streams_.insert(*handle);
    return {};
}

Failure Context::add_event(aclrtEvent* handle, uint32_t flag) {
    std::lock_guard<std::mutex> lock(mutex_);
    if (Failure failure = check_open()) return failure;
    *handle = add_handle(std::make_shared<Event>(handle_, flag));
    events_.insert(*handle);
    return {};
}

void Context::forget(void* stream_or_event) {
    std::lock_guard<std::mutex> lock(mutex_);
    streams_.erase(stream_or_event);
    events_.erase(stream_or_event);
}

Failure Context::default_stream(std::shared_ptr<Stream>* stream) {
    std::lock_guard<std::mutex> lock(mutex_);
    if (Failure failure = check_open()) return failure;
    if (default_stream_ == nullptr) default_stream_ = std::make_shared<Stream>(handle_, device);
    *stream = default_stream_;
    return {};
}

std::vector<std::shared_ptr<Stream>> Context::streams() {
    std::lock_guard<std::mutex> lock(mutex_);
    return streams_locked();
}

std::vector<std::shared_ptr<Stream>> Context::streams_locked() const {
    std::vector<std::shared_ptr<Stream>> all;
    if (default_stream_ != nullptr) all.push_back(default_stream_);
    for (void* handle : streams_)
        if (auto stream = find_handle<Stream>(handle)) all.push_back(std::move(stream));
    return all;
}

void Context::close() {
    std::vector<std::shared_ptr<Stream>> ending;
    {
        std::lock_guard<std::mutex> lock(mutex_);
        closed_ = true;
        ending = streams_locked();
        for (void* handle : streams_) remove_handle<Stream>(handle);
        for (void* handle : events_) remove_handle<Event>(handle);
        streams_.clear();
        events_.clear();
    }
    for (const auto& stream : ending) stream->close(false);
}

std::optional<int64_t> Context::parameter(int option) {
    std::lock_guard<std::mutex> lock(mutex_);
    return parameters_[option];
}

void Context::set_parameter(int option, int64_t value) {
    std::lock_guard<std::mutex> lock(mutex_);
    parameters_[option] = value;
}

Failure current_context(std::shared_ptr<Context>* context) {
    if (current == nullptr)
        return refuse_by("context", ACL_ERROR_RT_CONTEXT_NULL,
                         "this thread has no context; call aclrtSetDevice or aclrtSetCurrentContext in it first");
    *context = find_handle<Context>(current);
    if (*context != nullptr) return {};
    return refuse_by(
        "context", ACL_ERROR_RT_CONTEXT_NULL,
        "this thread's context is gone, because it was destroyed or its device was reset; call aclrtSetDevice "
        "or aclrtSetCurrentContext again");
}

void make_current(aclrtContext context) { current = context; }

}  // namespace acltwin

using namespace acltwin;

aclError aclrtCreateContext(aclrtContext* context, int32_t deviceId) {
    return answer(__func__, [&]() -> Failure {
        if (context == nullptr) return null_output("context");
        if (Failure failure = create_context_on(deviceId, context)) return failure;
        make_current(*context);
        return {};
    });
}

aclError aclrtDestroyContext(aclrtContext context) {
    return answer(__func__, [&]() -> Failure {
        std::shared_ptr<Context> found;
        if (Failure failure = find_context(context, &found)) return failure;
        if (found->is_default)
            return refuse(ACL_ERROR_RT_PARAM_INVALID, "context is the default one of device ", found->device,
                          ", expected one from aclrtCreateContext; end it with aclrtResetDevice");
        return destroy_context_on(found->device, context);
    });
}

aclError aclrtSetCurrentContext(aclrtContext context) {
    return answer(__func__, [&]() -> Failure {
        std::shared_ptr<Context> found;
        if (Failure failure = find_context(context, &found)) return failure;
        make_current(context);
        return {};
    });
}

aclError aclrtGetCurrentContext(aclrtContext* context) {
    return answer(__func__, [&]() -> Failure {
        if (context == nullptr) return null_output("context");
        std::shared_ptr<Context> found;
        if (Failure failure = current_context(&found)) return failure;
        *context = found->handle();
        return {};
    });
}
