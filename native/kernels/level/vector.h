// The vector types of this instruction-set level, written once for all levels.
//
// Everything here lives in a namespace named after the level: an inline function that the compiler emits out of line
// must never be shared with another level, or an older CPU would meet instructions it does not have.
// For the same reason no standard container or algorithm is used in this folder.
#pragma once

#include <cstdint>
#include <cstring>

#include "kernels/dispatch.h"

#ifndef ACLTWIN_LEVEL
#error "compile with -DACLTWIN_LEVEL=<namespace of the level>"
#endif

#define ACLTWIN_NOINLINE __attribute__((noinline))

namespace acltwin::ACLTWIN_LEVEL {

#if defined(__AVX2__)
constexpr int kLanes = 8;
#else
constexpr int kLanes = 4;
#endif

// Whether code for single cases is worth its size. x86-64-v2 is for old machines, and has to be right rather than
// quick.
#if defined(__x86_64__) && !defined(__AVX2__)
constexpr bool kSpecialised = false;
#else
constexpr bool kSpecialised = true;
#endif

typedef float Float __attribute__((vector_size(kLanes * 4)));    // kLanes float32
typedef double Double __attribute__((vector_size(kLanes * 4)));  // kLanes / 2 float64
typedef int32_t Int __attribute__((vector_size(kLanes * 4)));    // also what a comparison of Floats gives
typedef uint32_t Word __attribute__((vector_size(kLanes * 4)));
typedef uint16_t Short __attribute__((vector_size(kLanes * 2)));

// The type that sums are kept in, and how many of them fill one vector.
template <class T>
struct Sum {
    typedef float Scalar;
    typedef Float Vector;
};
template <>
struct Sum<double> {
    typedef double Scalar;
    typedef Double Vector;
};
template <class T>
constexpr int kLanesOf = int(sizeof(typename Sum<T>::Vector) / sizeof(typename Sum<T>::Scalar));

template <class To, class From>
ACLTWIN_INLINE To bit_cast(const From& from) {
    static_assert(sizeof(To) == sizeof(From), "sizes differ");
    To to;
    memcpy(&to, &from, sizeof to);
    return to;
}

ACLTWIN_INLINE int64_t min64(int64_t a, int64_t b) { return a < b ? a : b; }
ACLTWIN_INLINE int64_t max64(int64_t a, int64_t b) { return a > b ? a : b; }

}  // namespace acltwin::ACLTWIN_LEVEL
