// Obvious conversions of float16 and bfloat16 for the tests: one number at a time, through double, by the definition.
// float64 is left as it is.
#pragma once

#include <cmath>
#include <cstdint>
#include <cstring>
#include <random>

#include "core/tensor.h"

namespace acltwin {

struct SmallFloat {
    int exponent_bits, fraction_bits;
};
inline SmallFloat small_float(DType dtype) { return dtype == DType::float16 ? SmallFloat{5, 10} : SmallFloat{8, 7}; }

inline double load_double(const void* element) {
    double value;
    return std::memcpy(&value, element, 8), value;
}

inline float widened(DType dtype, const void* element) {
    uint32_t word = 0;
    std::memcpy(&word, element, size_of(dtype));
    float value;
    if (dtype == DType::float32) return std::memcpy(&value, &word, 4), value;
    const SmallFloat type = small_float(dtype);
    const uint32_t fraction = word & ((1u << type.fraction_bits) - 1), sign = word >> 15;
    const int exponent = int(word >> type.fraction_bits) & ((1 << type.exponent_bits) - 1);
    const int bias = (1 << (type.exponent_bits - 1)) - 1;
    if (exponent == (1 << type.exponent_bits) - 1) {  // infinity or NaN; a NaN becomes quiet
        word = sign << 31 | 0x7f800000u | fraction << (23 - type.fraction_bits) | (fraction != 0 ? 0x400000u : 0u);
        return std::memcpy(&value, &word, 4), value;
    }
    const double magnitude =
        exponent == 0 ? std::ldexp(fraction, 1 - bias - type.fraction_bits)
                      : std::ldexp((1u << type.fraction_bits) + fraction, exponent - bias - type.fraction_bits);
    return float(sign ? -magnitude : magnitude);
}

inline void store_rounded(DType dtype, float value, void* element) {
    uint32_t word;
    std::memcpy(&word, &value, 4);
    if (dtype != DType::float32) {
        const SmallFloat type = small_float(dtype);
        const uint32_t sign = word >> 31 << 15;
        const uint32_t infinity = ((1u << type.exponent_bits) - 1) << type.fraction_bits;
        const int bias = (1 << (type.exponent_bits - 1)) - 1;
        if (std::isnan(value)) {
            word = sign | infinity | 1u << (type.fraction_bits - 1) | (word & 0x7fffffu) >> (23 - type.fraction_bits);
        } else if (std::isinf(value)) {
            word = sign | infinity;
        } else {
            // The number as a multiple of its last place: nearbyint rounds to nearest even.
            const double magnitude = std::fabs(double(value));
            const int exponent = std::max(magnitude == 0 ? 1 - bias : std::ilogb(magnitude), 1 - bias);
            const double places = std::nearbyint(std::ldexp(magnitude, type.fraction_bits - exponent));
            // A carry into the next exponent, or into infinity, falls out of the addition.
            const uint32_t bits = (uint32_t(exponent + bias - 1) << type.fraction_bits) + uint32_t(places);
            word = sign | std::min(bits, infinity);
        }
    }
    std::memcpy(element, &word, size_of(dtype));
}

inline void store_rounded(DType, double value, void* element) { std::memcpy(element, &value, 8); }

// sum + value, where of two NaN the sum's own survives.
inline float add_in_order(float sum, float value) {
    uint32_t word;
    std::memcpy(&word, std::isnan(sum) ? &sum : &value, 4);
    if (!std::isnan(sum) && !std::isnan(value)) return sum + value;
    word |= 0x400000u;
    float nan;
    return std::memcpy(&nan, &word, 4), nan;
}
inline double add_in_order(double sum, double value) {
    uint64_t word;
    std::memcpy(&word, std::isnan(sum) ? &sum : &value, 8);
    if (!std::isnan(sum) && !std::isnan(value)) return sum + value;
    word |= uint64_t(1) << 51;
    return load_double(&word);
}

// Mostly ordinary numbers; now and then any bits at all: zeros of both signs, subnormals, infinities, NaN.
inline void store_special_or_random(DType dtype, void* element, std::mt19937_64& random) {
    const uint64_t bits = random();
    if (dtype == DType::float64) {
        const uint64_t any = bits % 64 == 0 ? uint64_t(1) << 63 : random();
        if (bits % 16 != 0) return store_rounded(dtype, double(int64_t(bits >> 8) % 2001 - 1000) / 63, element);
        return std::memcpy(element, &any, 8), void();
    }
    if (bits % 16 != 0) return store_rounded(dtype, float(int64_t(bits >> 8) % 2001 - 1000) / 64, element);
    uint32_t word = uint32_t(bits >> 32);
    if (bits % 64 == 0) word = dtype == DType::float32 ? 0x80000000u : 0x8000u;
    std::memcpy(element, &word, size_of(dtype));
}

}  // namespace acltwin
