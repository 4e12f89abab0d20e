// Step 2 of an interval sum: the columns of a row become its cells, fused with step 1 while the sums are in registers.
#pragma once

#include <type_traits>

#include "kernels/level/interval_sum_rows.h"

namespace acltwin::ACLTWIN_LEVEL {

// Writes the cells of `range` from one group of rows, or from totals, which are one row. Outside of buffers, which have
// margins, the whole row of the source is there to be read.
template <class T, class Out>
using FoldFunction = void (*)(const IntervalRows& p, const RowGroup<T>& group, CellRange range, Out* out);

// Intervals of kFactor columns: one vector of cells out of kFactor vectors of columns.
template <int kFactor, class V>
ACLTWIN_INLINE V fold_uniform(const V (&v)[kFactor]) {
    if constexpr (kFactor == 1) {
        return v[0];
    } else if constexpr (kFactor == 2) {
        return add_neighbours(v[0], v[1]);
    } else if constexpr (kFactor == 3) {
        return every_third<0>(v[0], v[1], v[2]) + every_third<1>(v[0], v[1], v[2]) + every_third<2>(v[0], v[1], v[2]);
    } else {
        const V even_0 = every_second<0>(v[0], v[1]), even_1 = every_second<0>(v[2], v[3]);
        const V odd_0 = every_second<1>(v[0], v[1]), odd_1 = every_second<1>(v[2], v[3]);
        return every_second<0>(even_0, even_1) + every_second<0>(odd_0, odd_1) + every_second<1>(even_0, even_1) +
               every_second<1>(odd_0, odd_1);
    }
}

template <int kFactor, int kRows, class T>
ACLTWIN_INLINE auto fold_columns(const T* const* rows, int64_t at, int64_t ahead) {
    if constexpr (kFactor == 2 && std::is_same_v<T, BFloat>) {
        const Pairs columns = sum_pairs<kRows>(rows, at, ahead);
        return columns.even + columns.odd;
    } else {
        typename Sum<T>::Vector columns[kFactor];
        sum_rows<kRows>(rows, at, columns, kLanesOf<T>, ahead);
        return fold_uniform(columns);
    }
}

template <int kFactor, int kRows, class T, class Out>
void fold_uniform(const IntervalRows& p, const RowGroup<T>& group, CellRange range, Out* out) {
    constexpr int kLanes = kLanesOf<T>;
    const T* rows[kRows];
    point_at_rows(group.first + (range.first * kFactor - group.origin), group.offsets, rows);
    const int64_t ahead = p.ahead;
    const auto fold = [&](int64_t cell) {
        store_sums(out + cell, fold_columns<kFactor, kRows>(rows, cell * kFactor, ahead));
    };
    const int64_t cells = range.last - range.first;
    int64_t cell = 0;
    for (; cell + kLanes <= cells; cell += kLanes) fold(cell);
    if (cell < cells) fold(max64(0, cells - kLanes));
}

// The columns that a pattern names for one pick; -0.0, which changes no sum, for the cells whose interval is shorter.
template <class V>
ACLTWIN_INLINE V pick(const V (&columns)[1], Int words) {
    return bit_cast<V>(words < 0 ? bit_cast<Word>(-V{}) : lookup(bit_cast<Word>(columns[0]), words));
}
template <class V>
ACLTWIN_INLINE V pick(const V (&columns)[2], Int words) {
    const Word found = lookup(bit_cast<Word>(columns[0]), bit_cast<Word>(columns[1]), words);
    return bit_cast<V>(words < 0 ? bit_cast<Word>(-V{}) : found);
}

ACLTWIN_INLINE Int load_words(const int32_t* p) {
    Int words;
    memcpy(&words, p, sizeof words);
    return words;
}

template <int kVectors, int kCells, int kRows, class T, class Out>
void fold_blocks(const IntervalRows& p, const RowGroup<T>& group, CellRange range, Out* out) {
    typedef typename Sum<T>::Vector V;
    const T* rows[kRows];
    point_at_rows(group.first, group.offsets, rows);
    const int64_t picks = p.table.picks, origin = group.origin, step = p.table.vector_step, ahead = p.ahead;
    const int32_t* const patterns = p.table.patterns;
    const auto fold = [&](const CellBlock& block, Out* block_out) {
        V columns[kVectors];
        sum_rows<kRows>(rows, block.first_column - origin, columns, step, ahead);
        const int32_t* words = patterns + block.pattern;
        V cells = pick(columns, load_words(words));
        for (int64_t k = 1; k < picks; ++k) cells += pick(columns, load_words(words += kLanes));
        store_first_sums<kCells>(block_out, cells);
    };
    const CellBlock* block = p.table.blocks + range.first / kCells;
    int64_t cell = range.first;
    for (; cell + kCells <= range.last; cell += kCells) fold(*block++, out + (cell - range.first));
    if (cell < range.last) fold(*block, out + (max64(0, p.cells - kCells) - range.first));
}

template <int kRows, class T, class Out>
FoldFunction<T, Out> fold_function(const IntervalRows& p) {
    constexpr int kLanes = kLanesOf<T>;
    if (p.fold == Fold::blocks) {
        if (p.table.vectors == 1) return fold_blocks<1, kLanes, kRows, T, Out>;
        if (p.table.cells == kLanes) return fold_blocks<2, kLanes, kRows, T, Out>;
        return fold_blocks<2, kLanes / 2, kRows, T, Out>;
    }
    switch (p.factor) {
        case 1: return fold_uniform<1, kRows, T, Out>;
        case 2: return fold_uniform<2, kRows, T, Out>;
        case 3: return fold_uniform<3, kRows, T, Out>;
        default: return fold_uniform<4, kRows, T, Out>;
    }
}

template <class T, class Out>
FoldFunction<T, Out> fold_function(const IntervalRows& p, int rows) {
    return with_row_count(rows, [&](auto count) { return fold_function<decltype(count)::count, T, Out>(p); });
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
void fold_runs(const S* totals, const int64_t* begin, CellRange range, int64_t channels, S* cells) {
    const int64_t origin = begin[range.first];
    for (int64_t i = range.first; i < range.last; ++i, cells += channels) {
        const V sum = add_columns(totals + (begin[i] - origin) * channels, begin[i + 1] - begin[i], channels, V{});
        memcpy(cells, &sum, sizeof sum);
    }
}

}  // namespace acltwin::ACLTWIN_LEVEL
