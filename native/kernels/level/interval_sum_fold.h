// Step 2 of an interval sum: the columns of a row become its cells, fused with step 1 while the sums are in registers.
#pragma once

#include "kernels/level/interval_sum_walk.h"

namespace acltwin::ACLTWIN_LEVEL {

// One group of rows, from column `origin` on.
template <class T>
struct RowGroup {
    const T* const* rows;
    int64_t origin;
};

// Intervals of kFactor columns: one vector of cells out of kFactor vectors of columns.
template <int kFactor, class V>
ACLTWIN_INLINE V fold_uniform(const V (&v)[kFactor]) {
    if constexpr (kFactor == 1) {
        return v[0];
    } else if constexpr (kFactor == 2) {
        return every_second<0>(v[0], v[1]) + every_second<1>(v[0], v[1]);
    } else if constexpr (kFactor == 3) {
        return every_third<0>(v[0], v[1], v[2]) + every_third<1>(v[0], v[1], v[2]) + every_third<2>(v[0], v[1], v[2]);
    } else {
        const V even_0 = every_second<0>(v[0], v[1]), even_1 = every_second<0>(v[2], v[3]);
        const V odd_0 = every_second<1>(v[0], v[1]), odd_1 = every_second<1>(v[2], v[3]);
        return every_second<0>(even_0, even_1) + every_second<0>(odd_0, odd_1) + every_second<1>(even_0, even_1) +
               every_second<1>(odd_0, odd_1);
    }
}

template <int kFactor, int kRows, class T, class Out>
void fold_uniform(const RowGroup<T>& group, const CellRange& range, Out* out) {
    constexpr int kLanes = kLanesOf<T>;
    const T* rows[kRows];
    for (int r = 0; r < kRows; ++r) rows[r] = group.rows[r] + (range.first * kFactor - group.origin);
    const int64_t cells = range.last - range.first, last_start = max64(0, cells - kLanes);
    for (int64_t i = 0; i < cells; i += kLanes) {
        const int64_t cell = min64(i, last_start);
        typename Sum<T>::Vector columns[kFactor];
        sum_rows<kRows>(rows, cell * kFactor, columns);
        store(out + cell, fold_uniform(columns));
    }
}

// The columns that a pattern names for one pick, `neutral` for the cells whose interval is shorter.
template <class V>
ACLTWIN_INLINE V pick(const V (&columns)[1], Int words, V neutral) {
    return bit_cast<V>(words < 0 ? bit_cast<Word>(neutral) : lookup(bit_cast<Word>(columns[0]), words));
}
template <class V>
ACLTWIN_INLINE V pick(const V (&columns)[2], Int words, V neutral) {
    const Word found = lookup(bit_cast<Word>(columns[0]), bit_cast<Word>(columns[1]), words);
    return bit_cast<V>(words < 0 ? bit_cast<Word>(neutral) : found);
}

ACLTWIN_INLINE Int load_words(const int32_t* p) {
    Int words;
    memcpy(&words, p, sizeof words);
    return words;
}

template <int kVectors, int kCells, int kRows, class T, class Out>
void fold_blocks(const RowGroup<T>& group, const BlockTable& table, int64_t row_cells, const CellRange& range,
                 Out* out) {
    typedef typename Sum<T>::Vector V;
    const T* rows[kRows];
    for (int r = 0; r < kRows; ++r) rows[r] = group.rows[r];
    const int64_t picks = table.picks, last_start = max64(0, row_cells - kCells);
    const CellBlock* block = table.blocks + range.first / kCells;
    for (int64_t i = range.first; i < range.last; i += kCells, ++block) {
        V columns[kVectors];
        sum_rows<kRows>(rows, block->first_column - group.origin, columns);
        const int32_t* words = table.patterns + block->pattern;
        V cells = pick(columns, load_words(words), V{});
        for (int64_t k = 1; k < picks; ++k) cells += pick(columns, load_words(words + k * kLanes), -V{});
        Out narrowed[kLanesOf<T>];
        store(narrowed, cells);
        memcpy(out + (min64(i, last_start) - range.first), narrowed, kCells * sizeof(Out));
    }
}

// A range of cells out of one group of kRows rows, or out of totals, which are one row.
template <int kRows, class T, class Out>
ACLTWIN_INLINE void fold_rows(const IntervalRows& p, const RowGroup<T>& group, const CellRange& range, Out* out) {
    constexpr int kLanes = kLanesOf<T>;
    if (p.fold == Fold::uniform) {
        switch (p.factor) {
            case 1: return fold_uniform<1, kRows>(group, range, out);
            case 2: return fold_uniform<2, kRows>(group, range, out);
            case 3: return fold_uniform<3, kRows>(group, range, out);
            default: return fold_uniform<4, kRows>(group, range, out);
        }
    }
    if (p.table.vectors == 1) return fold_blocks<1, kLanes, kRows>(group, p.table, p.cells, range, out);
    if (p.table.cells == kLanes) return fold_blocks<2, kLanes, kRows>(group, p.table, p.cells, range, out);
    fold_blocks<2, kLanes / 2, kRows>(group, p.table, p.cells, range, out);
}

// Any intervals, from totals in memory: `channels` neighbouring sums make up a column. V is a scalar for one channel, a
// vector for as many channels as it has lanes or fewer; what the other lanes hold is overwritten by the next cell.
template <class V, class S>
ACLTWIN_INLINE V add_columns(const S* totals, int64_t columns, int64_t channels, V sum) {
    for (int64_t i = 0; i < columns; ++i) {
        V column;
        memcpy(&column, totals + i * channels, sizeof column);
        sum += column;
    }
    return sum;
}

template <class V, class S>
void fold_runs(const S* totals, const int64_t* begin, const CellRange& range, int64_t channels, S* cells) {
    const int64_t origin = begin[range.first];
    for (int64_t i = range.first; i < range.last; ++i, cells += channels) {
        const int64_t columns = begin[i + 1] - begin[i];
        const V sum =
            columns == 0 ? V{} : add_columns(totals + (begin[i] - origin) * channels, columns, channels, -V{});
        memcpy(cells, &sum, sizeof sum);
    }
}

}  // namespace acltwin::ACLTWIN_LEVEL
