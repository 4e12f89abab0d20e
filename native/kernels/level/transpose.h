// Rows of elements become columns.
#pragma once

#include "kernels/level/simd.h"

namespace acltwin::ACLTWIN_LEVEL {

// Sixteen bytes of elements of kElement bytes.
template <int kElement>
struct Sixteen;
template <>
struct Sixteen<8> {
    typedef uint64_t Vector __attribute__((vector_size(16)));
    static ACLTWIN_INLINE Vector zip_low(Vector a, Vector b) { return __builtin_shufflevector(a, b, 0, 2); }
    static ACLTWIN_INLINE Vector zip_high(Vector a, Vector b) { return __builtin_shufflevector(a, b, 1, 3); }
};
template <>
struct Sixteen<4> {
    typedef uint32_t Vector __attribute__((vector_size(16)));
    static ACLTWIN_INLINE Vector zip_low(Vector a, Vector b) { return __builtin_shufflevector(a, b, 0, 4, 1, 5); }
    static ACLTWIN_INLINE Vector zip_high(Vector a, Vector b) { return __builtin_shufflevector(a, b, 2, 6, 3, 7); }
};
template <>
struct Sixteen<2> {
    typedef uint16_t Vector __attribute__((vector_size(16)));
    static ACLTWIN_INLINE Vector zip_low(Vector a, Vector b) {
        return __builtin_shufflevector(a, b, 0, 8, 1, 9, 2, 10, 3, 11);
    }
    static ACLTWIN_INLINE Vector zip_high(Vector a, Vector b) {
        return __builtin_shufflevector(a, b, 4, 12, 5, 13, 6, 14, 7, 15);
    }
};

// A square of as many rows as sixteen bytes have elements; the rows are `row` and `to_row` elements apart.
template <class T>
ACLTWIN_INLINE void transpose_square(const T* from, int64_t row, T* to, int64_t to_row) {
    typedef Sixteen<sizeof(T)> Zip;
    constexpr int kSide = int(16 / sizeof(T));
    typename Zip::Vector rows[kSide], zipped[kSide];
    for (int i = 0; i < kSide; ++i) memcpy(&rows[i], from + i * row, 16);
    for (int step = 1; step < kSide; step *= 2) {
        for (int i = 0; i < kSide / 2; ++i) {
            zipped[2 * i] = Zip::zip_low(rows[i], rows[i + kSide / 2]);
            zipped[2 * i + 1] = Zip::zip_high(rows[i], rows[i + kSide / 2]);
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
