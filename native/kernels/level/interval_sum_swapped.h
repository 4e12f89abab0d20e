// Interval sums where H lies together in the source, and so takes the place of W in the loops and tables: a row runs
// along H, and the rows of a box are its columns on D and W. The order of the additions stays that of the contract:
// first the elements (d, h) of every column, which are one group here, then the columns.
#pragma once

#include "kernels/level/interval_sum_buffers.h"
#include "kernels/level/interval_sum_fold.h"
#include "kernels/level/transpose.h"

namespace acltwin::ACLTWIN_LEVEL {

// Columns of all the rows of a box, column on W by column.
template <class T>
class BoxColumns {
public:
    typedef Box<T> Source;
    typedef typename Sum<T>::Vector V;
    static constexpr bool kFoldsPairs = false;

    ACLTWIN_INLINE BoxColumns(const IntervalRows&, const Source& box, int64_t first)
        : box_(box), first_(box.first + first) {}

    template <int kVectors, class Add>
    ACLTWIN_INLINE V fold(int64_t at, int64_t step, const Add& add) const {
        V cells = -V{};
        const T* column = first_ + at;
        for (int64_t w = 0; w < box_.height; ++w, column += box_.height_stride) {
            V sum = -V{};
            const T* row = column;
            for (int64_t d = 0; d < box_.depth; ++d, row += box_.depth_stride) {
                V columns[kVectors];
                for (int v = 0; v < kVectors; ++v) columns[v] = load(row + v * step);
                add(columns, sum);
            }
            cells += sum;
        }
        return cells;
    }

private:
    const Source& box_;
    const T* const first_;
};

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
    const auto fold = fold_function<BoxColumns<T>, T>(p);
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
