// Maxima tile by tile, in vectors.
#pragma once

#include "kernels/level/source.h"
#include "kernels/level/window_max_fold.h"
#include "kernels/level/window_max_walk.h"

namespace acltwin::ACLTWIN_LEVEL {

// Runs tasks. The rows of a tile's windows are folded first, column by column; then its columns, window by window.
// Columns outside the source are -infinity with an index that loses against every other.
template <class T, class I>
class TileFolder {
    typedef typename Sum<T>::Scalar Value;
    typedef IndexOf<Value> Index;
    static constexpr int64_t kVector = kLanesOf<T>;

public:
    TileFolder(const WindowMaxRows& p, const T* source, T* result, I* indices)
        : p_(p), source_(source), result_(result), indices_(indices) {
        const WindowAxis &d = p.axes[0], &h = p.axes[1], &w = p.axes[2];
        rows_.slice_offset = uint64_t(d.dilation) * uint64_t(p.depth_stride);
        rows_.row_offset = uint64_t(h.dilation) * uint64_t(p.height_stride);
        rows_.slice_index = uint32_t(d.dilation) * uint32_t(h.size * w.size);
        rows_.row_index = uint32_t(h.dilation) * uint32_t(w.size);
    }

    void run(int64_t first, int64_t last) {
        each_tile(p_, first, last, [&](const Tile& tile) {
            if (tile.channels != channels_) set_channels(tile.channels);
            if (tile.first_window != columns_.first_window && !p_.one_window) set_columns(tile);
            fold_tile(tile);
        });
    }

private:
    // A row's elements are one run of memory, or single ones with gaps between them.
    bool dense() const { return p_.channels == 1 || (p_.source_pitch == channels_ && !p_.one_window); }

    // Tables for tiles of so many channels, as long as the largest tile needs them.
    void set_channels(int64_t channels) {
        channels_ = channels;
        columns_.first_window = -1;
        const int64_t columns = dense() ? p_.tile_columns : 1;
        for (int64_t column = 0, i = 0; column < columns; ++column)
            for (const int64_t end = i + channels; i < end; ++i) column_[i] = Index(column);
        for (int64_t i = columns * channels, end = i + kVector; i < end; ++i)
            column_[i] = 0;  // vectors reach past them
        if (takes_table() && !varied()) set_positions(0, p_.tile_windows);
    }
    void set_positions(int64_t first, int64_t windows) {
        const WindowAxis& w = p_.axes[2];
        int64_t i = 0;
        for (int64_t window = first; window < first + windows; ++window)
            for (int64_t c = 0; c < channels_; ++c, ++i) {
                position_[i] = int32_t((w.start(window) - w.start(first)) * channels_ + c);
                if (varied()) last_[i] = int32_t(w.end_tap(window) - 1);
            }
        for (const int64_t end = i + kLanes; i < end; ++i) position_[i] = last_[i] = 0;
    }
    bool varied() const { return p_.axes[2].begin != nullptr; }
    bool takes_table() const {
        return channels_ < kVector && !p_.one_window && (varied() || p_.axes[2].stride > (channels_ == 1 ? 2 : 1));
    }

    ACLTWIN_INLINE void fold_tile(const Tile& tile) {
        const bool nan = p_.one_window ? fold_cells(tile) : fold_columns(tile);
        const int64_t windows = (tile.rows - 1) * p_.row_windows + tile.windows;
        if (nan)
            fold_windows<true>(windows);
        else
            fold_windows<false>(windows);
        for (int64_t row = 0; row < tile.rows; ++row) {
            const auto offset = [&](int operand) { return row * p_.loops.step[operand][p_.kH]; };
            T* const values = values_out_ + row * p_.row_windows;
            const I* const where = indices_out_ + row * p_.row_windows;
            if (nan && sizeof(T) == 2) restore_nan(source_ + tile.plane, tile.windows, values, where);
            put(values, tile.windows, p_.result_pitch, p_.result_channel, result_ + tile.result + offset(p_.kResult));
            if (indices_ != nullptr)
                put(where, tile.windows, p_.index_pitch, p_.index_channel,
                    indices_ + tile.indices + offset(p_.kIndices));
        }
    }

