// aclInit, aclFinalize and their aclnn namesakes. Nothing else asks whether they were called: what gates the runtime is
// the context (context.h).
#include <cstdint>
#include <fstream>
#include <iterator>
#include <mutex>

#include "acl/acl.h"
#include "runtime/error.h"
#include "runtime/instance.h"
#include "runtime/json.h"
#include "runtime/options.h"

namespace acltwin {
namespace {

std::mutex initialise_mutex;
uint64_t initialised = 0;  // how often aclInit was called since the last aclFinalize

Failure check_config(const char* path) {
    if (path == nullptr || *path == '\0') return {};
    std::ifstream file(path, std::ios::binary);
    const std::string text{std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
    if (!file.is_open() || file.bad())
        return refuse(ACL_ERROR_INVALID_FILE, "configPath '", path,
                      "' cannot be read, expected a JSON file; correct the path, or pass null for no configuration");
    if (!is_json(text))
        return refuse(ACL_ERROR_PARSE_FILE, "configPath '", path,
                      "' is not JSON; correct the file ({} is enough), or pass null for no configuration");
    return {};
}

Failure initialise(const char* config_path) {
    std::lock_guard<std::mutex> lock(initialise_mutex);
    if (initialised > 0) {
        ++initialised;
        return refuse(ACL_ERROR_REPEAT_INITIALIZE, "already initialised, this is call ", initialised,
                      "; call aclInit once per process, or aclFinalize first");
    }
    if (Failure failure = claim_process()) return failure;
    if (Failure failure = check_config(config_path)) return failure;
    read_options_again();
    const Options chosen = options();
    if (!chosen.problem.empty()) return refuse(ACL_ERROR_INVALID_PARAM, chosen.problem);
    initialised = 1;
    return {};
}

// Takes back one call of aclInit, or all of them.
Failure finalise(bool all, uint64_t* left) {
    std::lock_guard<std::mutex> lock(initialise_mutex);
    if (initialised == 0)
        return refuse(ACL_ERROR_REPEAT_FINALIZE, "not initialised; call aclInit before, and aclFinalize only once");
    initialised = all ? 0 : initialised - 1;
    if (left != nullptr) *left = initialised;
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
        if (refCount == nullptr) return refuse(ACL_ERROR_INVALID_PARAM, "refCount is null, expected an address");
        return finalise(false, refCount);
    });
}

// The operators need nothing beyond the runtime; programs call these two all the same.
aclnnStatus aclnnInit(const char* configPath) {
    return answer(__func__, [&] { return check_config(configPath); });
}

aclnnStatus aclnnFinalize(void) { return ACLNN_SUCCESS; }
