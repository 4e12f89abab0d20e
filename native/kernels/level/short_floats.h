// float16 and bfloat16: widening is exact, narrowing rounds to nearest even, a NaN keeps sign and upper payload.
#pragma once

#include "kernels/level/machine.h"

namespace acltwin::ACLTWIN_LEVEL {

struct Half {
    uint16_t bits;
};
struct BFloat {
    uint16_t bits;
};

ACLTWIN_INLINE Float widen(Short bits, Half) { return widen_half(bits); }
ACLTWIN_INLINE Short narrow(Float value, Half) { return narrow_half(value); }

ACLTWIN_INLINE Float widen(Short bits, BFloat) { return bit_cast<Float>(widen_words(bits) << 16); }

// To bfloat16, in the upper halves; the lower ones hold what is left of rounding. A NaN is not rounded, because every
// NaN that sums of bfloat16 can give has zeros in its lower half.
ACLTWIN_INLINE Word round_words(Float value) {
    const Word x = bit_cast<Word>(value);
    return x + 0x7fffu + ((x >> 16) & 1u);
}
ACLTWIN_INLINE Short narrow(Float value, BFloat) { return narrow_words(round_words(value + opaque_nothing()) >> 16); }

// A sum that was formed from its first term on, as if it had started from +0.0: -0.0 becomes +0.0, a NaN quiet.
template <class V>
ACLTWIN_INLINE V from_zero(V sum) {
    return sum + V{};
}
ACLTWIN_INLINE Short narrow_sum(Float sum, Half) { return narrow_half(from_zero(sum)); }
ACLTWIN_INLINE Short narrow_sum(Float sum, BFloat) { return narrow_words(round_words(from_zero(sum)) >> 16); }

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
ACLTWIN_INLINE void store_sums(BFloat* p, const Pairs& pairs) {
    const Word words = round_words(from_zero(pairs.even)) >> 16 | (round_words(from_zero(pairs.odd)) & 0xffff0000u);
    memcpy(p, &words, sizeof words);
}

}  // namespace acltwin::ACLTWIN_LEVEL
