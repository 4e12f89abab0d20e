// Step 1 of an interval sum: the rows of a box, column by column.
#pragma once

#include "kernels/interval_sum_task.h"
#include "kernels/level/simd.h"

namespace acltwin::ACLTWIN_LEVEL {

// The rows (d, h) of one box, in order. Extents are never multiplied: with zero strides they may be huge.
template <class T>
struct Box {
    const T* first;
    int64_t depth, height, depth_stride, height_stride;

    static constexpr int64_t origin = 0;  // `first` points at this column

    bool empty() const { return depth == 0 || height == 0; }
};

// Cells of a row.
struct CellRange {
    int64_t first, last;
};

// At most kRowsPerGroup rows: each starts `offsets[r]` after the first one, which points at column `origin`.
template <class T>
struct RowGroup {
    const T* first;
    const int64_t* offsets;
    int count;
    int64_t origin;
};

// The rows of a box that is one group.
struct GroupShape {
    int64_t count;
    int64_t offsets[kRowsPerGroup];
};

// Boxes of the same shape share their offsets.
class GroupShapes {
public:
    GroupShapes(int64_t depth_stride, int64_t height_stride)
        : depth_stride_(depth_stride), height_stride_(height_stride) {}

    // Null if the box has no rows, or more of them than a group.
    ACLTWIN_INLINE const GroupShape* find(int64_t depth, int64_t height) {
        const uint64_t d = uint64_t(depth) - 1, h = uint64_t(height) - 1;
        if ((d | h) >= kRowsPerGroup || depth * height > kRowsPerGroup) return nullptr;
        const uint64_t number = d * kRowsPerGroup + h;
        if (!known_[number]) list(depth, height, number);
        return &shapes_[number];
    }

private:
    ACLTWIN_NOINLINE void list(int64_t depth, int64_t height, uint64_t number) {
        GroupShape& shape = shapes_[number];
        shape.count = 0;
        for (int64_t d = 0; d < depth; ++d)
            for (int64_t h = 0; h < height; ++h) shape.offsets[shape.count++] = d * depth_stride_ + h * height_stride_;
        known_[number] = true;
    }

    const int64_t depth_stride_, height_stride_;
    bool known_[kRowsPerGroup * kRowsPerGroup] = {};
    GroupShape shapes_[kRowsPerGroup * kRowsPerGroup];
};

// Hands out the rows of any box, group by group.
template <class T>
class RowGroups {
public:
    explicit RowGroups(const Box<T>& box) : box_(box) {}

