// Maxima tile by tile, in vectors.
#pragma once

#include "kernels/level/window_max_fold.h"
#include "kernels/level/window_max_walk.h"
#include "kernels/loops/sink.h"

namespace acltwin::ACLTWIN_LEVEL {

// Runs tasks. A tile's rows are folded first, column by column; then its columns, window by window. Columns outside the
// source are -infinity with an index that loses against every other.
template <class T, class I>
class TileFolder {
public:
    TileFolder(const WindowMaxRows& p, const T* source, T* result, I* indices)
        : p_(p),
          source_(source),
          result_(result),
          indices_(indices),
          values_sink_(way(p.result_pitch, p.result_channel), p.result_pitch, p.result_channel, values_out_),
          indices_sink_(way(p.index_pitch, p.index_channel), p.index_pitch, p.index_channel, indices_out_) {}

    void run(int64_t first, int64_t last) {
        each_tile(p_, first, last, [&](const Tile& tile) {
            if (tile.channels != channels_) set_channels(tile.channels);
            if (tile.first_window != columns_.first_window) set_columns(tile);
            fold_tile(tile);
        });
    }

private:
    Way way(int64_t pitch, int64_t channel) const {
        const bool together = pitch == p_.channels && (channel == 1 || p_.channels == 1);
        return together && p_.tile_channels == p_.channels ? Way::copy : Way::unpack;
    }

    // Rows whose elements are neither neighbours along W nor along C are packed first, one at a time.
    bool packed() const { return p_.channels == 1 && p_.source_pitch != 1; }
    // All columns of a row are one run of memory.
    bool dense() const { return packed() || p_.source_pitch == channels_; }

    // Tables for tiles of so many channels, as long as the largest tile needs them.
    void set_channels(int64_t channels) {
        channels_ = channels;
        const int64_t columns = dense() ? columns_of(p_.tile_windows) : 1;
        for (int64_t column = 0, i = 0; column < columns; ++column)
            for (const int64_t end = i + channels; i < end; ++i) column_[i] = int32_t(column);
        for (int64_t i = columns * channels, end = i + kLanes; i < end; ++i) column_[i] = 0;  // vectors reach past them
        const int64_t n = p_.tile_windows * channels;
        for (int64_t window = 0, i = 0; window < p_.tile_windows; ++window)
            for (int64_t c = 0; c < channels; ++c, ++i)
                position_[i] = int32_t(window * p_.axes[2].stride * channels + c);
        for (int64_t i = n; i < n + kLanes; ++i) position_[i] = 0;
    }

    ACLTWIN_INLINE void fold_tile(const Tile& tile) {
        const int64_t windows = tile.windows;
        T* const values = values_out_;
        I* const where = indices_out_;
        const bool nan = fold_columns(tile);
        if (nan)
            fold_windows<true>(windows, values, where);
        else
            fold_windows<false>(windows, values, where);
        if (nan && sizeof(T) == 2) restore_nan(source_ + tile.plane, windows, values, where);
        values_sink_.put(result_ + tile.result, windows, channels_);
        indices_sink_.put(indices_ + tile.indices, windows, channels_);
    }

    int64_t columns_of(int64_t windows) const {
        return (windows - 1) * p_.axes[2].stride + (p_.axes[2].kernel - 1) * p_.axes[2].dilation + 1;
    }

    // The rows of a tile's windows, from column `first` on.
    ACLTWIN_INLINE WindowRows<T> rows_of(const Tile& tile, int64_t first) const {
        const WindowAxis &d = p_.axes[0], &h = p_.axes[1];
        const int64_t d_first = d.first_tap(tile.d), h_first = h.first_tap(tile.h), width = p_.axes[2].size;
        const int64_t at_d = d.cell(tile.d, d_first), at_h = h.cell(tile.h, h_first);
        WindowRows<T> rows;
        rows.first = source_ + tile.plane + at_d * p_.depth_stride + at_h * p_.height_stride + first * p_.source_pitch;
        rows.index = uint32_t((at_d * h.size + at_h) * width + first);
        rows.slices = d.end_tap(tile.d) - d_first;
        rows.rows = h.end_tap(tile.h) - h_first;
        rows.slice_offset = uint64_t(d.dilation) * uint64_t(p_.depth_stride);
        rows.row_offset = uint64_t(h.dilation) * uint64_t(p_.height_stride);
        rows.slice_index = uint32_t(d.dilation) * uint32_t(h.size * width);
        rows.row_index = uint32_t(h.dilation) * uint32_t(width);
        return rows;
    }

    // Which columns of the source the tiles from a window on have, and how many they miss.
    void set_columns(const Tile& tile) {
        const int64_t start = p_.axes[2].start(tile.first_window), count = columns_of(tile.windows);
        const int64_t first = max64(start, 0), last = min64(start + count, p_.axes[2].size);
        columns_ = {tile.first_window, first, max64(0, last - first), min64(first - start, count), count};
    }

