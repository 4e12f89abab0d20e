// aclInit, aclFinalize and their aclnn namesakes. Nothing else asks whether they were called: what gates the runtime is
// the context (context.h).
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdint>
#include <cstring>

#include "acl/acl.h"
#include "runtime/error.h"
#include "runtime/instance.h"
#include "runtime/lock.h"
#include "runtime/options.h"

namespace acltwin {
namespace {

uint64_t initialised = 0;  // how often aclInit was called since the last aclFinalize; guarded by the runtime's lock

constexpr size_t kMostConfigBytes = size_t(1) << 20;

class File {
public:
    // Not blocking: a pipe without a writer would keep us waiting, and is refused anyway.
    explicit File(const char* path) : descriptor_(open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)) {}
    ~File() {
        if (descriptor_ >= 0) close(descriptor_);
    }
    File(const File&) = delete;
    File& operator=(const File&) = delete;

    bool is_open() const { return descriptor_ >= 0; }
    bool is_regular() const {
        struct stat status;
        return fstat(descriptor_, &status) == 0 && S_ISREG(status.st_mode);
    }
    // Up to `most` bytes; false when the system refuses, for the reason in errno.
    bool read_into(std::string* text, size_t most) const {
        char part[4096];
        while (text->size() < most) {
            const ssize_t bytes = read(descriptor_, part, std::min(sizeof part, most - text->size()));
            if (bytes == 0) return true;
            if (bytes < 0 && errno != EINTR) return false;
            if (bytes > 0) text->append(part, size_t(bytes));
        }
        return true;
    }

private:
    const int descriptor_;
};

Failure unusable_config(const char* path, const char* why) {
    return refuse(ACL_ERROR_INVALID_FILE, "configPath '", path, "' ", why,
                  ", expected a JSON file; correct the path, or pass null for no configuration");
}

// The values are not used, so a look at both ends is enough to tell a JSON object from another file.
bool looks_like_object(const std::string& text) {
    const size_t first = text.find_first_not_of(" \t\r\n"), last = text.find_last_not_of(" \t\r\n");
    return first != last && text[first] == '{' && text[last] == '}';
}

Failure check_config(const char* path) {
    if (path == nullptr || *path == '\0') return {};
    const File file(path);
    std::string text;
    if (!file.is_open()) return unusable_config(path, sentence("cannot be opened (", strerror(errno), ")").c_str());
    if (!file.is_regular()) return unusable_config(path, "is not a file but a directory, a pipe or a device");
    if (!file.read_into(&text, kMostConfigBytes + 1))
        return unusable_config(path, sentence("cannot be read (", strerror(errno), ")").c_str());
    if (text.size() > kMostConfigBytes)
        return unusable_config(path, sentence("has more than ", kMostConfigBytes, " bytes").c_str());
    if (!looks_like_object(text))
        return refuse(
            ACL_ERROR_PARSE_FILE, "configPath '", path,
            "' is not a JSON object, which begins with { and ends with }; correct the file ({} is enough), or "
            "pass null for no configuration");
    return {};
}

Failure check_first_call(const Lock&) {
    if (initialised == 0) return {};
    ++initialised;
    return refuse(ACL_ERROR_REPEAT_INITIALIZE, "already initialised, this is call ", initialised,
                  ", expected one; call aclInit once per process, or aclFinalize first");
}

Failure initialise(const char* config_path) {
    if (Failure failure = check_first_call(lock_runtime())) return failure;
    if (Failure failure = claim_process()) return failure;
    if (Failure failure = check_config(config_path)) return failure;
    const Lock lock = lock_runtime();
    if (Failure failure = check_first_call(lock)) return failure;  // another thread may have been faster
    read_options_again(lock);
    if (!options(lock).problem.empty()) return refuse(ACL_ERROR_INVALID_PARAM, options(lock).problem);
    initialised = 1;
    if (check::on) check::initialised();
    return {};
}

// Takes back one call of aclInit, or all of them.
Failure finalise(bool all, uint64_t* left) {
    const Lock lock = lock_runtime();
    if (initialised == 0)
        return refuse(ACL_ERROR_REPEAT_FINALIZE,
                      "not initialised, expected aclInit before it; call aclFinalize once, at the end");
    initialised = all ? 0 : initialised - 1;
    if (left != nullptr) *left = initialised;
    if (check::on && initialised == 0) check::finalised(lock);
    return {};
}

}  // namespace
}  // namespace acltwin

using namespace acltwin;

aclError aclInit(const char* configPath) {
    return answer(__func__, [&] { return initialise(configPath); });
}

aclError aclFinalize(void) {
    return answer(__func__, [] { return finalise(true, nullptr); });
}

aclError aclFinalizeReference(uint64_t* refCount) {
    return answer(__func__, [&] {
        if (refCount == nullptr)
            return refuse(ACL_ERROR_INVALID_PARAM,
                          "refCount is null, expected an address to write to; pass the address of a variable");
        return finalise(false, refCount);
    });
}

// The operators need nothing beyond the runtime; programs call these two all the same.
aclnnStatus aclnnInit(const char* configPath) {
    return answer(__func__, [&] { return check_config(configPath); });
}

aclnnStatus aclnnFinalize(void) { return ACLNN_SUCCESS; }
