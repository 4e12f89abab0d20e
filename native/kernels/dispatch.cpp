#include "kernels/dispatch.h"

#include <cstdlib>
#include <cstring>
#include <string>

#include "core/environment.h"

namespace acltwin {
namespace {

struct Name {
    Level level;
    const char* text;
};

#if defined(__x86_64__)
constexpr Name kNames[] = {{Level::v3, "x86-64-v3"}, {Level::v2, "x86-64-v2"}};
#else
constexpr Name kNames[] = {{Level::baseline, "baseline"}};
#endif

Level choose() {
    const char* forced = std::getenv("ACLTWIN_ISA");
    std::string choices;
    Level best = Level::baseline;
    for (const Name& name : kNames) {
        if (!level_supported(name.level)) continue;
        if (forced != nullptr && std::strcmp(forced, name.text) == 0) return name.level;
        if (choices.empty()) best = name.level;
        choices += (choices.empty() ? "" : ", ") + std::string(name.text);
    }
    if (forced != nullptr && *forced != '\0')
        report_environment_problem("ACLTWIN_ISA is '" + std::string(forced) + "', this CPU can run " + choices +
                                   "; choose one of these or unset it");
    return best;
}

const Level chosen = choose();

}  // namespace

bool level_supported(Level level) {
#if defined(__x86_64__)
    switch (level) {
        case Level::v3: return __builtin_cpu_supports("x86-64-v3");
        case Level::v2: return __builtin_cpu_supports("x86-64-v2");
        case Level::baseline: return false;
    }
#endif
    return level == Level::baseline;
}

Level level() { return chosen; }

const char* level_name() {
    for (const Name& name : kNames)
        if (name.level == chosen) return name.text;
    return "baseline";
}

}  // namespace acltwin
