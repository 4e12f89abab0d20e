// Interval sums where many channels lie together: a cell is a run of channels, added up vector by vector.
#pragma once

#include "kernels/level/interval_sum_sink.h"
#include "kernels/level/interval_sum_walk.h"

namespace acltwin::ACLTWIN_LEVEL {

// A run of one cell's channels, at least a vector: `columns` columns, `pitch` elements apart, of one group of rows.
template <int kRows, class T>
void sum_channels(const T* const* group, int64_t at, int64_t columns, int64_t pitch, int64_t channels, T* out) {
    constexpr int kLanes = kLanesOf<T>;
    const T* rows[kRows];
    for (int r = 0; r < kRows; ++r) rows[r] = group[r] + at;
    for (int64_t i = 0; i < channels; i += kLanes) {
        const int64_t channel = min64(i, channels - kLanes);
        typename Sum<T>::Vector cell[1], column[1];
        sum_rows<kRows>(rows, channel, cell);
        for (int64_t k = 1; k < columns; ++k) {
            sum_rows<kRows>(rows, channel + k * pitch, column);
            cell[0] += column[0];
        }
        store(out + channel, cell[0]);
    }
}

// The same for a box with several groups of rows.
template <class T>
void sum_channels(const Box<T>& box, int64_t at, int64_t columns, int64_t pitch, int64_t channels, Buffers<T>& buffers,
                  T* out) {
    for (int64_t k = 0; k < columns; ++k, at += pitch) {
        const T* rows[kRowsPerGroup];
        RowGroups<T> groups(box);
        bool first = true;
        for (int count; (count = groups.next(rows)) > 0; first = false) {
            for (int r = 0; r < count; ++r) rows[r] += at;
            add_group(rows, count, channels, first, buffers.totals());
        }
        const auto* column = buffers.totals();
        add_group(&column, 1, channels, k == 0, buffers.sums);
    }
    narrow_sums(buffers.sums, channels, out);
}

template <class T>
void sum_channel_part(const IntervalRows& p, const Box<T>& box, const CellRange& part, Buffers<T>& buffers,
                      Sink<T>& sink, T* result) {
    const T* rows[kRowsPerGroup];
    const bool one_group = box.one_group();
    const int count = one_group ? RowGroups<T>(box).next(rows) : 0;
    const int64_t piece = one_group && sink.direct() ? p.channels : Buffers<T>::kPiece;
    for (int64_t cell = part.first; cell < part.last; ++cell) {
        const int64_t columns = p.begin[2][cell + 1] - p.begin[2][cell];
        for (int64_t channel = 0, n; channel < p.channels; channel += n) {
            n = p.channels - channel < 2 * piece ? p.channels - channel : piece;
            const int64_t at = p.begin[2][cell] * p.source_pitch + channel;
            T* dst = result + cell * p.result_pitch + channel;
            T* out = sink.place(dst);
            if (columns == 0 || box.empty())
                memset(out, 0, size_t(n) * sizeof(T));
            else if (one_group)
                with_row_count(count, [&](auto rows_of) {
                    sum_channels<decltype(rows_of)::count>(rows, at, columns, p.source_pitch, n, out);
                });
            else
                sum_channels(box, at, columns, p.source_pitch, n, buffers, out);
            sink.put(dst, n);
        }
    }
}

}  // namespace acltwin::ACLTWIN_LEVEL