    int next(int64_t (&offsets)[kRowsPerGroup]) {
        int count = 0;
        for (; d_ < box_.depth; ++d_, h_ = 0) {
            for (; h_ < box_.height; ++h_) {
                if (count == kRowsPerGroup) return count;
                offsets[count++] = d_ * box_.depth_stride + h_ * box_.height_stride;
            }
        }
        return count;
    }

private:
    const Box<T>& box_;
    int64_t d_ = 0, h_ = 0;
};

// Where the rows of a group are: kRows of them, each pointer in its own register; or any number, in memory.
constexpr int kAnyRows = 0;
template <int kRows, class T>
class RowPointers {
public:
    ACLTWIN_INLINE RowPointers(const T* first, const int64_t* offsets, int count) : count_(count) {
        for (int r = 0; r < this->count(); ++r) {
            rows_[r] = first + offsets[r];
            if constexpr (kRows != kAnyRows) asm("" : "+r"(rows_[r]));  // as vectors they would be taken apart again
        }
    }
    ACLTWIN_INLINE int count() const { return kRows != kAnyRows ? kRows : count_; }
    ACLTWIN_INLINE const T* operator[](int row) const { return rows_[row]; }

private:
    const T* rows_[kRows != kAnyRows ? kRows : kRowsPerGroup];
    const int count_;
};

// The running sum of the rows over kVectors vectors, `step` elements apart. Memory is asked for `ahead` bytes earlier.
template <int kVectors, int kRows, class T>
ACLTWIN_INLINE void sum_rows(const RowPointers<kRows, T>& rows, int64_t at, typename Sum<T>::Vector (&sums)[kVectors],
                             int64_t step = kLanesOf<T>, int64_t ahead = kPrefetchBytes) {
    constexpr int64_t kBytes = kVectors * kLanesOf<T> * sizeof(T);
    for (int r = 0; r < rows.count(); ++r)
        for (int64_t line = 0; line < kBytes; line += 64)
            __builtin_prefetch(reinterpret_cast<const char*>(rows[r] + at) + ahead + line);
    for (int v = 0; v < kVectors; ++v) sums[v] = load(rows[0] + at + v * step);
    for (int r = 1; r < rows.count(); ++r)
        for (int v = 0; v < kVectors; ++v) sums[v] += load(rows[r] + at + v * step);
}

template <int kRows>
ACLTWIN_INLINE Pairs sum_pairs(const RowPointers<kRows, BFloat>& rows, int64_t at, int64_t ahead = kPrefetchBytes) {
    for (int r = 0; r < rows.count(); ++r) __builtin_prefetch(reinterpret_cast<const char*>(rows[r] + at) + ahead);
    Pairs sums = load_pairs(rows[0] + at);
    for (int r = 1; r < rows.count(); ++r) sums = sums + load_pairs(rows[r] + at);
    return sums;
}

// Calls body(std::integral_constant<int, rows>()); or with kAnyRows for numbers that factors of 2 and 4 do not have,
// where the code for each of them is not worth its size.
template <class Body>
ACLTWIN_INLINE auto with_row_count(int rows, const Body& body) {
    constexpr auto constant = [](auto count) { return std::integral_constant<int, kSpecialised ? count : kAnyRows>(); };
    switch (rows) {
        case 1: return body(std::integral_constant<int, 1>());
        case 2: return body(std::integral_constant<int, 2>());
        case 4: return body(std::integral_constant<int, 4>());
        case 3: return body(constant(std::integral_constant<int, 3>()));
        case 5: return body(constant(std::integral_constant<int, 5>()));
        case 6: return body(constant(std::integral_constant<int, 6>()));
        case 7: return body(constant(std::integral_constant<int, 7>()));
        default: return body(constant(std::integral_constant<int, 8>()));
    }
}

// Sums of n neighbouring elements of a group's rows: the first group fills `totals`, the others are added to it.
// Touches a vector of `totals` past its end.
template <bool kFirst, int kRows, class T>
void add_group(const RowPointers<kRows, T>& rows, int64_t n, typename Sum<T>::Scalar* totals) {
    constexpr int kLanes = kLanesOf<T>;
    typename Sum<T>::Vector sum[1], last[1];
    if (n < kLanes) {
        sum[0] = load_partial(rows[0], n);
        for (int r = 1; r < rows.count(); ++r) sum[0] += load_partial(rows[r], n);
        store(totals, kFirst ? sum[0] : load(totals) + sum[0]);
        return;
    }
    // The last vector starts further left instead of being shorter; it is ready before the others change its totals.
    sum_rows(rows, n - kLanes, last);
    if (!kFirst) last[0] = load(totals + n - kLanes) + last[0];
    for (int64_t i = 0; i + kLanes < n; i += kLanes) {
        sum_rows(rows, i, sum);
        store(totals + i, kFirst ? sum[0] : load(totals + i) + sum[0]);
    }
    store(totals + n - kLanes, last[0]);
}

template <class T>
void add_group(const T* first, const int64_t* offsets, int rows, int64_t n, bool is_first,
               typename Sum<T>::Scalar* totals) {
    with_row_count(rows, [&](auto count) {
        const RowPointers<count, T> pointers(first, offsets, rows);
        if (is_first)
            add_group<true>(pointers, n, totals);
        else
            add_group<false>(pointers, n, totals);
    });
}

// The one rounding: n sums to elements.
template <class T>
void narrow_sums(const typename Sum<T>::Scalar* sums, int64_t n, T* out) {
    int64_t i = 0;
    for (; i + kLanesOf<T> <= n; i += kLanesOf<T>) store_sums(out + i, load(sums + i));
    if (i < n) store_partial(out + i, from_zero(load(sums + i)), n - i);
}

}  // namespace acltwin::ACLTWIN_LEVEL
