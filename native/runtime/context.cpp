#include "runtime/context.h"

#include <utility>

#include "runtime/device.h"

namespace acltwin {
namespace {

thread_local aclrtContext current = nullptr;

Failure find_context(aclrtContext handle, const Lock& lock, std::shared_ptr<Context>* context) {
    if (handle == nullptr)
        return refuse(
            ACL_ERROR_INVALID_PARAM,
            "context is null, expected a context; pass what aclrtCreateContext or aclrtGetCurrentContext gave");
    *context = find_handle<Context>(handle, lock);
    return *context != nullptr ? Failure{} : bad_handle(ACL_ERROR_RT_INVALID_HANDLE, Kind::context, handle);
}

}  // namespace

Failure current_context(const Lock& lock, std::shared_ptr<Context>* context) {
    if (current == nullptr)
        return refuse_by(
            "context", ACL_ERROR_RT_CONTEXT_NULL,
            "this thread has no context, expected one; call aclrtSetDevice or aclrtSetCurrentContext in it first");
    *context = find_handle<Context>(current, lock);
    if (*context != nullptr) return {};
    return refuse_by("context", ACL_ERROR_RT_CONTEXT_NULL,
                     "this thread's context is gone, because it was destroyed or its device was reset, expected a "
                     "live one; call aclrtSetDevice or aclrtSetCurrentContext again");
}

void make_current(aclrtContext context) { current = context; }

aclrtContext exchange_current(aclrtContext context) { return std::exchange(current, context); }

}  // namespace acltwin

using namespace acltwin;

aclError aclrtCreateContext(aclrtContext* context, int32_t deviceId) {
    return answer(__func__, [&]() -> Failure {
        if (context == nullptr) return null_output("context");
        const Lock lock = lock_runtime();
        if (Failure failure = create_context_on(deviceId, lock, context)) return failure;
        make_current(*context);
        return {};
    });
}

aclError aclrtDestroyContext(aclrtContext context) {
    return answer(__func__, [&]() -> Failure {
        Lock lock = lock_runtime();
        std::shared_ptr<Context> found;
        if (Failure failure = find_context(context, lock, &found)) return failure;
        if (found->is_default)
            return refuse(ACL_ERROR_RT_PARAM_INVALID, "context is the default one of device ", found->device,
                          ", expected one from aclrtCreateContext; end it with aclrtResetDevice");
        return destroy_context(context, lock);
    });
}

aclError aclrtSetCurrentContext(aclrtContext context) {
    return answer(__func__, [&]() -> Failure {
        const Lock lock = lock_runtime();
        std::shared_ptr<Context> found;
        if (Failure failure = find_context(context, lock, &found)) return failure;
        make_current(context);
        return {};
    });
}

aclError aclrtGetCurrentContext(aclrtContext* context) {
    return answer(__func__, [&]() -> Failure {
        if (context == nullptr) return null_output("context");
        const Lock lock = lock_runtime();
        std::shared_ptr<Context> found;
        if (Failure failure = current_context(lock, &found)) return failure;
        *context = found->handle;
        return {};
    });
}
