// The names that a variable can have: one that is misspelt would otherwise be ignored without a word.
#include <algorithm>
#include <atomic>
#include <cctype>
#include <cstring>
#include <string>
#include <vector>

#include "core/environment.h"

extern char** environ;

namespace acltwin {
namespace {

const char kPrefix[] = "ACLTWIN_";

// Every variable that some part of the project reads, in the library, in Python or in its tests.
const char* const kKnown[] = {
    "ACLTWIN_CHECK",
    "ACLTWIN_CHECK_LOG",
    "ACLTWIN_CHECK_QUIET",
    "ACLTWIN_CHECK_SUPPRESS",
    "ACLTWIN_DEVICES",
    "ACLTWIN_DOCUMENTS",
    "ACLTWIN_ISA",
    "ACLTWIN_JAX_ENGINE",
    "ACLTWIN_LIBRARY",
    "ACLTWIN_LOG",
    "ACLTWIN_NUM_THREADS",
    "ACLTWIN_OUTPUT_POOL_MIB",
    "ACLTWIN_PROFILE",
    "ACLTWIN_SOC",
    "ACLTWIN_STRESS_SECONDS",
    "ACLTWIN_VERBOSE",
};

std::string in_capitals(std::string text) {
    for (char& letter : text) letter = char(std::toupper(static_cast<unsigned char>(letter)));
    return text;
}

// How many letters to insert, delete or replace to turn one word into the other.
size_t distance(const std::string& left, const std::string& right) {
    std::vector<size_t> row(right.size() + 1);
    for (size_t j = 0; j < row.size(); ++j) row[j] = j;
    for (size_t i = 1; i <= left.size(); ++i) {
        size_t diagonal = row[0];
        row[0] = i;
        for (size_t j = 1; j <= right.size(); ++j) {
            const size_t replaced = diagonal + (left[i - 1] == right[j - 1] ? 0 : 1);
            diagonal = row[j];
            row[j] = std::min({replaced, row[j] + 1, row[j - 1] + 1});
        }
    }
    return row.back();
}

const char* nearest(const std::string& name) {
    return *std::min_element(std::begin(kKnown), std::end(kKnown), [&](const char* left, const char* right) {
        return distance(name, left) < distance(name, right);
    });
}

std::string warning() {
    constexpr size_t kLongest = 64;  // of a name that is compared and printed
    std::string text;
    for (char** entry = environ; entry != nullptr && *entry != nullptr; ++entry) {
        const char* end = std::strchr(*entry, '=');
        if (end == nullptr || size_t(end - *entry) > kLongest) continue;
        const std::string name(*entry, size_t(end - *entry));
        const std::string spelled = in_capitals(name);
        if (spelled.compare(0, std::strlen(kPrefix), kPrefix) != 0) continue;
        if (std::find(std::begin(kKnown), std::end(kKnown), name) != std::end(kKnown)) continue;
        if (!text.empty()) text += ". ";
        text += "the environment variable " + name + " is not one that acltwin knows, so it is ignored; did you mean " +
                nearest(spelled) + "? Correct the name or unset it";
    }
    return text;
}

std::atomic<bool> taken{false};

}  // namespace

std::string take_environment_warning() { return taken.exchange(true) ? std::string() : warning(); }

}  // namespace acltwin
