// Which instruction-set level runs: the best one the CPU has, or the one ACLTWIN_ISA names.
#pragma once

#include "core/export.h"

// Never emitted out of line: the only kind of function that kernels of several levels may share.
#define ACLTWIN_INLINE inline __attribute__((always_inline))

namespace acltwin {

enum class Level { none, baseline, v2, v3 };  // baseline: any CPU that is not x86-64

Level level();                         // decided once, at load; ends the program with a message if the CPU has none
ACLTWIN_API const char* level_name();  // "x86-64-v3", ...
bool level_supported(Level level);

// Null, or why no kernel can run on this CPU: what it lacks and what is expected.
ACLTWIN_API const char* cpu_problem();

// A kernel is one function compiled in several namespaces, one per level (see level/simd.h).
//   ACLTWIN_DECLARE_KERNEL(void add_rows(const Rows& rows));     declares acltwin::v2::add_rows, ...
//   ACLTWIN_KERNEL(add_rows)(rows);                              calls the one for this machine
#if defined(ACLTWIN_ONE_LEVEL)
#define ACLTWIN_DECLARE_KERNEL(...) \
    namespace v3 {                  \
    __VA_ARGS__;                    \
    }
#define ACLTWIN_KERNEL(name) (&v3::name)
#elif defined(__x86_64__)
#define ACLTWIN_DECLARE_KERNEL(...) \
    namespace v2 {                  \
    __VA_ARGS__;                    \
    }                               \
    namespace v3 {                  \
    __VA_ARGS__;                    \
    }
#define ACLTWIN_KERNEL(name) (level() == Level::v3 ? &v3::name : &v2::name)
#else
#define ACLTWIN_DECLARE_KERNEL(...) \
    namespace baseline {            \
    __VA_ARGS__;                    \
    }
#define ACLTWIN_KERNEL(name) (&baseline::name)
#endif

}  // namespace acltwin
