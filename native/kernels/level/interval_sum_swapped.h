// Interval sums where H lies together in the source, and so takes the place of W in the loops and tables: a row runs
// along H, and the rows of a box are its columns on D and W. The order of the additions stays that of the contract:
// first the elements (d, h) of every column, which are one group here, then the columns.
#pragma once

#include "kernels/level/interval_sum_buffers.h"
#include "kernels/level/interval_sum_fold.h"
#include "kernels/level/transpose.h"

namespace acltwin::ACLTWIN_LEVEL {

// Writes the cells of `range` from all the rows of a box.
template <class T>
using SwappedFunction = void (*)(const IntervalRows& p, const Box<T>& box, CellRange range, T* out);

// The sums of one block of cells: `add(row, sum)` adds what a row has for them.
template <class T, class Add>
ACLTWIN_INLINE typename Sum<T>::Vector sum_swapped(const Box<T>& box, int64_t first_column, const Add& add) {
    typedef typename Sum<T>::Vector V;
    V cells = -V{};
    const T* column = box.first + first_column;
    for (int64_t w = 0; w < box.height; ++w, column += box.height_stride) {
        V sum = -V{};
        const T* row = column;
        for (int64_t d = 0; d < box.depth; ++d, row += box.depth_stride) add(row, sum);
        cells += sum;
    }
    return cells;
}

// The columns of uniform intervals, in ascending order. The cells of two columns come out of order, which is fixed
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

template <int kFactor, class T>
void fold_swapped_uniform(const IntervalRows&, const Box<T>& box, CellRange range, T* out) {
    typedef typename Sum<T>::Vector V;
    constexpr int kLanes = kLanesOf<T>;
    const auto fold = [&](int64_t cell) {
        const auto add = [](const T* row, V& sum) {
            V columns[kFactor];
            for (int v = 0; v < kFactor; ++v) columns[v] = load(row + v * kLanes);
            add_uniform(columns, sum);
        };
        const V cells = sum_swapped(box, cell * kFactor, add);
        store_sums(out + (cell - range.first), kFactor == 2 ? groups_in_order(cells, LanesOf<V>()) : cells);
    };
    int64_t cell = range.first;
    for (; cell + kLanes <= range.last; cell += kLanes) fold(cell);
    if (cell < range.last) fold(range.last - kLanes);
}

template <int kVectors, int kCells, class T>
void fold_swapped_blocks(const IntervalRows& p, const Box<T>& box, CellRange range, T* out) {
    typedef typename Sum<T>::Vector V;
    const int64_t picks = p.table.picks, step = p.table.vector_step;
    const auto fold = [&](const CellBlock& block, T* block_out) {
        const int32_t* const pattern = p.table.patterns + block.pattern;
        const auto add = [&](const T* row, V& sum) {
            V columns[kVectors];
            for (int v = 0; v < kVectors; ++v) columns[v] = load(row + v * step);
            for (int64_t k = 0; k < picks; ++k) sum += pick(columns, load_words(pattern + k * kLanes));
        };
        const V cells = sum_swapped(box, block.first_column, add);
        store_first_sums<kCells>(block_out, cells);
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
        if (p.table.vectors == 1) return fold_swapped_blocks<1, kLanes, T>;
        if (p.table.cells == kLanes) return fold_swapped_blocks<2, kLanes, T>;
        return fold_swapped_blocks<2, kLanes / 2, T>;
    }
    switch (p.factor) {
        case 1: return fold_swapped_uniform<1, T>;
        case 2: return fold_swapped_uniform<2, T>;
        case 3: return fold_swapped_uniform<3, T>;
        default: return fold_swapped_uniform<4, T>;
    }
}

// result[c * pitch + r] = tile[r * Buffers::kTilePitch + c]
template <class T>
void put_columns(const T* tile, int64_t rows, int64_t cells, T* result, int64_t pitch) {
    constexpr int64_t kSide = int64_t(16 / sizeof(T)), kPitch = Buffers<T>::kTilePitch;
    if (rows < kSide || cells < kSide) {
        for (int64_t c = 0; c < cells; ++c)
            for (int64_t r = 0; r < rows; ++r) result[c * pitch + r] = tile[r * kPitch + c];
        return;
    }
    // The last squares start further left instead of being smaller.
    for (int64_t c = 0; c < cells; c += kSide)
        for (int64_t r = 0; r < rows; r += kSide) {
            const int64_t cell = min64(c, cells - kSide), row = min64(r, rows - kSide);
            transpose_square(tile + row * kPitch + cell, kPitch, result + cell * pitch + row, pitch);
        }
}

// n rows whose cells are apart in the result, but neighbours of the next row's. They differ in their intervals `h`.
template <class T>
ACLTWIN_NOINLINE void sum_into_columns(const IntervalRows& p, Box<T> box, const int64_t* h, int64_t n, CellRange part,
                                       Buffers<T>& buffers, T* result) {
    const SwappedFunction<T> fold = swapped_function<T>(p);
    const T* const first = box.first;
    const auto sum_tile = [&](int64_t first_row, int64_t rows, CellRange piece) {
        for (int64_t r = 0; r < rows; ++r) {
            const int64_t* interval = h + first_row + r;
            box.first = first + interval[0] * p.height_stride;
            box.height = interval[1] - interval[0];
            fold(p, box, piece, buffers.tile(r));
        }
        put_columns(buffers.tile(0), rows, piece.last - piece.first, result + first_row + piece.first * p.result_pitch,
                    p.result_pitch);
    };
    for (int64_t row = 0; row < n; row += Buffers<T>::kTileRows)
        for (CellRange piece = {part.first, 0}; piece.first < part.last; piece.first = piece.last) {
            piece.last = Buffers<T>::end_of_piece(piece.first, part.last, Buffers<T>::kPiece);
            sum_tile(row, min64(n - row, Buffers<T>::kTileRows), piece);
        }
}

}  // namespace acltwin::ACLTWIN_LEVEL
