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

// to[c * rows + r] = from[r * row + c * column], for `rows` rows of `columns` elements.
template <class T>
void transpose(const T* from, int64_t rows, int64_t row, int64_t columns, int64_t column, T* to) {
    constexpr int64_t kSide = int64_t(16 / sizeof(T));
    int64_t r = 0;
    for (; column == 1 && columns >= kSide && r + kSide <= rows; r += kSide)
        for (int64_t c = 0; c < columns; c += kSide) {
            const int64_t at =
                min64(c, columns - kSide);  // the last square starts further left instead of being narrower
            transpose_square(from + r * row + at, row, to + at * rows + r, rows);
        }
    for (; r < rows; ++r)
        for (int64_t c = 0; c < columns; ++c) to[c * rows + r] = from[r * row + c * column];
}

}  // namespace acltwin::ACLTWIN_LEVEL
