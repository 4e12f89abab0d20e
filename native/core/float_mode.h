// Results must not depend on the caller's rounding or flush-to-zero settings, which other libraries change.
#pragma once

#include <cstdint>

#if defined(__x86_64__)
#include <immintrin.h>
#endif

namespace acltwin {

// Sets the default floating-point mode and restores the caller's at the end of the scope.
class FloatMode {
public:
    FloatMode() : saved_(get()) {
        if (saved_ != kDefault) set(kDefault);
    }
    ~FloatMode() {
        if (saved_ != kDefault) set(saved_);
    }
    FloatMode(const FloatMode&) = delete;
    FloatMode& operator=(const FloatMode&) = delete;

    static void set_default() { set(kDefault); }

private:
#if defined(__x86_64__)
    typedef unsigned Mode;
    static constexpr Mode kDefault = 0x1f80;
    static Mode get() { return _mm_getcsr() & ~0x3fu; }  // without the sticky exception flags
    static void set(Mode mode) { _mm_setcsr(mode); }
#elif defined(__aarch64__)
    typedef uint64_t Mode;
    static constexpr Mode kDefault = 0;
    static Mode get() {
        Mode mode;
        asm volatile("mrs %0, fpcr" : "=r"(mode));
        return mode;
    }
    static void set(Mode mode) { asm volatile("msr fpcr, %0" : : "r"(mode)); }
#else
    typedef int Mode;
    static constexpr Mode kDefault = 0;
    static Mode get() { return kDefault; }
    static void set(Mode) {}
#endif
    Mode saved_;
};

}  // namespace acltwin
