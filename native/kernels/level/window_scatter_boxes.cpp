// Box by box: row of windows by row of windows, indices become places, in vectors that also find out whether each one
// is where its window may put it; then the gradients go there one by one. Rows of cells are zeroed right before the
// first windows that reach them, or rounded right after the last ones, while they are in a cache.
#include "kernels/level/types.h"
#include "kernels/level/window_scatter_places.h"
#include "kernels/level/window_scatter_result.h"

namespace acltwin::ACLTWIN_LEVEL {
namespace {

constexpr int64_t kAhead = 256;  // indices that memory is asked for

template <class T, class I>
class BoxScatter {
public:
    BoxScatter(const ScatterShape& shape, const ScatterBoxes& boxes, const ScatterData& data)
        : shape_(shape),
          boxes_(boxes),
          data_(data),
          slice_(shape.cells[1] * shape.cells[2]),
          sums_(static_cast<Value<T>*>(data.scratch)) {}

    bool run(int64_t box) {
        const PlaneBlock block = plane_block(shape_, box / (boxes_.slabs * boxes_.bands));
        begin_[0] = cut(shape_.cells[0], boxes_.slabs, box / boxes_.bands % boxes_.slabs);
        end_[0] = cut(shape_.cells[0], boxes_.slabs, box / boxes_.bands % boxes_.slabs + 1);
        begin_[1] = cut(shape_.cells[1], boxes_.bands, box % boxes_.bands);
        end_[1] = cut(shape_.cells[1], boxes_.bands, box % boxes_.bands + 1);
        const auto first = [&](const int64_t* strides) { return block.outer * strides[0] + block.inner * strides[1]; };
        source_ = static_cast<const T*>(data_.source) + first(shape_.source_strides);
        indices_ = static_cast<const I*>(data_.indices) + first(shape_.index_strides);
        result_ = static_cast<T*>(data_.result) + first(shape_.result_strides);
        if (block.count != channels_) set_channels(block.count);
        const bool good = add_layers();
        if (shape_.non_temporal) non_temporal_fence();
        return good;
    }

private:
    bool in_place() const { return boxes_.ring == 0; }

    void set_channels(int64_t channels) {
        channels_ = channels;
        piece_channels_ = min64(channels, kPiece);
        const bool dense =
            shape_.windows[2] == 1 || (shape_.source_strides[4] == channels && shape_.index_strides[4] == channels);
        piece_windows_ = dense ? min64(shape_.windows[2], kPiece / piece_channels_) : 1;
        int64_t i = 0;
        for (int64_t w = 0; w < piece_windows_; ++w)
            for (int64_t c = 0; c < piece_channels_; ++c, ++i) channel_[i] = uint32_t(c);
        for (; i < kLanes; ++i) channel_[i] = 0;
    }

    bool add_layers() {
        const Span layers(shape_, 0, begin_[0], end_[0]), rows(shape_, 1, begin_[1], end_[1]);
        const bool reached = layers.first_window < layers.end_window && rows.first_window < rows.end_window;
        int64_t done = reached ? max64(begin_[0], layers.low(layers.first_window)) : end_[0];
        zero(begin_[0], done, begin_[1], end_[1]);  // before the first windows
        for (int64_t d = layers.first_window; reached && d < layers.end_window; ++d) {
            const int64_t end = progress(layers, d, 0);
            if (!add_layer(layers, rows, d, done, end)) return false;
            done = max64(done, end);
        }
        return true;
    }

    // Where, at a window, those slices or rows end that it is the first to reach (in place), or the last.
    int64_t progress(const Span& span, int64_t window, int axis) const {
        if (window + 1 == span.end_window) return end_[axis];
        return min64(end_[axis], in_place() ? span.high(window) : span.low(window + 1));
    }

