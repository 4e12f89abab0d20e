// Interval sums where many channels lie together: a cell is a run of channels, added up vector by vector.
#pragma once

#include <type_traits>

#include "kernels/level/interval_sum_buffers.h"
#include "kernels/level/interval_sum_rows.h"
#include "kernels/level/sink.h"

namespace acltwin::ACLTWIN_LEVEL {

// kVectors vectors of one cell's channels, from `channel` on.
template <int kVectors, int kRows, class T>
ACLTWIN_INLINE void sum_channel_vectors(const RowPointers<kRows, T>& rows, int64_t channel, int64_t columns,
                                        int64_t pitch, T* out) {
    typename Sum<T>::Vector cell[kVectors], column[kVectors];
    sum_rows(rows, channel, cell);
    for (int64_t k = 1; k < columns; ++k) {
        sum_rows(rows, channel + k * pitch, column);
        for (int v = 0; v < kVectors; ++v) cell[v] += column[v];
    }
    for (int v = 0; v < kVectors; ++v) store_sums(out + channel + v * kLanesOf<T>, cell[v]);
}

// A run of one cell's channels, at least a vector: `columns` columns, `pitch` elements apart, of one group of rows.
template <int kRows, class T>
ACLTWIN_INLINE void sum_channels(const RowPointers<kRows, T>& rows, int64_t columns, int64_t pitch, int64_t channels,
                                 T* out) {
    if constexpr (std::is_same_v<T, BFloat>) {
        if (channels >= 2 * kLanes) {
            for (int64_t i = 0; i < channels; i += 2 * kLanes) {
                const int64_t channel = min64(i, channels - 2 * kLanes);
                Pairs cell = sum_pairs(rows, channel);
                for (int64_t k = 1; k < columns; ++k) cell = cell + sum_pairs(rows, channel + k * pitch);
                store_sums(out + channel, cell);
            }
            return;
        }
    }
    constexpr int kLanes = kLanesOf<T>;
    int64_t channel = 0;
    for (; channel + 2 * kLanes <= channels; channel += 2 * kLanes)
        sum_channel_vectors<2>(rows, channel, columns, pitch, out);
    for (; channel < channels; channel += kLanes)
        sum_channel_vectors<1>(rows, min64(channel, channels - kLanes), columns, pitch, out);
}

// The same for a box with several groups of rows.
template <class T>
void sum_channels(Box<T> box, int64_t columns, int64_t pitch, int64_t channels, Buffers<T>& buffers, T* out) {
    for (int64_t k = 0; k < columns; ++k, box.first += pitch) {
        int64_t offsets[kRowsPerGroup];
        RowGroups<T> groups(box);
        bool first = true;
        for (int count; (count = groups.next(offsets)) > 0; first = false)
            add_group(box.first, offsets, count, channels, first, buffers.totals());
        const int64_t none = 0;
        add_group(buffers.totals(), &none, 1, channels, k == 0, buffers.sums);
    }
    narrow_sums(buffers.sums, channels, out);
}

// One cell's channels, at least a vector: too few for a call of memset.
template <class T>
ACLTWIN_INLINE void clear_channels(int64_t channels, T* out) {
    constexpr int kLanes = kLanesOf<T>;
    for (int64_t i = 0; i < channels; i += kLanes) memset(out + min64(i, channels - kLanes), 0, kLanes * sizeof(T));
}

// A part of a row whose boxes are one group of rows, straight into the result.
template <int kRows, class T>
void sum_channel_cells(const IntervalRows& p, const T* first, const GroupShape& group, CellRange part, T* result) {
    for (int64_t cell = part.first; cell < part.last; ++cell) {
        const int64_t begin = p.begin[2][cell], columns = p.begin[2][cell + 1] - begin;
        T* out = result + cell * p.result_pitch;
        if (columns == 0)
            clear_channels(p.channels, out);
        else
            sum_channels(RowPointers<kRows, T>(first + begin * p.source_pitch, group.offsets, int(group.count)),
                         columns, p.source_pitch, p.channels, out);
    }
}

template <class T>
ACLTWIN_NOINLINE void sum_channel_part(const IntervalRows& p, const Box<T>& box, CellRange part, GroupShapes& shapes,
                                       Buffers<T>& buffers, Sink<T>& sink, T* result) {
    if (box.empty() && p.result_pitch == p.channels)
        return sink.put_zeros(result + part.first * p.channels, part.last - part.first, p.channels);
    const GroupShape* group = shapes.find(box.depth, box.height);
    if (group != nullptr && sink.direct())
        return with_row_count(int(group->count),
                              [&](auto count) { sum_channel_cells<count>(p, box.first, *group, part, result); });
    const int64_t piece = Buffers<T>::kPiece;
    for (int64_t cell = part.first; cell < part.last; ++cell) {
        const int64_t columns = p.begin[2][cell + 1] - p.begin[2][cell];
        T* dst = result + cell * p.result_pitch;
        if (columns == 0 || box.empty()) {
            sink.put_zeros(dst, 1, p.channels);
            continue;
        }
        Box<T> run = box;
        run.first += p.begin[2][cell] * p.source_pitch;
        for (int64_t channel = 0, n; channel < p.channels; channel += n, run.first += n, dst += n) {
            n = p.channels - channel < 2 * piece ? p.channels - channel : piece;
            T* out = sink.place(dst);
            if (group != nullptr)
                with_row_count(int(group->count), [&](auto count) {
                    sum_channels(RowPointers<count, T>(run.first, group->offsets, int(group->count)), columns,
                                 p.source_pitch, n, out);
                });
            else
                sum_channels(run, columns, p.source_pitch, n, buffers, out);
            sink.put(dst, 1, n);
        }
    }
}

}  // namespace acltwin::ACLTWIN_LEVEL