    template <class E>
    ACLTWIN_INLINE void put(const E* row, int64_t windows, int64_t pitch, int64_t channel, E* result) const {
        if (pitch != channels_ || (channel != 1 && channels_ > 1))
            return unpack_cells(windows, channels_, row, result, pitch, channel);
        const int64_t n = windows * channels_;
        if (n <= kLanesOf<E>) return copy_partial(result, row, n);
        memcpy(result, row, size_t(n) * sizeof(E));
    }

    // Which columns of the source the tiles from a window on have, and how many they miss.
    void set_columns(const Tile& tile) {
        const int64_t start = p_.axes[2].start(tile.first_window);
        const int64_t count = p_.axes[2].cells_of(tile.first_window, tile.windows);
        const int64_t first = max64(start, 0), last = min64(start + count, p_.axes[2].size);
        columns_ = {tile.first_window, first, max64(0, last - first), min64(first - start, count), count};
        if (varied() && takes_table()) set_positions(tile.first_window, tile.windows);
    }

    // Row by row of the windows. Returns whether some maximum is NaN.
    ACLTWIN_INLINE bool fold_columns(const Tile& tile) {
        const WindowAxis &d = p_.axes[0], &h = p_.axes[1];
        const Reached c = columns_;
        const int64_t d_first = d.first_tap(tile.d), at_d = d.cell(tile.d, d_first);
        const int64_t row_columns = p_.row_windows * p_.axes[2].stride;
        const T* const plane = source_ + tile.plane;
        WindowRows<T> rows = rows_;
        rows.slices = d.end_tap(tile.d) - d_first;
        bool nan = false;
        int64_t start = 0;
        for (int64_t row = tile.h; row < tile.h + tile.rows; ++row, start += row_columns) {
            const int64_t h_first = h.first_tap(row), at_h = h.cell(row, h_first);
            const int64_t inside = (start + c.before) * channels_;
            rows.rows = h.end_tap(row) - h_first;
            if (rows.slices <= 0 || rows.rows <= 0 || c.inside == 0) {
                fill_outside(start, start + c.all);
                continue;
            }
            rows.first = plane + at_d * p_.depth_stride + at_h * p_.height_stride + c.first * p_.source_pitch;
            rows.index = uint32_t((at_d * h.size + at_h) * p_.axes[2].size + c.first);
            fill_outside(start, start + c.before);
            nan |= fold_row(rows, c.inside, {values_ + inside, indices_of_ + inside});
            fill_outside(start + c.before + c.inside, start + c.all);
        }
        return nan;
    }

    // Cell by cell of one window; what comes of its slices lies side by side like columns.
    ACLTWIN_NOINLINE bool fold_cells(const Tile& tile) {
        const WindowAxis &d = p_.axes[0], &h = p_.axes[1], &w = p_.axes[2];
        const int64_t window = tile.first_window;
        const int64_t first[3] = {d.first_tap(tile.d), h.first_tap(tile.h), w.first_tap(window)};
        const int64_t at_h = h.cell(tile.h, first[1]), at_w = w.cell(window, first[2]);
        WindowRows<T> rows;
        rows.slices = h.end_tap(tile.h) - first[1];
        rows.rows = w.end_tap(window) - first[2];
        rows.slice_offset = rows_.row_offset;
        rows.slice_index = rows_.row_index;
        rows.row_offset = uint64_t(w.dilation) * uint64_t(p_.source_pitch);
        rows.row_index = uint32_t(w.dilation);
        slices_ = d.end_tap(tile.d) - first[0];
        if (slices_ <= 0 || rows.slices <= 0 || rows.rows <= 0) {
            slices_ = 1;
            fill_outside(0, 1);
            return false;
        }
        bool nan = false;
        for (int64_t slice = 0; slice < slices_; ++slice) {
            const int64_t at_d = d.cell(tile.d, first[0] + slice), at = slice * channels_;
            rows.first =
                source_ + tile.plane + at_d * p_.depth_stride + at_h * p_.height_stride + at_w * p_.source_pitch;
            rows.index = uint32_t((at_d * h.size + at_h) * w.size + at_w);
            nan |= fold_rows(rows, 1, column_, channels_, Maxima<Value>{values_ + at, indices_of_ + at});
        }
        return nan;
    }

