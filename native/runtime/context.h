// Contexts: each thread has a current one, and what needs a device is gated by it.
#pragma once

#include <memory>
#include <mutex>
#include <optional>
#include <unordered_set>
#include <vector>

#include "acl/acl_rt.h"
#include "runtime/handles.h"
#include "runtime/stream.h"

namespace acltwin {

constexpr int kContextParameters = 3;  // of aclSysParamOpt, a context has the first three

class Context {
public:
    static constexpr Kind kKind = Kind::context;

    // Makes a context and its handle. The default one of a device is not destroyed by callers.
    static std::shared_ptr<Context> create(int device, bool is_default);

    const int device;
    const bool is_default;
    aclrtContext handle() const { return handle_; }

    // Streams and events end with their context at the latest. The default stream is made when it is first used.
    Failure add_stream(aclrtStream* handle);
    Failure add_event(aclrtEvent* handle, uint32_t flag);
    void forget(void* stream_or_event);
    Failure default_stream(std::shared_ptr<Stream>* stream);
    std::vector<std::shared_ptr<Stream>> streams();
    void close();

    std::optional<int64_t> parameter(int option);
    void set_parameter(int option, int64_t value);

private:
    Context(int device, bool is_default) : device(device), is_default(is_default) {}
    Failure check_open() const;
    std::vector<std::shared_ptr<Stream>> streams_locked() const;

    aclrtContext handle_ = nullptr;
    std::mutex mutex_;  // guards what follows
    bool closed_ = false;
    std::shared_ptr<Stream> default_stream_;
    std::unordered_set<void*> streams_, events_;
    std::optional<int64_t> parameters_[kContextParameters];
};

// The calling thread's context; the failure says that there is none.
Failure current_context(std::shared_ptr<Context>* context);
void make_current(aclrtContext context);

}  // namespace acltwin
