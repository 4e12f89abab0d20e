// Step 2 of an interval sum: the columns of a row become its cells, fused with step 1 while the sums are in registers.
#pragma once

#include <type_traits>

#include "kernels/level/interval_sum_rows.h"

namespace acltwin::ACLTWIN_LEVEL {

// Writes the cells of `range` from where their columns are: one group of rows, or totals, which are one row; or, where
// H and W have changed places, a box. Outside of buffers, which have margins, the whole row of the source is there to
// be read.
template <class Source, class Out>
using FoldFunction = void (*)(const IntervalRows& p, const Source& source, CellRange range, Out* out);

// Columns of a group of rows, summed in registers. kFoldsPairs: neighbours can be added without moving a lane.
template <int kRows, class T>
class GroupColumns {
public:
    typedef RowGroup<T> Source;
    typedef typename Sum<T>::Vector V;
    static constexpr bool kFoldsPairs = std::is_same_v<T, BFloat>;

    // Counts columns from `first` on.
    ACLTWIN_INLINE GroupColumns(const IntervalRows& p, const Source& group, int64_t first)
        : rows_(group.first + (first - group.origin), group.offsets, group.count), ahead_(p.ahead) {}

    // What add(columns, sum) makes of kVectors vectors from a column on, `step` columns apart.
    template <int kVectors, class Add>
    ACLTWIN_INLINE V fold(int64_t at, int64_t step, const Add& add) const {
        V columns[kVectors], cells = -V{};
        sum_rows(rows_, at, columns, step, ahead_);
        add(columns, cells);
        return cells;
    }
    ACLTWIN_INLINE Float fold_pairs(int64_t at) const {
        const Pairs columns = sum_pairs(rows_, at, ahead_);
        return columns.even + columns.odd;
    }

private:
    const RowPointers<kRows, T> rows_;
    const int64_t ahead_;
};

// The columns of intervals of kFactor, in ascending order. The cells of two columns come out of order, which is fixed
// when they are complete.
template <int kFactor, class V>
ACLTWIN_INLINE void add_uniform(const V (&v)[kFactor], V& sum) {
    if constexpr (kFactor == 1) {
        sum += v[0];
    } else if constexpr (kFactor == 2) {
        sum = sum + every_second_in_groups<0>(v[0], v[1], LanesOf<V>());
        sum = sum + every_second_in_groups<1>(v[0], v[1], LanesOf<V>());
    } else if constexpr (kFactor == 3) {
        sum = ((sum + every_third<0>(v[0], v[1], v[2])) + every_third<1>(v[0], v[1], v[2])) +
              every_third<2>(v[0], v[1], v[2]);
    } else {
        const V even[] = {every_second<0>(v[0], v[1]), every_second<0>(v[2], v[3])};
        const V odd[] = {every_second<1>(v[0], v[1]), every_second<1>(v[2], v[3])};
        sum = (sum + every_second<0>(even[0], even[1])) + every_second<0>(odd[0], odd[1]);
        sum = (sum + every_second<1>(even[0], even[1])) + every_second<1>(odd[0], odd[1]);
    }
}

template <int kFactor, class Columns>
ACLTWIN_INLINE auto fold_uniform(const Columns& columns, int64_t at) {
    typedef typename Columns::V V;
    if constexpr (kFactor == 2 && Columns::kFoldsPairs) {
        return columns.fold_pairs(at);
    } else {
        const auto add = [](const V(&vectors)[kFactor], V& sum) { add_uniform(vectors, sum); };
        const V cells = columns.template fold<kFactor>(at, kLanesIn<V>, add);
        return kFactor == 2 ? groups_in_order(cells, LanesOf<V>()) : cells;
    }
}
template <int kFactor, class Columns, class Out>
void fold_uniform(const IntervalRows& p, const typename Columns::Source& source, CellRange range, Out* out) {
    constexpr int kLanes = kLanesOf<Out>;
    const Columns columns(p, source, range.first * kFactor);
    const auto fold = [&](int64_t cell) { store_sums(out + cell, fold_uniform<kFactor>(columns, cell * kFactor)); };
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

template <int kVectors, int kCells, class Columns, class Out>
void fold_blocks(const IntervalRows& p, const typename Columns::Source& source, CellRange range, Out* out) {
    typedef typename Columns::V V;
    const int64_t picks = p.table.picks, step = p.table.vector_step, origin = source.origin;
    const Columns columns(p, source, origin);
    const int32_t* const patterns = p.table.patterns;
    const auto fold = [&](const CellBlock& block, Out* block_out) {
        const int32_t* const pattern = patterns + block.pattern;
        const auto add = [&](const V(&vectors)[kVectors], V& sum) {
            sum += pick(vectors, load(pattern));
            for (int64_t k = 1; k < picks; ++k) sum += pick(vectors, load(pattern + k * kLanes));
        };
        store_first_sums<kCells>(block_out, columns.template fold<kVectors>(block.first_column - origin, step, add));
    };
    const CellBlock* block = p.table.blocks + range.first / kCells;
    int64_t cell = range.first;
    for (; cell + kCells <= range.last; cell += kCells) fold(*block++, out + (cell - range.first));
    if (cell < range.last) fold(*block, out + (max64(0, p.cells - kCells) - range.first));
}

template <class Columns, class Out>
FoldFunction<typename Columns::Source, Out> fold_function(const IntervalRows& p) {
    constexpr int kLanes = kLanesOf<Out>;
    if (p.fold == Fold::blocks) {
        if (p.table.vectors == 1) return fold_blocks<1, kLanes, Columns, Out>;
        if (p.table.cells == kLanes) return fold_blocks<2, kLanes, Columns, Out>;
        return fold_blocks<2, kLanes / 2, Columns, Out>;
    }
    switch (p.factor) {
        case 1: return fold_uniform<1, Columns, Out>;
        case 2: return fold_uniform<2, Columns, Out>;
        case 3: return fold_uniform<3, Columns, Out>;
        default: return fold_uniform<4, Columns, Out>;
    }
}

// Any intervals, from totals in memory: `channels` neighbouring sums make up a column. V is a scalar for one channel, a
// vector for as many channels as it has lanes or fewer; what the other lanes hold is overwritten by the next cell.
template <class V, class S>
ACLTWIN_INLINE V add_columns(const S* totals, int64_t columns, int64_t channels, V sum) {
    for (int64_t i = 0; i < columns; ++i) sum += load_as<V>(totals + i * channels);
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
