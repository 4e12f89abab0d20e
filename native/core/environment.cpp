#include "core/environment.h"

#include <atomic>
#include <cerrno>
#include <cstdlib>

namespace acltwin {
namespace {

// Written once, and used during static initialisation: constant before, never destroyed, and nothing a fork could find
// locked.
std::atomic<const std::string*> problem{nullptr};

}  // namespace

void report_environment_problem(const std::string& text) {
    const auto* fresh = new std::string(text);
    const std::string* none = nullptr;
    if (!problem.compare_exchange_strong(none, fresh)) delete fresh;
}

std::string environment_problem() {
    const std::string* text = problem.load();
    return text != nullptr ? *text : std::string();
}

const char* environment_text(const char* variable) {
    const char* text = std::getenv(variable);
    return text != nullptr && *text != '\0' ? text : nullptr;
}

int64_t read_number(const char* variable, int64_t least, int64_t most, int64_t otherwise, std::string* problem) {
    const char* text = environment_text(variable);
    if (text == nullptr) return otherwise;
    char* end = nullptr;
    errno = 0;
    const long long value = std::strtoll(text, &end, 10);
    if (errno == 0 && *end == '\0' && value >= least && value <= most) return value;
    *problem = std::string(variable) + " is '" + text + "', expected a whole number from " + std::to_string(least) +
               " to " + std::to_string(most) + "; correct it or unset it";
    return otherwise;
}

int64_t environment_number(const char* variable, int64_t least, int64_t most, int64_t otherwise) {
    std::string found;
    const int64_t value = read_number(variable, least, most, otherwise, &found);
    if (!found.empty()) report_environment_problem(found);
    return value;
}

}  // namespace acltwin
