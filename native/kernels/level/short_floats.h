// float16 and bfloat16: widening is exact, narrowing rounds to nearest even, a NaN keeps sign and upper payload.
#pragma once

#include "kernels/level/vector.h"

namespace acltwin::ACLTWIN_LEVEL {

struct Half {
    uint16_t bits;
};
struct BFloat {
    uint16_t bits;
};

// The vector forms below serve every machine without conversion instructions; they agree with those bit for bit.
ACLTWIN_INLINE Float widen_generic(Short bits, Half) {
    const Word h = __builtin_convertvector(bits, Word);
    const Word sign = (h & 0x8000u) << 16, rest = (h & 0x7fffu) << 13;
    const Word normal = rest + (112u << 23);
    // A subnormal half is a small integer times 2^-24; the product is exact.
    const Word subnormal = bit_cast<Word>(__builtin_convertvector(bit_cast<Int>(h & 0x3ffu), Float) * 0x1p-24f);
    const Word special = (rest + (224u << 23)) | (((h & 0x3ffu) != 0) & 0x400000u);
    const Word exponent = h & 0x7c00u;
    const Word is_sub = bit_cast<Word>(exponent == 0), is_special = bit_cast<Word>(exponent == 0x7c00u);
    return bit_cast<Float>(sign | (is_sub & subnormal) | (is_special & special) | (~(is_sub | is_special) & normal));
}

ACLTWIN_INLINE Short narrow_generic(Float value, Half) {
    const Word x = bit_cast<Word>(value);
    const Word sign = (x >> 16) & 0x8000u, a = x & 0x7fffffffu;
    const Word normal = (a + 0xfffu + ((a >> 13) & 1u) - 0x38000000u) >> 13;
    // Adding 0.5 leaves the rounded multiple of 2^-24 in the low bits.
    const Word subnormal = bit_cast<Word>(bit_cast<Float>(a) + 0.5f) - 0x3f000000u;
    const Word nan = 0x7e00u | ((a >> 13) & 0x3ffu);
    const Word is_sub = bit_cast<Word>(a < 0x38800000u), is_nan = bit_cast<Word>(a > 0x7f800000u);
    const Word is_inf = bit_cast<Word>(a >= 0x477ff000u) & ~is_nan;
    const Word r = (is_sub & subnormal) | (is_nan & nan) | (is_inf & 0x7c00u) | (~(is_sub | is_nan | is_inf) & normal);
    return __builtin_convertvector(sign | r, Short);
}

// All of a vector at once: left to itself, gcc 12 takes it apart and puts it together again.
ACLTWIN_INLINE Word widen_words(Short bits) {
#if defined(__AVX2__)
    return bit_cast<Word>(_mm256_cvtepu16_epi32(bit_cast<__m128i>(bits)));
#else
    return __builtin_convertvector(bits, Word);
#endif
}

ACLTWIN_INLINE Float widen(Short bits, BFloat) { return bit_cast<Float>(widen_words(bits) << 16); }

// -0.0, which the compiler does not know: adding it makes a NaN quiet and changes nothing else.
ACLTWIN_INLINE Float opaque_nothing() {
    float nothing = -0.0f;
#if defined(__x86_64__)
    asm("" : "+x"(nothing));
#else
    asm("" : "+m"(nothing));
#endif
    return nothing - Float{};
}

// To bfloat16, in the upper halves; the lower ones hold what is left of rounding. A NaN is not rounded, because every
// NaN that sums of bfloat16 can give has zeros in its lower half.
ACLTWIN_INLINE Word round_words(Float value) {
    const Word x = bit_cast<Word>(value + opaque_nothing());
    return x + 0x7fffu + ((x >> 16) & 1u);
}
ACLTWIN_INLINE Short narrow(Float value, BFloat) {
    const Word words = round_words(value) >> 16;
#if defined(__AVX2__)
    const __m256i all = bit_cast<__m256i>(words);
    return bit_cast<Short>(_mm_packus_epi32(_mm256_castsi256_si128(all), _mm256_extracti128_si256(all, 1)));
#else
    return __builtin_convertvector(words, Short);
#endif
}

#if defined(__F16C__)
ACLTWIN_INLINE Float widen(Short bits, Half) { return bit_cast<Float>(_mm256_cvtph_ps(bit_cast<__m128i>(bits))); }
ACLTWIN_INLINE Short narrow(Float value, Half) {
    return bit_cast<Short>(_mm256_cvtps_ph(bit_cast<__m256>(value), _MM_FROUND_TO_NEAREST_INT));
}
#else
ACLTWIN_INLINE Float widen(Short bits, Half h) { return widen_generic(bits, h); }
ACLTWIN_INLINE Short narrow(Float value, Half h) { return narrow_generic(value, h); }
#endif

// Neighbouring bfloat16, two by two: they are a word, whose halves are two float32 as they stand. No lane moves.
struct Pairs {
    Float even, odd;
};
ACLTWIN_INLINE Pairs operator+(const Pairs& a, const Pairs& b) { return {a.even + b.even, a.odd + b.odd}; }
ACLTWIN_INLINE Pairs load_pairs(const BFloat* p) {
    Word words;
    memcpy(&words, p, sizeof words);
    return {bit_cast<Float>(words << 16), bit_cast<Float>(words & 0xffff0000u)};
}
ACLTWIN_INLINE void store_pairs(BFloat* p, const Pairs& pairs) {
    const Word words = round_words(pairs.even) >> 16 | (round_words(pairs.odd) & 0xffff0000u);
    memcpy(p, &words, sizeof words);
}

}  // namespace acltwin::ACLTWIN_LEVEL
