// Interval sums where H lies together in the source, and so takes the place of W in the loops and tables: a row runs
// along H, and the rows of a "box" are the columns of the W interval. Vectors hold cells that are neighbours on H; the
// order of the additions stays the one of the contract.
#pragma once

#include "kernels/level/interval_sum_fold.h"

namespace acltwin::ACLTWIN_LEVEL::interval {

// Writes the cells of `range` from all the rows of a box.
template <class T>
using SwappedFunction = void (*)(const IntervalRows& p, const Box<T>& box, CellRange range, T* out);

// The elements of one column of the box, added in groups of eight. Neutral values start every sum.
template <class V>
class GroupedSum {
public:
    ACLTWIN_INLINE void add(V x) {
        if (count_ == kRowsPerGroup) {
            total_ += group_;
            group_ = -V{};
            count_ = 0;
        }
        group_ += x;
        ++count_;
    }
    ACLTWIN_INLINE V sum() const { return total_ + group_; }

private:
    V total_ = -V{}, group_ = -V{};
    int count_ = 0;
};

// The same where lanes have different numbers of elements, so that their groups end at different places.
template <class V>
class LaneGroupedSum {
public:
    ACLTWIN_INLINE void add(V x, Int present) {
        const Int full = (count_ == kRowsPerGroup) & present;
        total_ += bit_cast<V>(full ? bit_cast<Int>(group_) : bit_cast<Int>(-V{}));
        group_ = bit_cast<V>(full ? bit_cast<Int>(-V{}) : bit_cast<Int>(group_)) + x;
        count_ = (full ? Int{} : count_) - present;
    }
    ACLTWIN_INLINE V sum() const { return total_ + group_; }

private:
    V total_ = -V{}, group_ = -V{};
    Int count_ = {};
};

template <int kFactor, class T>
void fold_swapped_uniform(const IntervalRows&, const Box<T>& box, CellRange range, T* out) {
    typedef typename Sum<T>::Vector V;
    constexpr int kLanes = kLanesOf<T>;
    const auto fold = [&](int64_t cell) {
        V cells = -V{};
        const T* column = box.first + cell * kFactor;
        for (int64_t h = 0; h < box.height; ++h, column += box.height_stride) {
            GroupedSum<V> sum;
            const T* row = column;
            for (int64_t d = 0; d < box.depth; ++d, row += box.depth_stride) {
                V columns[kFactor], taken[kFactor];
                load_row(row, columns);
                take_uniform(columns, taken);
                for (int k = 0; k < kFactor; ++k) sum.add(taken[k]);
            }
            cells += sum.sum();
        }
        store(out + (cell - range.first), cells_in_order<kFactor>(cells));
    };
    int64_t cell = range.first;
    for (; cell + kLanes <= range.last; cell += kLanes) fold(cell);
    if (cell < range.last) fold(range.last - kLanes);
}

template <int kVectors, int kCells, class T>
void fold_swapped_blocks(const IntervalRows& p, const Box<T>& box, CellRange range, T* out) {
    typedef typename Sum<T>::Vector V;
    const bool one_group = box.depth <= kRowsPerGroup && box.depth * p.table.picks <= kRowsPerGroup;
    const auto fold = [&](const CellBlock& block, T* block_out) {
        const int32_t* const pattern = p.table.patterns + block.pattern;
        V cells = -V{};
        const T* column = box.first + block.first_column;
        for (int64_t h = 0; h < box.height; ++h, column += box.height_stride) {
            LaneGroupedSum<V> sum;
            V group = -V{};
            const T* row = column;
            for (int64_t d = 0; d < box.depth; ++d, row += box.depth_stride) {
                V columns[kVectors];
                load_row(row, columns);
                for (int64_t k = 0; k < p.table.picks; ++k) {
                    const Int words = load_words(pattern + k * kLanes);
                    const V picked = pick(columns, words, -V{});
                    if (one_group)
                        group += picked;
                    else
                        sum.add(picked, words >= 0);
                }
            }
            cells += one_group ? group : sum.sum();
        }
        const Word found = load_words(pattern) < 0 ? Word{} : bit_cast<Word>(cells);
        store_first<kCells>(block_out, bit_cast<V>(found));
    };
    const CellBlock* block = p.table.blocks + range.first / kCells;
    int64_t cell = range.first;
    for (; cell + kCells <= range.last; cell += kCells) fold(*block++, out + (cell - range.first));
    if (cell < range.last) fold(*block, out + (p.cells - kCells - range.first));
}

template <class T>
SwappedFunction<T> swapped_function(const IntervalRows& p) {
    constexpr int kLanes = kLanesOf<T>;
    if (p.fold == Fold::blocks) {
        if (p.table.cells < kLanes) return fold_swapped_blocks<2, kLanes / 2, T>;
        switch (p.table.vectors) {
            case 1: return fold_swapped_blocks<1, kLanes, T>;
            case 2: return fold_swapped_blocks<2, kLanes, T>;
            default: return fold_swapped_blocks<3, kLanes, T>;
        }
    }
    switch (p.factor) {
        case 1: return fold_swapped_uniform<1, T>;
        case 2: return fold_swapped_uniform<2, T>;
        case 3: return fold_swapped_uniform<3, T>;
        default: return fold_swapped_uniform<4, T>;
    }
}

}  // namespace acltwin::ACLTWIN_LEVEL::interval
