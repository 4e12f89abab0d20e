#include "runtime/error.h"

#include <cstdio>
#include <cstring>

#include "core/environment.h"
#include "core/export.h"
#include "runtime/instance.h"

// For debuggers: a breakpoint here stops at every call that fails, with what will be its message.
extern "C" ACLTWIN_API __attribute__((noinline)) void acltwin_refused(const char* message) {
    asm volatile("" : : "r"(message) : "memory");
}

namespace acltwin {
namespace {

struct Messages {
    std::string pending;
    std::string handed_out;  // what aclGetRecentErrMsg returned last; the caller may still read it
};

thread_local Messages messages;

// Our own switch, and the vendor's.
const bool is_logged = [] {
    const char* vendor = environment_text("ASCEND_SLOG_PRINT_TO_STDOUT");
    return environment_number("ACLTWIN_LOG", 0, 1, 0) == 1 || (vendor != nullptr && std::strcmp(vendor, "1") == 0);
}();

// Messages stand in the vendor's frames, because log filters look for them.
const char* frame_of(int code) {
    if (code / 1000 == 161) return "AclNN_Parameter_Error(EZ1001)";
    if (code / 1000 == 561) return "AclNN_Inner_Error(EZ9999)";
    return "AclNN_Runtime_Error(EZ9903)";
}

}  // namespace

Failure out_of_memory() noexcept {
    try {
        return refuse(ACL_ERROR_BAD_ALLOC,
                      "the system has no memory left; free blocks and tensors, or use smaller ones");
    } catch (const std::exception&) {
        return {ACL_ERROR_BAD_ALLOC, "", {}};  // not even for the message
    }
}

Failure unexpected(const std::exception& error) noexcept {
    try {
        return refuse(ACL_ERROR_INTERNAL_ERROR, "unexpected failure '", error.what(),
                      "'; this is a mistake of the library, please report it");
    } catch (const std::exception&) {
        return {ACL_ERROR_INTERNAL_ERROR, "", {}};
    }
}

int remember(const char* function, const Failure& failure) noexcept {
    if (check::on) check::refused(function, failure);
    try {
        std::string text = failure.text;
        if (std::strcmp(failure.rule, "one_runtime") != 0) text += other_runtime_note();
        messages.pending = sentence(frame_of(failure.code), ": ", function, ": ", text, " [", failure.code);
        if (*failure.rule != '\0') messages.pending += sentence(", rule ", failure.rule);
        messages.pending += "]";
        if (is_logged) std::fprintf(stderr, "acltwin: %s\n", messages.pending.c_str());
        acltwin_refused(messages.pending.c_str());
    } catch (const std::exception&) {
        // No memory for the message; the code still tells.
    }
    return failure.code;
}

}  // namespace acltwin

const char* aclGetRecentErrMsg(void) {
    using acltwin::messages;
    if (messages.pending.empty()) return nullptr;
    if (acltwin::check::on) acltwin::check::message_read();
    messages.handed_out.swap(messages.pending);
    messages.pending.clear();
    return messages.handed_out.c_str();
}
