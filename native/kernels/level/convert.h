// Elements of one type as those of another: by way of int64_t or double, which hold every integer and every float.
#pragma once

#include "core/tensor.h"
#include "kernels/level/simd.h"

namespace acltwin::ACLTWIN_LEVEL {

struct Bool {
    uint8_t byte;
    operator int64_t() const { return byte != 0; }
};

// As a float32 that rounds to the same 16-bit float: what does not fit is cut off, and leaves its mark in the last bit,
// so that nothing is rounded twice.
ACLTWIN_INLINE float round_to_odd(double x) {
    const float nearest = float(x);
    if (double(nearest) == x || x != x || nearest - nearest != 0) return nearest;
    const bool away = __builtin_fabs(double(nearest)) > __builtin_fabs(x);
    return bit_cast<float>((bit_cast<uint32_t>(nearest) - away) | 1);
}
ACLTWIN_INLINE float round_to_odd(int64_t x) {
    constexpr int64_t kExact = int64_t(1) << 53, kRest = 0x7ff;
    if ((x > kExact || x < -kExact) && (x & kRest) != 0) x = (x & ~kRest) | (kRest / 2 + 1);
    return round_to_odd(double(x));
}

template <class To, class Wide>
ACLTWIN_INLINE To convert_one(Wide x) {
    if constexpr (std::is_same_v<To, Half> || std::is_same_v<To, BFloat>) {
        float value = round_to_odd(x);
        // Rounding would carry through the payload of a NaN.
        if (value != value && std::is_same_v<To, BFloat>)
            value = bit_cast<float>((bit_cast<uint32_t>(value) & 0xffff0000) | 0x400000);
        return narrow<To>(value);
    } else if constexpr (std::is_same_v<To, Bool>) {
        return {uint8_t(x != 0)};
    } else {
        return To(x);
    }
}

// body(T()) for the element type.
template <class Body>
ACLTWIN_INLINE void with_any_type(DType dtype, const Body& body) {
    switch (dtype) {
        case DType::float32: return body(float());
        case DType::float16: return body(Half());
        case DType::bfloat16: return body(BFloat());
        case DType::float64: return body(double());
        case DType::boolean: return body(Bool());
        case DType::int8: return body(int8_t());
        case DType::uint8: return body(uint8_t());
        case DType::int16: return body(int16_t());
        case DType::uint16: return body(uint16_t());
        case DType::int32: return body(int32_t());
        case DType::uint32: return body(uint32_t());
        default: return body(int64_t());  // and uint64, whose conversions to integers have the same bits
    }
}

template <class T>
constexpr bool kIsInteger = std::is_integral_v<T> || std::is_same_v<T, Bool>;

constexpr int64_t kConvertedAtOnce = 256;

// to[at + i * step] = from[i] for n elements, kConvertedAtOnce at most. Floats become floats only.
ACLTWIN_NOINLINE inline void convert(DType from_type, const void* from, DType to_type, void* to, int64_t at,
                                     int64_t step, int64_t n) {
    int64_t integers[kConvertedAtOnce];
    double floats[kConvertedAtOnce];
    const auto store_all = [&](const auto* wide) {
        with_any_type(to_type, [&](auto type) {
            typedef decltype(type) To;
            typedef std::remove_const_t<std::remove_reference_t<decltype(*wide)>> Wide;
            if constexpr (std::is_same_v<Wide, int64_t> || !kIsInteger<To>)
                for (int64_t i = 0; i < n; ++i) static_cast<To*>(to)[at + i * step] = convert_one<To>(wide[i]);
        });
    };
    with_any_type(from_type, [&](auto type) {
        typedef decltype(type) From;
        const auto element = [&](int64_t i) {  // gathered as another type of its size
            From value;
            memcpy(&value, static_cast<const char*>(from) + size_t(i) * sizeof value, sizeof value);
            return value;
        };
        if constexpr (kIsInteger<From>) {
            for (int64_t i = 0; i < n; ++i) integers[i] = int64_t(element(i));
            store_all(integers);
        } else {
            for (int64_t i = 0; i < n; ++i) floats[i] = double(widen(element(i)));
            store_all(floats);
        }
    });
}

}  // namespace acltwin::ACLTWIN_LEVEL
