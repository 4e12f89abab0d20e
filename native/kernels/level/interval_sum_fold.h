// Step 2 of an interval sum: the columns of a row become its cells, fused with step 1 while the sums are in registers.
#pragma once

#include "kernels/level/interval_sum_walk.h"

namespace acltwin::ACLTWIN_LEVEL::interval {

// Writes the cells of `range` from listed rows, or from totals, which are one row. Outside of buffers, which have
// margins, the whole row of the source is there to be read.
template <class T, class Out>
using FoldFunction = void (*)(const IntervalRows& p, const RowList<T>& list, CellRange range, Out* out);

// ---- intervals of kFactor columns: one vector of cells out of kFactor vectors of columns ----

// Element k of every cell in taken[k]. The cells may be out of order; cells_in_order puts them right.
template <class V>
ACLTWIN_INLINE void take_uniform(const V (&v)[1], V (&taken)[1]) {
    taken[0] = v[0];
}
template <class V>
ACLTWIN_INLINE void take_uniform(const V (&v)[2], V (&taken)[2]) {
    taken[0] = every_second_in_groups<0>(v[0], v[1]);
    taken[1] = every_second_in_groups<1>(v[0], v[1]);
}
template <class V>
ACLTWIN_INLINE void take_uniform(const V (&v)[3], V (&taken)[3]) {
    taken[0] = every_third<0>(v[0], v[1], v[2]);
    taken[1] = every_third<1>(v[0], v[1], v[2]);
    taken[2] = every_third<2>(v[0], v[1], v[2]);
}
template <class V>
ACLTWIN_INLINE void take_uniform(const V (&v)[4], V (&taken)[4]) {
    const V even_0 = every_second<0>(v[0], v[1]), even_1 = every_second<0>(v[2], v[3]);
    const V odd_0 = every_second<1>(v[0], v[1]), odd_1 = every_second<1>(v[2], v[3]);
    taken[0] = every_second<0>(even_0, even_1);
    taken[1] = every_second<0>(odd_0, odd_1);
    taken[2] = every_second<1>(even_0, even_1);
    taken[3] = every_second<1>(odd_0, odd_1);
}
template <int kFactor, class V>
ACLTWIN_INLINE V cells_in_order(V cells) {
    if constexpr (kFactor == 2) return groups_in_order(cells);
    return cells;
}

template <int kFactor, int kRows, class T, class Out>
void fold_uniform(const IntervalRows&, const RowList<T>& list, CellRange range, Out* out) {
    constexpr int kLanes = kLanesOf<T>;
    const RowSum<kRows, T> rows(list);
    const int64_t start = range.first * kFactor - list.origin;
    const auto fold = [&](int64_t cell) {
        typename Sum<T>::Vector columns[kFactor], taken[kFactor];
        rows.sum(start + cell * kFactor, columns);
        take_uniform(columns, taken);
        for (int k = 1; k < kFactor; ++k) taken[0] += taken[k];
        store(out + cell, cells_in_order<kFactor>(taken[0]));
    };
    const int64_t cells = range.last - range.first;
    int64_t cell = 0;
    for (; cell + kLanes <= cells; cell += kLanes) fold(cell);
    if (cell < cells) fold(max64(0, cells - kLanes));
}

// ---- blocks: a pattern names the columns for each pick ----

ACLTWIN_INLINE Int load_words(const int32_t* p) {
    Int words;
    memcpy(&words, p, sizeof words);
    return words;
}

// The columns for one pick, `neutral` for the cells whose interval is shorter.
template <int kVectors, class V>
ACLTWIN_INLINE V pick(const V (&columns)[kVectors], Int words, V neutral) {
    Word found = lookup(bit_cast<Word>(columns[0]), words);
    if constexpr (kVectors == 2) found = lookup(bit_cast<Word>(columns[0]), bit_cast<Word>(columns[1]), words);
    if constexpr (kVectors == 3)
        found = lookup(bit_cast<Word>(columns[0]), bit_cast<Word>(columns[1]), bit_cast<Word>(columns[2]), words);
    return bit_cast<V>(words < 0 ? bit_cast<Word>(neutral) : found);
}

template <int kVectors, int kCells, int kRows, class T, class Out>
void fold_blocks(const IntervalRows& p, const RowList<T>& list, CellRange range, Out* out) {
    typedef typename Sum<T>::Vector V;
    const RowSum<kRows, T> rows(list);
    const int64_t picks = p.table.picks, origin = list.origin;
    const int32_t* const patterns = p.table.patterns;
    const auto fold = [&](const CellBlock& block, Out* block_out) {
        V columns[kVectors];
        rows.sum(block.first_column - origin, columns);
        const int32_t* words = patterns + block.pattern;
        V cells = pick(columns, load_words(words), V{});
        for (int64_t k = 1; k < picks; ++k) cells += pick(columns, load_words(words += kLanes), -V{});
        store_first<kCells>(block_out, cells);
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
        if (p.table.cells < kLanes) return fold_blocks<2, kLanes / 2, kRows, T, Out>;
        switch (p.table.vectors) {
            case 1: return fold_blocks<1, kLanes, kRows, T, Out>;
            case 2: return fold_blocks<2, kLanes, kRows, T, Out>;
            default: return fold_blocks<3, kLanes, kRows, T, Out>;
        }
    }
    switch (p.factor) {
        case 1: return fold_uniform<1, kRows, T, Out>;
        case 2: return fold_uniform<2, kRows, T, Out>;
        case 3: return fold_uniform<3, kRows, T, Out>;
        default: return fold_uniform<4, kRows, T, Out>;
    }
}

}  // namespace acltwin::ACLTWIN_LEVEL::interval
