// Interval sums where many channels lie together: a cell is a run of channels, added up vector by vector.
#pragma once

#include "kernels/level/interval_sum_sink.h"
#include "kernels/level/interval_sum_totals.h"

namespace acltwin::ACLTWIN_LEVEL::interval {

// A part of a row, or of a single cell: at least a vector of each cell's channels.
struct ChannelPiece {
    CellRange cells;
    int64_t first, count;  // channels
};

// The rows point at the piece's first channel of column 0.
template <int kRows, class T>
void sum_channels(const IntervalRows& p, const RowList<T>& list, const ChannelPiece& piece, T* out) {
    constexpr int kLanes = kLanesOf<T>;
    typedef typename Sum<T>::Vector V;
    const RowSum<kRows, T> rows(list);
    for (int64_t cell = piece.cells.first; cell < piece.cells.last; ++cell, out += p.result_pitch) {
        const int64_t columns = p.begin[2][cell + 1] - p.begin[2][cell], at = p.begin[2][cell] * p.source_pitch;
        for (int64_t i = 0; i < piece.count; i += kLanes) {
            const int64_t channel = min64(i, piece.count - kLanes);
            V sum[1] = {}, column[1];
            if (columns > 0) rows.sum(at + channel, sum);
            for (int64_t k = 1; k < columns; ++k) {
                rows.sum(at + channel + k * p.source_pitch, column);
                sum[0] += column[0];
            }
            store(out + channel, sum[0]);
        }
    }
}

// One cell of a box that has too many rows to be listed.
template <class T>
void sum_tall_channels(const IntervalRows& p, Box<T> box, const ChannelPiece& piece, Buffers<T>& buffers, T* out) {
    const int64_t* begin = p.begin[2] + piece.cells.first;
    if (begin[0] == begin[1]) {
        memset(out, 0, size_t(piece.count) * sizeof(T));
        return;
    }
    box.first += begin[0] * p.source_pitch;
    for (int64_t column = begin[0]; column < begin[1]; ++column, box.first += p.source_pitch) {
        RowGroups<T> groups(box);
        int64_t offsets[kRowsPerGroup];
        bool first = true;
        for (int64_t count; (count = groups.next(offsets)) > 0; first = false)
            add_group(RowList<T>{box.first, offsets, count, 0}, piece.count, first, buffers.totals());
        add_group(buffers.totals_list(0), piece.count, column == begin[0], buffers.sums);
    }
    narrow_sums(buffers.sums, piece.count, out);
}

template <class T>
ACLTWIN_NOINLINE void sum_channel_part(const IntervalRows& p, const Box<T>& box, CellRange part, BoxShapes& shapes,
                                       Buffers<T>& buffers, Sink<T>& sink, T* result) {
    const int64_t* offsets = box.empty() ? nullptr : shapes.offsets(box.depth, box.height);
    const bool listed = offsets != nullptr, whole = listed && sink.direct();
    const int64_t most = listed ? sink.piece() : Buffers<T>::kPiece;
    const int64_t cells = whole ? part.last - part.first : listed ? max64(1, most / p.channels) : 1;
    const bool together = whole || p.channels < 2 * most;
    for (int64_t cell = part.first; cell < part.last; cell += cells) {
        ChannelPiece piece = {{cell, min64(cell + cells, part.last)}, 0, p.channels};
        for (; piece.first < p.channels; piece.first += piece.count) {
            const int64_t left = p.channels - piece.first;
            piece.count = together || left < 2 * most ? left : most;
            T* dst = result + cell * p.result_pitch + piece.first;
            T* out = sink.place(dst);
            Box<T> run = box;
            run.first += piece.first;
            if (listed)
                with_row_count(box.depth * box.height, [&](auto rows) {
                    const RowList<T> list = {run.first, offsets, box.depth * box.height, 0};
                    sum_channels<decltype(rows)::count>(p, list, piece, out);
                });
            else
                sum_tall_channels(p, run, piece, buffers, out);
            sink.put(dst, (piece.cells.last - cell) * piece.count);
        }
    }
}

}  // namespace acltwin::ACLTWIN_LEVEL::interval