    ACLTWIN_INLINE bool fold_columns(const Tile& tile) {
        const Columns& c = columns_;
        const Maxima inside = {values_ + c.before * channels_, indices_of_ + c.before * channels_};
        const bool nan = c.inside > 0 && fold_rows(tile, c.first, c.inside, inside);
        fill_outside(0, c.before);
        fill_outside(c.before + c.inside, c.all);
        return nan;
    }

    void fill_outside(int64_t first, int64_t last) {
        for (int64_t i = first * channels_; i < last * channels_; ++i) {
            values_[i] = -__builtin_inff();
            indices_of_[i] = INT32_MAX;
        }
    }

    ACLTWIN_INLINE bool fold_rows(const Tile& tile, int64_t first, int64_t n, const Maxima& maxima) {
        WindowRows<T> rows = rows_of(tile, first);
        if (packed()) return fold_packed(rows, n, maxima);
        if (dense()) return ACLTWIN_LEVEL::fold_rows(rows, true, column_, n * channels_, maxima);
        bool nan = false;
        for (int64_t i = 0; i < n; ++i) {
            nan |= ACLTWIN_LEVEL::fold_rows(rows, true, column_, channels_,
                                            {maxima.values + i * channels_, maxima.indices + i * channels_});
            rows.shift(p_.source_pitch, 1);
        }
        return nan;
    }

    ACLTWIN_NOINLINE bool fold_packed(const WindowRows<T>& rows, int64_t n, const Maxima& maxima) {
        bool first_row = true, nan = false;
        each_row(rows, 0, [&](int64_t offset, uint32_t index) {
            pack_cells(n, 1, rows.first + offset, p_.source_pitch, row_);
            WindowRows<T> packed_row;
            packed_row.first = row_;
            packed_row.index = index;
            nan = ACLTWIN_LEVEL::fold_rows(packed_row, first_row, column_, n, maxima);  // an earlier NaN is still there
            first_row = false;
        });
        return nan;
    }

    template <bool kNaN>
    void fold_windows(int64_t windows, T* values, I* where) {
        const WindowAxis& w = p_.axes[2];
        const Maxima maxima = {values_, indices_of_};
        const int64_t n = windows * channels_, step = w.dilation * channels_;
        if (w.stride == 1 || windows == 1)
            ACLTWIN_LEVEL::fold_windows<kNaN>(maxima, NextColumns(), n, w.kernel, step, values, where);
        else if (w.stride == 2 && channels_ == 1)
            ACLTWIN_LEVEL::fold_windows<kNaN>(maxima, SecondColumns(), n, w.kernel, step, values, where);
        else if (channels_ < kLanes)
            ACLTWIN_LEVEL::fold_windows<kNaN>(maxima, TableColumns{position_}, n, w.kernel, step, values, where);
        else
            for (int64_t i = 0; i < windows; ++i) {
                const int64_t at = i * w.stride * channels_;
                ACLTWIN_LEVEL::fold_windows<kNaN>({values_ + at, indices_of_ + at}, NextColumns(), channels_, w.kernel,
                                                  step, values + i * channels_, where + i * channels_);
            }
    }

    // Widening and narrowing keep a NaN, but not each of its bits: takes them from the source.
    void restore_nan(const T* plane, int64_t windows, T* values, const I* where) {
        const WindowAxis &h = p_.axes[1], &w = p_.axes[2];
        for (int64_t i = 0; i < windows * channels_; ++i) {
            const float value = widen(values[i]);
            if (value == value) continue;
            const int64_t cell = where[i], row = cell / w.size;
            values[i] = plane[row / h.size * p_.depth_stride + row % h.size * p_.height_stride +
                              cell % w.size * p_.source_pitch + i % channels_];
        }
    }

    const WindowMaxRows& p_;
    const T* source_;
    T* result_;
    I* indices_;
    int64_t channels_ = 0;
    struct Columns {
        int64_t first_window = -1, first = 0, inside = 0, before = 0, all = 0;
    } columns_;
    Sink<T> values_sink_;
    Sink<I> indices_sink_;

    // Loads of the last windows reach up to two vectors past a tile's columns.
    static constexpr int64_t kColumns = WindowMaxRows::kTile + 2 * kLanes;
    alignas(64) float values_[kColumns];
    alignas(64) int32_t indices_of_[kColumns];
    alignas(64) int32_t column_[kColumns];
    alignas(64) int32_t position_[kColumns];
    alignas(64) T row_[kColumns];
    // What is written a vector past a tile's results must do no harm.
    alignas(64) T values_out_[kColumns];
    alignas(64) I indices_out_[kColumns];
};

}  // namespace acltwin::ACLTWIN_LEVEL
