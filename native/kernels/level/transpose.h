// Rows of elements become columns.
#pragma once

#include <type_traits>

#include "kernels/level/simd.h"

namespace acltwin::ACLTWIN_LEVEL {

template <class T>
using ElementBits = std::conditional_t<
    sizeof(T) == 8, uint64_t,
    std::conditional_t<sizeof(T) == 4, uint32_t, std::conditional_t<sizeof(T) == 2, uint16_t, uint8_t>>>;

// Elements of a and b in turns, from element kFrom of both on.
template <int kFrom, class Vector, int... kLane>
ACLTWIN_INLINE Vector zip(Vector a, Vector b, std::integer_sequence<int, kLane...>) {
    return __builtin_shufflevector(a, b, (kFrom + kLane / 2 + kLane % 2 * int(sizeof...(kLane)))...);
}

// A square of as many rows as sixteen bytes have elements; the rows are `row` and `to_row` elements apart.
template <class T>
ACLTWIN_INLINE void transpose_square(const T* from, int64_t row, T* to, int64_t to_row) {
    typedef ElementBits<T> Vector __attribute__((vector_size(16)));
    constexpr int kSide = int(16 / sizeof(T));
    constexpr std::make_integer_sequence<int, kSide> lanes;
    Vector rows[kSide], zipped[kSide];
    for (int i = 0; i < kSide; ++i) memcpy(&rows[i], from + i * row, 16);
    for (int step = 1; step < kSide; step *= 2) {
        for (int i = 0; i < kSide / 2; ++i) {
            zipped[2 * i] = zip<0>(rows[i], rows[i + kSide / 2], lanes);
            zipped[2 * i + 1] = zip<kSide / 2>(rows[i], rows[i + kSide / 2], lanes);
        }
        for (int i = 0; i < kSide; ++i) rows[i] = zipped[i];
    }
    for (int i = 0; i < kSide; ++i) memcpy(to + i * to_row, &rows[i], 16);
}

// Of each group of sixteen bytes the lower or upper half of a and b: kUnit elements in turns.
template <int kUnit, bool kUpper, class V, int... kLane>
ACLTWIN_INLINE V zip_in_groups(V a, V b, std::integer_sequence<int, kLane...>) {
    constexpr int group = int(16 / sizeof(a[0])), from = kUpper ? group / 2 : 0;
    return __builtin_shufflevector(a, b,
                                   (kLane / group * group + from + kLane % group / (2 * kUnit) * kUnit + kLane % kUnit +
                                    kLane % (2 * kUnit) / kUnit * int(sizeof...(kLane)))...);
}
// The lower or upper half of a, then of b.
template <bool kUpper, class V, int... kLane>
ACLTWIN_INLINE V join_halves(V a, V b, std::integer_sequence<int, kLane...>) {
    constexpr int n = int(sizeof...(kLane)), half = n / 2;
    return __builtin_shufflevector(a, b, (kLane % half + (kUpper ? half : 0) + kLane / half * n)...);
}

// As many vectors as they have lanes: lane i of vector k changes places with lane k of vector i.
template <class V, int kSide>
ACLTWIN_INLINE void transpose_lanes(V (&rows)[kSide]) {
    static_assert(kSide == kLanesIn<V>, "a square");
    constexpr LanesOf<V> lanes;
    constexpr int group = int(16 / sizeof(V{}[0]));
    V next[kSide];
    const auto zip_pairs = [&](auto unit, int apart, int i, int to) {
        next[to] = zip_in_groups<unit, false>(rows[i], rows[i + apart], lanes);
        next[to + 1] = zip_in_groups<unit, true>(rows[i], rows[i + apart], lanes);
    };
    const auto finish_step = [&] {
        for (int i = 0; i < kSide; ++i) rows[i] = next[i];
    };
    for (int i = 0; i < kSide; i += 2) zip_pairs(std::integral_constant<int, 1>(), 1, i, i);
    finish_step();
    if constexpr (group == 4) {
        for (int i = 0; i < kSide; i += 4)
            for (int k = 0; k < 2; ++k) zip_pairs(std::integral_constant<int, 2>(), 2, i + k, i + 2 * k);
        finish_step();
    }
    if constexpr (kSide > group) {
        for (int i = 0; i < group; ++i) {
            next[i] = join_halves<false>(rows[i], rows[i + group], lanes);
            next[i + group] = join_halves<true>(rows[i], rows[i + group], lanes);
        }
        finish_step();
    }
}

// to[c * to_row + r] = from[r * row + c * column], for `rows` rows of `columns` elements.
template <class T>
void transpose(const T* from, int64_t rows, int64_t row, int64_t columns, int64_t column, T* to, int64_t to_row) {
    constexpr int64_t kSide = int64_t(16 / sizeof(T));
    int64_t r = 0;
    for (; column == 1 && columns >= kSide && r + kSide <= rows; r += kSide)
        for (int64_t c = 0; c < columns; c += kSide) {
            const int64_t at =
                min64(c, columns - kSide);  // the last square starts further left instead of being narrower
            transpose_square(from + r * row + at, row, to + at * to_row + r, to_row);
        }
    for (; r < rows; ++r)
        for (int64_t c = 0; c < columns; ++c) to[c * to_row + r] = from[r * row + c * column];
}

}  // namespace acltwin::ACLTWIN_LEVEL
