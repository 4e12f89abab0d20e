// Nothing here may need more than the oldest CPU has: it runs before anything is known about this one.
#include "kernels/dispatch.h"

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>

#include "core/environment.h"

#if defined(__x86_64__)
#include <cpuid.h>
#endif

namespace acltwin {
namespace {

struct Name {
    Level level;
    const char* text;
};

#if defined(ACLTWIN_ONE_LEVEL)
constexpr Name kNames[] = {{Level::v3, "x86-64-v3"}};
#elif defined(__x86_64__)
constexpr Name kNames[] = {{Level::v3, "x86-64-v3"}, {Level::v2, "x86-64-v2"}};
#else
constexpr Name kNames[] = {{Level::baseline, "baseline"}};
#endif

#if defined(__x86_64__)
// What compilers do not all have a name for.
struct MoreFeatures {
    bool movbe = false, f16c = false, lzcnt = false;

    MoreFeatures() {
        unsigned a, b, c, d;
        if (__get_cpuid(1, &a, &b, &c, &d) != 0) {
            movbe = (c & bit_MOVBE) != 0;
            f16c = (c & bit_F16C) != 0;
        }
        if (__get_cpuid(0x80000001u, &a, &b, &c, &d) != 0) lzcnt = (c & bit_LZCNT) != 0;
    }
};

bool has_v2() {
    return __builtin_cpu_supports("sse3") && __builtin_cpu_supports("ssse3") && __builtin_cpu_supports("sse4.1") &&
           __builtin_cpu_supports("sse4.2") && __builtin_cpu_supports("popcnt");
}
bool has_v3() {
    const MoreFeatures more;
    return has_v2() && __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") &&
           __builtin_cpu_supports("bmi") && __builtin_cpu_supports("bmi2") && more.movbe && more.f16c && more.lzcnt;
}
#endif

Level choose() {
#if defined(__x86_64__)
    __builtin_cpu_init();
#endif
    const char* forced = environment_text("ACLTWIN_ISA");
    std::string choices;
    Level best = Level::none;
    bool exists = false;
    for (const Name& name : kNames) {
        const bool wanted = forced != nullptr && std::strcmp(forced, name.text) == 0;
        exists = exists || wanted;
        if (!level_supported(name.level)) continue;
        if (wanted) return name.level;
        if (choices.empty()) best = name.level;
        choices += (choices.empty() ? "" : " or ") + std::string(name.text);
    }
    if (best != Level::none && forced != nullptr)
        report_environment_problem("ACLTWIN_ISA is '" + std::string(forced) + "', a level that " +
                                   (exists ? "this CPU cannot run" : "this library does not have") + ", expected " +
                                   choices + "; choose one of these or unset it");
    return best;
}

const Level chosen = choose();

}  // namespace

bool level_supported(Level level) {
#if defined(__x86_64__)
    if (level == Level::v3) return has_v3();
    return level == Level::v2 && has_v2();
#else
    return level == Level::baseline;
#endif
}

const char* cpu_problem() {
    if (chosen != Level::none) return nullptr;
    return "this CPU lacks instructions of x86-64-v2 (SSE3 to SSE4.2, POPCNT), expected a CPU that has them; run it on "
           "one from 2009 or later, or let the virtual machine show them";
}

Level level() {
    if (const char* problem = cpu_problem()) {
        std::fprintf(stderr, "acltwin: %s\n", problem);
        std::abort();
    }
    return chosen;
}

const char* level_name() {
    for (const Name& name : kNames)
        if (name.level == chosen) return name.text;
    return "none";
}

}  // namespace acltwin
