// The system parameters, determinism above all. Operators here are deterministic whatever they say, so a value is only
// checked, kept and given back.
#include <atomic>

#include "acl/acl_rt.h"
#include "runtime/context.h"
#include "runtime/error.h"

namespace acltwin {
namespace {

constexpr int kParameters = 4;
std::atomic<int64_t> process_wide[kParameters];

Failure check_option(int option, int count) {
    if (option >= 0 && option < count) return {};
    return refuse(ACL_ERROR_INVALID_PARAM, "opt is ", option, ", expected 0 to ", count - 1,
                  " (an aclSysParamOpt); use ACL_OPT_DETERMINISTIC, for example");
}

Failure check_value(int option, int64_t value) {
    const int64_t most = option == ACL_OPT_DETERMINISTIC ? 3 : 1;
    if (value >= 0 && value <= most) return {};
    return refuse(ACL_ERROR_RT_PARAM_INVALID, "value is ", value, ", expected 0 to ", most, " for option ", option,
                  "; use one of these");
}

}  // namespace
}  // namespace acltwin

using namespace acltwin;

aclError aclrtCtxSetSysParamOpt(aclSysParamOpt opt, int64_t value) {
    return answer(__func__, [&, opt = int(opt)]() -> Failure {
        if (Failure failure = check_option(opt, kContextParameters)) return failure;
        const Lock lock = lock_runtime();
        std::shared_ptr<Context> context;
        if (Failure failure = current_context(lock, &context)) return failure;
        if (Failure failure = check_value(opt, value)) return failure;
        context->parameters[opt] = value;
        process_wide[opt] = value;
        return {};
    });
}

aclError aclrtCtxGetSysParamOpt(aclSysParamOpt opt, int64_t* value) {
    return answer(__func__, [&, opt = int(opt)]() -> Failure {
        if (value == nullptr) return null_output("value");
        if (Failure failure = check_option(opt, kContextParameters)) return failure;
        const Lock lock = lock_runtime();
        std::shared_ptr<Context> context;
        if (Failure failure = current_context(lock, &context)) return failure;
        const std::optional<int64_t> kept = context->parameters[opt];
        if (!kept)
            return refuse(ACL_ERROR_RT_SYSPARAMOPT_NOT_SET, "option ", opt,
                          " was never set in this context, expected a value; call aclrtCtxSetSysParamOpt first");
        *value = *kept;
        return {};
    });
}

aclError aclrtSetSysParamOpt(aclSysParamOpt opt, int64_t value) {
    return answer(__func__, [&, opt = int(opt)]() -> Failure {
        if (Failure failure = check_option(opt, kParameters)) return failure;
        if (Failure failure = check_value(opt, value)) return failure;
        process_wide[opt] = value;
        return {};
    });
}

aclError aclrtGetSysParamOpt(aclSysParamOpt opt, int64_t* value) {
    return answer(__func__, [&, opt = int(opt)]() -> Failure {
        if (value == nullptr) return null_output("value");
        if (Failure failure = check_option(opt, kParameters)) return failure;
        *value = process_wide[opt];
        return {};
    });
}