    // [slice, slice_end) are those that the layer is the first to reach, or the last.
    bool add_layer(const Span& layers, const Span& rows, int64_t d, int64_t slice, int64_t slice_end) {
        const int64_t reached = in_place() ? slice : max64(slice, min64(slice_end, layers.high(d)));
        int64_t done = begin_[1];
        for (int64_t h = rows.first_window; h < rows.end_window; ++h) {
            const int64_t end = progress(rows, h, 1);
            zero(reached, slice_end, done, end);
            if (!add_row(layers, rows, d, h)) return false;
            take(slice, reached, done, end);
            done = max64(done, end);
        }
        return true;
    }

    // ---- windows ----

    bool add_row(const Span& layers, const Span& rows, int64_t d, int64_t h) {
        const int64_t low[2] = {layers.low(d), rows.low(h)}, high[2] = {layers.high(d), rows.high(h)};
        const bool border = low[0] < begin_[0] || high[0] > end_[0] || low[1] < begin_[1] || high[1] > end_[1];
        const Reach reach = reach_of(low, high);
        const Places kind = border             ? Places::border
                            : in_place()       ? Places::cells
                            : reach.shift == 0 ? Places::ring
                                               : Places::bands;
        // Those of the first slice may be reached again, if the next layer begins there as well.
        const bool again = d + 1 < layers.end_window && layers.low(d + 1) == low[0];
        meetings_.forget_before(result_ + (low[0] * slice_ + (again ? 0 : low[1] * shape_.cells[2])) * boxes_.pitch);
        const T* const source = source_ + d * shape_.source_strides[2] + h * shape_.source_strides[3];
        const I* const indices = indices_ + d * shape_.index_strides[2] + h * shape_.index_strides[3];
        for (int64_t w = 0, windows; w < shape_.windows[2]; w += windows) {
            windows = min64(piece_windows_, shape_.windows[2] - w);
            for (int64_t c = 0; c < channels_; c += piece_channels_) {
                const int64_t n = windows * min64(piece_channels_, channels_ - c);
                if (!add_piece(kind, reach, indices + w * shape_.index_strides[4] + c,
                               source + w * shape_.source_strides[4] + c, n, c))
                    return false;
            }
        }
        return true;
    }

    Reach reach_of(const int64_t (&low)[2], const int64_t (&high)[2]) const {
        const int64_t width = shape_.cells[2], box_rows = end_[1] - begin_[1];
        Reach reach;
        reach.first = uint32_t(low[0] * slice_ + low[1] * width);
        reach.slices = uint32_t(high[0] - low[0]);
        reach.rows = uint32_t((high[1] - low[1]) * width);
        reach.slice = uint32_t(slice_);
        reach.pitch = uint32_t(in_place() ? boxes_.pitch : channels_);
        if (in_place()) {
            reach.place = reach.shift = 0;
            reach.ring = 1u << 31;  // never
        } else {
            reach.place = uint32_t((low[0] % boxes_.ring * box_rows + low[1] - begin_[1]) * width);
            reach.shift = uint32_t(slice_ - box_rows * width);
            reach.ring = uint32_t(boxes_.ring * box_rows * width);
        }
        const auto own = [&](int axis, int64_t unit, uint32_t& first, uint32_t& count) {
            const int64_t begin = max64(low[axis], begin_[axis]), end = min64(high[axis], end_[axis]);
            first = uint32_t((begin - low[axis]) * unit);
            count = uint32_t((end - begin) * unit);
        };
        own(0, 1, reach.own_slice, reach.own_slices);
        own(1, width, reach.own_first, reach.own_cells);
        return reach;
    }

