#include "runtime/error.h"

namespace acltwin {
namespace {

struct Messages {
    std::string pending;
    std::string handed_out;  // what aclGetRecentErrMsg returned last; the caller may still read it
};

thread_local Messages messages;

// Messages stand in the vendor's frames, because log filters look for them.
const char* frame_of(int code) {
    switch (code / 100000) {
        case 1: return code >= 161000 ? "AclNN_Parameter_Error(EZ1001)" : "ACL_Parameter_Error(EH0001)";
        case 3: return "AclNN_Runtime_Error(EZ9903)";
        case 5: return code >= 561000 ? "AclNN_Inner_Error(EZ9999)" : "AclNN_Runtime_Error(EZ9903)";
        default: return "AclNN_Runtime_Error(EZ9903)";
    }
}

}  // namespace

int remember(const char* function, const Failure& failure) noexcept {
    try {
        messages.pending = sentence(frame_of(failure.code), ": ", function, ": ", failure.text, " [", failure.code);
        if (*failure.rule != '\0') messages.pending += sentence(", rule ", failure.rule);
        messages.pending += "]";
    } catch (const std::exception&) {
        // No memory for the message; the code still tells.
    }
    return failure.code;
}

}  // namespace acltwin

const char* aclGetRecentErrMsg(void) {
    using acltwin::messages;
    if (messages.pending.empty()) return nullptr;
    messages.handed_out.swap(messages.pending);
    messages.pending.clear();
    return messages.handed_out.c_str();
}
