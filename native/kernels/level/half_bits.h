// float16 by calculation on its bits, for machines without conversion instructions; it agrees with those bit for bit.
#pragma once

#include "kernels/level/vector.h"

namespace acltwin::ACLTWIN_LEVEL {

ACLTWIN_INLINE Float widen_half_bits(Short bits) {
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

ACLTWIN_INLINE Short narrow_half_bits(Float value) {
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

}  // namespace acltwin::ACLTWIN_LEVEL
