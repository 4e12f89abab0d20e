// The way out of every C function: a status code, and a message that waits in this thread for aclGetRecentErrMsg.
#pragma once

#include <exception>
#include <new>
#include <string>

#include "acl/acl_base.h"
#include "aclnn/aclnn_base.h"
#include "core/failure.h"
#include "core/sentence.h"
#include "runtime/check/hooks.h"

namespace acltwin {

template <class... Parts>
Failure refuse(int code, const Parts&... parts) {
    return Failure{code, "", sentence(parts...)};
}

// A failure whose rule can be looked up with `acltwin explain`.
template <class... Parts>
Failure refuse_by(const char* rule, int code, const Parts&... parts) {
    return Failure{code, rule, sentence(parts...)};
}

inline Failure null_output(const char* name) {
    return refuse(ACL_ERROR_INVALID_PARAM, name,
                  " is null, expected an address to write to; pass the address of a variable");
}

// What exceptions become.
Failure out_of_memory() noexcept;
Failure unexpected(const std::exception& error) noexcept;

// Keeps the failure's message for this thread and returns its code. `function` is the C function that was called.
int remember(const char* function, const Failure& failure) noexcept;

// Runs the body of a C function: its failure becomes the returned code, and no exception gets out.
template <class Body>
int answer(const char* function, const Body& body) noexcept {
    if (check::on) check::entered(function);
    try {
        const Failure failure = body();
        return failure ? remember(function, failure) : ACL_SUCCESS;
    } catch (const std::bad_alloc&) {
        return remember(function, out_of_memory());
    } catch (const std::exception& error) {
        return remember(function, unexpected(error));
    }
}

}  // namespace acltwin
