// Switches that turn a specialisation off, to measure what it earns: tools/ablate.py prints the table.
// They exist only in a build with the CMake option ACLTWIN_ABLATE; in every other one they are constants, and gone.
#pragma once

#include "core/environment.h"

namespace acltwin {

#if defined(ACLTWIN_ABLATE)
// Whether the environment variable ACLTWIN_ABLATE names it now: plans ask anew, so one process can compare with and
// without.
inline bool ablated(const char* specialisation) {
    const char* off = environment_text("ACLTWIN_ABLATE");
    return off != nullptr && std::string(off) == specialisation;
}
#else
constexpr bool ablated(const char*) { return false; }
#endif

}  // namespace acltwin
