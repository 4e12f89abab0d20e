// Operators that the twin does not have: `acltwin sdk --stubs` writes a library whose functions all come here.
#include "core/export.h"
#include "runtime/error.h"

using namespace acltwin;

// `function` is a name that lives as long as the process. What else the caller passed is nobody's.
extern "C" ACLTWIN_API int acltwin_missing_operator(const char* function) {
    return answer(function, [&]() -> Failure {
        if (check::on) check::will_refuse(check::Id::use_missing_operator);
        return refuse_by("missing_operator", kInvalidParameter, function,
                         " is not in the twin, which has its name only, expected an operator that it has; run this "
                         "part on a device, or leave it out here");
    });
}