    ACLTWIN_INLINE bool fold_row(WindowRows<T>& rows, int64_t n, Maxima<Value> maxima) const {
        if (dense()) return fold_rows(rows, p_.channels == 1 ? p_.source_pitch : 1, column_, n * channels_, maxima);
        bool nan = false;
        for (int64_t at = 0; at < n * channels_; at += channels_, rows.first += p_.source_pitch, ++rows.index)
            nan |= fold_rows(rows, 1, column_, channels_, Maxima<Value>{maxima.values + at, maxima.indices + at});
        return nan;
    }

    // Up to a vector past them, which is written later.
    ACLTWIN_INLINE void fill_outside(int64_t first, int64_t last) {
        for (int64_t i = first * channels_; i < last * channels_; i += kVector) {
            store(values_ + i, ValuesOf<Value>{} - Value(__builtin_inff()));
            store(indices_of_ + i, IndicesOf<Value>{} + Index(INT32_MAX));
        }
    }

    template <bool kNaN>
    void fold_windows(int64_t windows) {
        const WindowAxis& w = p_.axes[2];
        const Maxima<Value> maxima = {values_, indices_of_};
        const int64_t n = windows * channels_, step = w.dilation * channels_;
        const auto fold = [&](Maxima<Value> from, auto columns, int64_t count, int64_t at) {
            ACLTWIN_LEVEL::fold_windows<kNaN>(from, columns, count, w.kernel, step, values_out_ + at,
                                              indices_out_ + at);
        };
        if (p_.one_window)
            return ACLTWIN_LEVEL::fold_windows<kNaN>(maxima, NextColumns(), channels_, slices_, channels_, values_out_,
                                                     indices_out_);
        if (varied()) return fold_varied<kNaN>(windows);
        if (w.stride == 1 || windows == 1) return fold(maxima, NextColumns(), n, 0);
        if (w.stride == 2 && channels_ == 1) return fold(maxima, SecondColumns(), n, 0);
        if (takes_table()) return fold(maxima, TableColumns{position_}, n, 0);
        for (int64_t at = 0, from = 0; at < n; at += channels_, from += w.stride * channels_)
            fold({values_ + from, indices_of_ + from}, NextColumns(), channels_, at);
    }

    template <bool kNaN>
    void fold_varied(int64_t windows) {
        const WindowAxis& w = p_.axes[2];
        if (takes_table())
            return fold_varied_windows<kNaN>(Maxima<Value>{values_, indices_of_}, position_, last_, windows * channels_,
                                             w.kernel, channels_, values_out_, indices_out_);
        const int64_t first = columns_.first_window;
        for (int64_t window = first, at = 0; window < first + windows; ++window, at += channels_) {
            const int64_t from = (w.begin[window] - w.begin[first]) * channels_;
            ACLTWIN_LEVEL::fold_windows<kNaN>(Maxima<Value>{values_ + from, indices_of_ + from}, NextColumns(),
                                              channels_, w.end_tap(window), channels_, values_out_ + at,
                                              indices_out_ + at);
        }
    }

    // Widening and narrowing keep a NaN, but not each of its bits: takes them from the source.
    void restore_nan(const T* plane, int64_t windows, T* values, const I* where) {
        const WindowAxis &h = p_.axes[1], &w = p_.axes[2];
        for (int64_t i = 0; i < windows * channels_; ++i) {
            const Value value = widen(values[i]);
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
    WindowRows<T> rows_;
    int64_t channels_ = 0, slices_ = 1;
    struct Reached {
        int64_t first_window = -1, first = 0, inside = 0, before = 0, all = 0;
    } columns_;

    // Loads of the last windows reach up to two vectors past a tile's columns.
    static constexpr int64_t kColumns = WindowMaxRows::kTile + 2 * kVector;
    alignas(64) Value values_[kColumns];
    alignas(64) Index indices_of_[kColumns];
    alignas(64) Index column_[kColumns];
    alignas(64) int32_t position_[kColumns], last_[kColumns];  // of windows
    // What is written a vector past a tile's results must do no harm.
    alignas(64) T values_out_[kColumns];
    alignas(64) I indices_out_[kColumns];
};

}  // namespace acltwin::ACLTWIN_LEVEL
