// Step 1 of an interval sum: the rows of a box, column by column.
#pragma once

#include "kernels/level/interval_sum.h"
#include "kernels/level/simd.h"

namespace acltwin::ACLTWIN_LEVEL {

// The rows (d, h) of one box, in order. Extents are never multiplied: with zero strides they may be huge.
template <class T>
struct Box {
    const T* first;
    int64_t depth, height, depth_stride, height_stride;

    bool empty() const { return depth == 0 || height == 0; }
    bool one_group() const {
        return depth <= kRowsPerGroup && height <= kRowsPerGroup && depth * height <= kRowsPerGroup;
    }
};

// Hands out a box's rows in groups.
template <class T>
class RowGroups {
public:
    explicit RowGroups(const Box<T>& box) : box_(box) {}

    ACLTWIN_INLINE int next(const T* (&rows)[kRowsPerGroup]) {
        int count = 0;
        for (; d_ < box_.depth; ++d_, h_ = 0) {
            const T* plane = box_.first + d_ * box_.depth_stride;
            for (; h_ < box_.height; ++h_) {
                if (count == kRowsPerGroup) return count;
                rows[count++] = plane + h_ * box_.height_stride;
            }
        }
        return count;
    }

private:
    const Box<T>& box_;
    int64_t d_ = 0, h_ = 0;
};

// The running sum of kRows rows over kVectors neighbouring vectors.
template <int kRows, int kVectors, class T>
ACLTWIN_INLINE void sum_rows(const T* const* rows, int64_t at, typename Sum<T>::Vector (&sums)[kVectors]) {
    for (int v = 0; v < kVectors; ++v) sums[v] = load(rows[0] + at + v * kLanesOf<T>);
    for (int r = 1; r < kRows; ++r)
        for (int v = 0; v < kVectors; ++v) sums[v] += load(rows[r] + at + v * kLanesOf<T>);
}

// Calls body with the constant that `rows` is: body(Rows<1>()) to body(Rows<8>()).
template <int kRows>
struct Rows {
    static constexpr int count = kRows;
};
template <class Body>
ACLTWIN_INLINE void with_row_count(int rows, const Body& body) {
    switch (rows) {
        case 1: return body(Rows<1>());
        case 2: return body(Rows<2>());
        case 3: return body(Rows<3>());
        case 4: return body(Rows<4>());
        case 5: return body(Rows<5>());
        case 6: return body(Rows<6>());
        case 7: return body(Rows<7>());
        default: return body(Rows<8>());
    }
}

// Sums of n neighbouring elements of a group's rows: the first group fills `totals`, the others are added to it.
// Touches a vector of `totals` past its end.
template <bool kFirst, int kRows, class T>
void add_group(const T* const* group, int64_t n, typename Sum<T>::Scalar* totals) {
    constexpr int kLanes = kLanesOf<T>;
    const T* rows[kRows];
    for (int r = 0; r < kRows; ++r) rows[r] = group[r];
    typename Sum<T>::Vector sum[1];
    int64_t i = 0;
    for (; i + kLanes <= n; i += kLanes) {
        sum_rows<kRows>(rows, i, sum);
        store(totals + i, kFirst ? sum[0] : load(totals + i) + sum[0]);
    }
    if (i == n) return;
    sum[0] = load_partial(rows[0] + i, n - i);
    for (int r = 1; r < kRows; ++r) sum[0] += load_partial(rows[r] + i, n - i);
    store(totals + i, kFirst ? sum[0] : load(totals + i) + sum[0]);
}

template <class T>
void add_group(const T* const* group, int rows, int64_t n, bool first, typename Sum<T>::Scalar* totals) {
    with_row_count(rows, [&](auto count) {
        if (first)
            add_group<true, decltype(count)::count>(group, n, totals);
        else
            add_group<false, decltype(count)::count>(group, n, totals);
    });
}

// The one rounding: n sums to elements.
template <class T>
void narrow_sums(const typename Sum<T>::Scalar* sums, int64_t n, T* out) {
    int64_t i = 0;
    for (; i + kLanesOf<T> <= n; i += kLanesOf<T>) store(out + i, load(sums + i));
    if (i < n) store_partial(out + i, load(sums + i), n - i);
}

}  // namespace acltwin::ACLTWIN_LEVEL
