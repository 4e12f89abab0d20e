// Contexts: each thread has a current one, and what needs a device is gated by it.
#pragma once

#include <memory>
#include <optional>

#include "acl/acl_rt.h"
#include "runtime/handles.h"
#include "runtime/stream.h"

namespace acltwin {

constexpr int kContextParameters = 3;  // of aclSysParamOpt, a context has the first three

// Streams and events name the context they belong to, and end with it at the latest.
struct Context {
    static constexpr Kind kKind = Kind::context;

    Context(int device, bool is_default) : device(device), is_default(is_default) {}

    const int device;
    const bool is_default;          // of its device; callers do not destroy it
    aclrtContext handle = nullptr;  // this and what follows is guarded by the runtime's lock
    std::shared_ptr<Stream> default_stream;
    std::optional<int64_t> parameters[kContextParameters];
};

// The calling thread's context; the failure says that there is none.
Failure current_context(const Lock& lock, std::shared_ptr<Context>* context);
void make_current(aclrtContext context);
aclrtContext exchange_current(aclrtContext context);  // gives the one before

}  // namespace acltwin
