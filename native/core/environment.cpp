#include "core/environment.h"

#include <cerrno>
#include <cstdlib>
#include <mutex>

namespace acltwin {
namespace {

std::mutex& problem_mutex() {
    static std::mutex* mutex = new std::mutex;  // used during static initialisation, so it must not depend on its order
    return *mutex;
}

std::string& problem() {
    static std::string* text = new std::string;
    return *text;
}

}  // namespace

void report_environment_problem(const std::string& text) {
    std::lock_guard<std::mutex> lock(problem_mutex());
    if (problem().empty()) problem() = text;
}

std::string environment_problem() {
    std::lock_guard<std::mutex> lock(problem_mutex());
    return problem();
}

int64_t environment_number(const char* variable, int64_t least, int64_t most, int64_t otherwise) {
    const char* text = std::getenv(variable);
    if (text == nullptr || *text == '\0') return otherwise;
    char* end = nullptr;
    errno = 0;
    const long long value = std::strtoll(text, &end, 10);
    if (errno == 0 && *end == '\0' && value >= least && value <= most) return value;
    report_environment_problem(std::string(variable) + " is '" + text + "', expected a whole number from " +
                               std::to_string(least) + " to " + std::to_string(most) + "; correct it or unset it");
    return otherwise;
}

}  // namespace acltwin
