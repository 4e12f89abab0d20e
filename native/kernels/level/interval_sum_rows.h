// Step 1 of an interval sum: the rows of a box, column by column.
#pragma once

#include "kernels/level/interval_sum.h"
#include "kernels/level/simd.h"

namespace acltwin::ACLTWIN_LEVEL::interval {

// The rows (d, h) of one box, in order. Extents may be huge, with zero strides: they are not multiplied unchecked.
template <class T>
struct Box {
    const T* first;
    int64_t depth, height, depth_stride, height_stride;

    bool empty() const { return depth == 0 || height == 0; }
};

// The rows of a box that has few: each starts `offsets[r]` after the first one, which points at column `origin`.
template <class T>
struct RowList {
    const T* first;
    const int64_t* offsets;
    int64_t count;
    int64_t origin;
};
constexpr int64_t kListedRows = 64;

// The offsets of the rows of boxes; boxes of the same shape share them.
class BoxShapes {
public:
    BoxShapes(int64_t depth_stride, int64_t height_stride)
        : depth_stride_(depth_stride), height_stride_(height_stride) {}

    // Null if the box, which is not empty, has too many rows.
    ACLTWIN_INLINE const int64_t* offsets(int64_t depth, int64_t height) {
        if (depth > kRowsPerGroup || height > kRowsPerGroup) return large_offsets(depth, height);
        const int64_t shape = depth * kRowsPerGroup + height - kRowsPerGroup - 1;
        if (depth * height > kRowsPerGroup) return large_offsets(depth, height);
        if (!known_[shape]) {
            list(depth, height, offsets_[shape]);
            known_[shape] = true;
        }
        return offsets_[shape];
    }

private:
    ACLTWIN_NOINLINE void list(int64_t depth, int64_t height, int64_t* row) const {
        for (int64_t d = 0; d < depth; ++d)
            for (int64_t h = 0; h < height; ++h) *row++ = d * depth_stride_ + h * height_stride_;
    }

    const int64_t* large_offsets(int64_t depth, int64_t height) {
        if (depth > kListedRows || height > kListedRows || depth * height > kListedRows) return nullptr;
        if (depth != large_depth_ || height != large_height_) list(depth, height, large_offsets_);
        large_depth_ = depth;
        large_height_ = height;
        return large_offsets_;
    }

    const int64_t depth_stride_, height_stride_;
    int64_t large_depth_ = 0, large_height_ = 0;
    int64_t large_offsets_[kListedRows];  // of the large shape that came last
    bool known_[kRowsPerGroup * kRowsPerGroup] = {};
    int64_t offsets_[kRowsPerGroup * kRowsPerGroup][kRowsPerGroup];
};

// Hands out the rows of any box, group by group.
template <class T>
class RowGroups {
public:
    explicit RowGroups(const Box<T>& box) : box_(box) {}

    int64_t next(int64_t (&offsets)[kRowsPerGroup]) {
        int64_t count = 0;
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

// Rows that are summed together are several streams of memory, which the CPU foresees less well than one.
template <int kVectors, class T>
ACLTWIN_INLINE void prefetch(const T* row) {
    constexpr int64_t kAhead = 1024, kBytes = kVectors * kLanesOf<T> * sizeof(T);
    for (int64_t line = 0; line < kBytes; line += 64)
        __builtin_prefetch(reinterpret_cast<const char*>(row) + kAhead + line);
}

template <int kVectors, class T>
ACLTWIN_INLINE void load_row(const T* row, typename Sum<T>::Vector (&sums)[kVectors]) {
    prefetch<kVectors>(row);
    for (int v = 0; v < kVectors; ++v) sums[v] = load(row + v * kLanesOf<T>);
}
template <int kVectors, class T>
ACLTWIN_INLINE void add_row(const T* row, typename Sum<T>::Vector (&sums)[kVectors]) {
    prefetch<kVectors>(row);
    for (int v = 0; v < kVectors; ++v) sums[v] += load(row + v * kLanesOf<T>);
}

// Sums listed rows over kVectors neighbouring vectors: kRows rows, which are at most a group.
template <int kRows, class T>
class RowSum {
public:
    // Each pointer in its own register: as vectors they would have to be taken apart again.
    explicit ACLTWIN_INLINE RowSum(const RowList<T>& list) {
        for (int r = 0; r < kRows; ++r) {
            rows_[r] = list.first + list.offsets[r];
            asm("" : "+r"(rows_[r]));
        }
    }
    template <int kVectors>
    ACLTWIN_INLINE void sum(int64_t at, typename Sum<T>::Vector (&sums)[kVectors]) const {
        load_row(rows_[0] + at, sums);
        for (int r = 1; r < kRows; ++r) add_row(rows_[r] + at, sums);
    }

private:
    const T* rows_[kRows];
};

// Zero for kRows: any number of rows, in groups.
template <class T>
class RowSum<0, T> {
public:
    explicit ACLTWIN_INLINE RowSum(const RowList<T>& list) : list_(list) {}
    template <int kVectors>
    ACLTWIN_INLINE void sum(int64_t at, typename Sum<T>::Vector (&sums)[kVectors]) const {
        sum_group(at, 0, sums);
        for (int64_t r = kRowsPerGroup; r < list_.count; r += kRowsPerGroup) {
            typename Sum<T>::Vector group[kVectors];
            sum_group(at, r, group);
            for (int v = 0; v < kVectors; ++v) sums[v] += group[v];
        }
    }

private:
    template <int kVectors>
    ACLTWIN_INLINE void sum_group(int64_t at, int64_t r, typename Sum<T>::Vector (&sums)[kVectors]) const {
        const int64_t end = min64(r + kRowsPerGroup, list_.count);
        load_row(list_.first + list_.offsets[r] + at, sums);
        for (++r; r < end; ++r) add_row(list_.first + list_.offsets[r] + at, sums);
    }

    const RowList<T> list_;
};

// A row count that is known to the compiler. with_row_count(3, body) calls body(Rows<3>()), and body(Rows<0>()) for
// more rows than a group has.
template <int kRows>
struct Rows {
    static constexpr int count = kRows;
};
template <class Body>
ACLTWIN_INLINE auto with_row_count(int64_t rows, const Body& body) {
    switch (rows) {
        case 1: return body(Rows<1>());
        case 2: return body(Rows<2>());
        case 3: return body(Rows<3>());
        case 4: return body(Rows<4>());
        case 5: return body(Rows<5>());
        case 6: return body(Rows<6>());
        case 7: return body(Rows<7>());
        case 8: return body(Rows<8>());
        default: return body(Rows<0>());
    }
}

}  // namespace acltwin::ACLTWIN_LEVEL::interval