    ACLTWIN_INLINE bool add_piece(Places kind, const Reach& reach, const I* indices, const T* values, int64_t n,
                                  int64_t channel) {
        const int64_t ahead = shape_.ask_ahead ? kAhead : 0;
        if (!find_piece(kind, reach, indices, ahead, channel_, n, places_)) return false;
        T* const cells = result_ + int64_t(reach.first) * boxes_.pitch + channel;
        if constexpr (sizeof(T) == 2)
            if (boxes_.stored) {
                if (kind != Places::border) return store_values(places_, values, n, cells, meetings_);
                T own[kPiece];
                return store_values(places_, own, keep_own(values, n, own), cells, meetings_);
            }
        const Value<T>* wide = widened(values, n, wide_);
        if (kind == Places::border) {
            n = keep_own(wide, n, wide_);
            wide = wide_;
        }
        Value<T>* sums = sums_ + channel;
        if constexpr (sizeof(T) == sizeof(Value<T>))
            if (in_place()) sums = cells;
        add_values(places_, wide, n, sums);
        return true;
    }

    template <class E>
    int64_t keep_own(const E* values, int64_t n, E* own) {
        int64_t kept = 0;
        for (int64_t i = 0; i < n; ++i) {
            const uint32_t place = places_[i];
            own[kept] = values[i];
            places_[kept] = place;
            kept += place != kElsewhere;
        }
        return kept;
    }

    // ---- cells ----

    void zero(int64_t slice, int64_t slice_end, int64_t row, int64_t row_end) const {
        each_run(slice, slice_end, row, row_end,
                 [](T* cells, int64_t, int64_t n) { memset(cells, 0, size_t(n) * sizeof(T)); });
    }

    void take(int64_t slice, int64_t slice_end, int64_t row, int64_t row_end) const {
        each_run(slice, slice_end, row, row_end, [&](T* cells, int64_t sum, int64_t n) {
            const int64_t ahead = shape_.ask_result ? 2048 / int64_t(sizeof(T)) : 0;
            Value<T>* const sums = sums_ + sum;
            if constexpr (sizeof(T) == sizeof(Value<T>))
                if (shape_.non_temporal) return take_sums_around_cache(sums, n, cells);
            take_sums(sums, n, cells, ahead);
        });
    }

    // Calls body(cells, sum, n) for runs of n elements: of the result, and where their sums are in the ring.
    template <class Body>
    ACLTWIN_INLINE void each_run(int64_t slice, int64_t slice_end, int64_t row, int64_t row_end,
                                 const Body& body) const {
        const int64_t width = shape_.cells[2], cells = (row_end - row) * width;
        const int64_t run = boxes_.pitch == channels_ ? cells : 1;
        for (int64_t d = slice; d < slice_end && cells > 0; ++d) {
            T* const first = result_ + (d * slice_ + row * width) * boxes_.pitch;
            const int64_t slot = in_place() ? 0 : d % boxes_.ring;
            const int64_t sum = (slot * (end_[1] - begin_[1]) + row - begin_[1]) * width;
            for (int64_t cell = 0; cell < cells; cell += run)
                body(first + cell * boxes_.pitch, (sum + cell) * channels_, run * channels_);
        }
    }

    const ScatterShape& shape_;
    const ScatterBoxes& boxes_;
    const ScatterData& data_;
    const int64_t slice_;
    Value<T>* const sums_;
    const T* source_ = nullptr;
    const I* indices_ = nullptr;
    T* result_ = nullptr;
    int64_t begin_[2] = {}, end_[2] = {};  // slices and rows of the box
    int64_t channels_ = 0, piece_channels_ = 0, piece_windows_ = 0;
    Meetings<T> meetings_;
    alignas(64) uint32_t channel_[kPiece], places_[kPiece];  // of a piece's gradients
    alignas(64) Value<T> wide_[kPiece];
};

}  // namespace

bool scatter_boxes(const ScatterShape& shape, const ScatterBoxes& boxes, const ScatterData& data, int64_t begin,
                   int64_t end) {
    return with_float_type(shape.dtype, [&](auto element) {
        return with_index_type(shape.index_dtype, [&](auto index) {
            BoxScatter<decltype(element), decltype(index)> scatter(shape, boxes, data);
            for (int64_t box = begin; box < end; ++box)
                if (!scatter.run(box)) return false;
            return true;
        });
    });
}

}  // namespace acltwin::ACLTWIN_LEVEL
