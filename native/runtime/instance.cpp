#include "runtime/instance.h"

#include <dlfcn.h>

#include <atomic>
#include <cstdio>
#include <cstring>

#include "core/export.h"
#include "runtime/error.h"

// The file of the copy that is the process's runtime; null until one is. The loader makes a symbol of this type one for
// all files that define it, however they were loaded (Python loads everything RTLD_LOCAL); a fork inherits it.
// Compilers have no common way to ask for the type, assemblers do.
asm(R"(
    .pushsection .bss.acltwin_process_runtime, "aw", %nobits
    .globl _ZN7acltwin15process_runtimeE
    .type _ZN7acltwin15process_runtimeE, %gnu_unique_object
    .size _ZN7acltwin15process_runtimeE, 8
    .balign 8
_ZN7acltwin15process_runtimeE:
    .zero 8
    .popsection
)");

namespace acltwin {

extern ACLTWIN_API std::atomic<const char*> process_runtime;
static_assert(sizeof(process_runtime) == 8, "as the assembler was told");

namespace {

const char* find_own_file() {
    Dl_info info{};
    const bool found = dladdr(reinterpret_cast<const void*>(&find_own_file), &info) != 0 && info.dli_fname != nullptr;
    return strdup(found ? info.dli_fname : "(a file without a name)");
}

// Its address tells the copies apart. Found at load: a fork could catch a first use half way.
const char* const own_file = find_own_file();

// Null while there is none, or when it is this one.
const char* other_runtime() {
    const char* file = process_runtime.load(std::memory_order_acquire);
    return file == own_file ? nullptr : file;
}

// Programs that look at no status at all would otherwise never know.
void warn_once(const std::string& message) {
    static std::atomic<bool> warned{false};
    if (!warned.exchange(true)) std::fprintf(stderr, "acltwin: %s\n", message.c_str());
}

std::string describe(const char* other) {
    std::string message = sentence(
        "this process has two copies of acltwin's library, and the other one, ", other,
        ", is its runtime already; this one is ", own_file,
        ". Handles and blocks of one mean nothing to the other: load one file. A tree written by 'acltwin sdk DIR' "
        "without --copy links to the package's own file; ACLTWIN_LIBRARY makes acltwin.acl use another one");
    warn_once(message);
    return message;
}

}  // namespace

Failure claim_process() {
    if (process_runtime.load(std::memory_order_acquire) == nullptr) {
        const char* nobody = nullptr;
        process_runtime.compare_exchange_strong(nobody, own_file, std::memory_order_acq_rel);
    }
    const char* other = other_runtime();
    return other == nullptr ? Failure{} : refuse_by("one_runtime", ACL_ERROR_FEATURE_UNSUPPORTED, describe(other));
}

std::string other_runtime_note() {
    const char* other = other_runtime();
    return other == nullptr ? std::string() : sentence(". The reason may be that ", describe(other));
}

}  // namespace acltwin
