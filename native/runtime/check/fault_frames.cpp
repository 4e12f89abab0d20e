#include "runtime/check/fault_frames.h"

#include <ucontext.h>
#include <unwind.h>

namespace acltwin::check {
namespace {

struct Walk {
    uintptr_t from;
    uintptr_t* frames;
    int count = 0;
    bool found = false;
};

_Unwind_Reason_Code add_frame(_Unwind_Context* context, void* data) {
    Walk& walk = *static_cast<Walk*>(data);
    const uintptr_t address = uintptr_t(_Unwind_GetIP(context));
    // Frames are return addresses, and the first one is where the fault is.
    const bool is_first = !walk.found && address == walk.from;
    walk.found = walk.found || is_first;
    if (walk.found && address != 0) walk.frames[walk.count++] = address + (is_first ? 1 : 0);
    return address != 0 && walk.count < kMostFaultFrames ? _URC_NO_REASON : _URC_END_OF_STACK;
}

uintptr_t program_counter(const void* context) {
#if defined(__x86_64__)
    return uintptr_t(static_cast<const ucontext_t*>(context)->uc_mcontext.gregs[REG_RIP]);
#elif defined(__aarch64__)
    return uintptr_t(static_cast<const ucontext_t*>(context)->uc_mcontext.pc);
#else
    return static_cast<void>(context), 0;
#endif
}

}  // namespace

int fault_frames(const void* context, uintptr_t (&frames)[kMostFaultFrames]) {
    Walk walk = {program_counter(context), frames};
    _Unwind_Backtrace(add_frame, &walk);
    return walk.count;
}

}  // namespace acltwin::check
