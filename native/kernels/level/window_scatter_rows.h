// Rows of windows for the scatter kernels: whatever the layout, they see short contiguous rows of gradients and
// indices.
#pragma once

#include "kernels/level/simd.h"
#include "kernels/loops/source.h"
#include "kernels/window_scatter_kernels.h"

namespace acltwin::ACLTWIN_LEVEL {

// The planes that one task works on, and where they begin.
struct LaneBlock {
    int64_t outer, lane, count;
};
ACLTWIN_INLINE LaneBlock lane_block(const ScatterShape& shape, int64_t block) {
    const int64_t per_outer = (shape.lanes + shape.lanes_together - 1) / shape.lanes_together;
    const int64_t lane = block % per_outer * shape.lanes_together;
    return {block / per_outer, lane, min64(shape.lanes_together, shape.lanes - lane)};
}

// Along one axis: the part of the result that the task computes, and the windows that reach into it.
struct Span {
    int64_t begin, end;                // cells of the task
    int64_t first_window, end_window;  // windows with a cell in there
    int64_t stride, padding, extent, cells;

    Span(const ScatterShape& shape, int axis, int64_t begin_, int64_t end_)
        : begin(begin_),
          end(end_),
          stride(shape.stride[axis]),
          padding(shape.padding[axis]),
          extent(shape.extent[axis]),
          cells(shape.cells[axis]) {
        first_window = max64(0, begin + padding - extent + stride) / stride;
        end_window = min64(shape.windows[axis], (end - 1 + padding) / stride + 1);
    }
    int64_t low(int64_t window) const { return max64(0, window * stride - padding); }
    int64_t high(int64_t window) const { return min64(cells, window * stride - padding + extent); }
};

// rows[lane][i] = convert(source[lane * lane_stride + i * stride])
template <class To, class From, class Convert>
void pack_rows(const From* source, int64_t lane_stride, int64_t stride, int64_t lanes, int64_t n, To* rows,
               const Convert& convert) {
    if (lanes > 1 && (lane_stride == 1 || lane_stride == -1))
        copy_elements(n, lanes, source, {stride, lane_stride}, rows, {1, kScatterChunk}, convert);
    else
        copy_elements(lanes, n, source, {lane_stride, stride}, rows, {kScatterChunk, 1}, convert);
}

// Window rows of a block: indices, and gradients as values of type V, which is T itself or the type of its sums.
template <class V, class T, class I>
class RowReader {
    static constexpr int64_t kAhead = 3 * kScatterChunk;  // windows

public:
    RowReader(const ScatterShape& shape, const ScatterData& data)
        : shape_(shape),
          data_(data),
          values_in_place_(sizeof(V) == sizeof(T) && shape.source_strides[4] == 1),
          indices_in_place_(shape.index_strides[4] == 1),
          packed_values_(static_cast<V*>(data.scratch)),
          packed_indices_(reinterpret_cast<I*>(static_cast<char*>(data.scratch) +
                                               kScatterRowWord * kScatterChunk * shape.lanes_together)) {}

    void open(const LaneBlock& block) {
        lanes_ = block.count;
        source_ = static_cast<const T*>(data_.source) + block.outer * shape_.source_strides[0] +
                  block.lane * shape_.source_strides[1];
        indices_ = static_cast<const I*>(data_.indices) + block.outer * shape_.index_strides[0] +
                   block.lane * shape_.index_strides[1];
    }

    // Makes the windows [w, w + n) of a row ready, n <= kScatterChunk.
    ACLTWIN_INLINE void read(int64_t d, int64_t h, int64_t w, int64_t n) {
        const int64_t *source_strides = shape_.source_strides, *index_strides = shape_.index_strides;
        const T* source = source_ + d * source_strides[2] + h * source_strides[3] + w * source_strides[4];
        const I* indices = indices_ + d * index_strides[2] + h * index_strides[3] + w * index_strides[4];
        if constexpr (sizeof(V) == sizeof(T)) values_row_ = reinterpret_cast<const V*>(source);
        if (!values_in_place_) pack_values(source, n);
        source_row_ = source;
        index_row_ = indices;
        if (!indices_in_place_) pack_indices(indices, n);
    }

    // Asks for what a later read will need, if windows follow each other in memory.
    ACLTWIN_INLINE void ask_ahead(int64_t n) const {
        if (shape_.source_strides[4] != 1 || !indices_in_place_) return;
        for (int64_t i = 0; i < n; i += int64_t(64 / sizeof(T))) __builtin_prefetch(source_row_ + kAhead + i);
        for (int64_t i = 0; i < n; i += int64_t(64 / sizeof(I))) __builtin_prefetch(index_row_ + kAhead + i);
    }

    ACLTWIN_INLINE const V* values(int64_t lane) const {
        return values_row_ + lane * (values_in_place_ ? shape_.source_strides[1] : kScatterChunk);
    }
    ACLTWIN_INLINE const I* indices(int64_t lane) const {
        return index_row_ + lane * (indices_in_place_ ? shape_.index_strides[1] : kScatterChunk);
    }

private:
    void pack_indices(const I* indices, int64_t n) {
        pack_rows(indices, shape_.index_strides[1], shape_.index_strides[4], lanes_, n, packed_indices_, as_it_is<I>);
        index_row_ = packed_indices_;
    }

    void pack_values(const T* source, int64_t n) {
        const int64_t lane_stride = shape_.source_strides[1], stride = shape_.source_strides[4];
        values_row_ = packed_values_;
        if constexpr (sizeof(V) == sizeof(T)) {
            pack_rows(source, lane_stride, stride, lanes_, n, packed_values_, [](T x) { return bit_cast<V>(x); });
        } else if (stride != 1) {
            pack_rows(source, lane_stride, stride, lanes_, n, packed_values_, [](T x) { return widen(x); });
        } else {
            for (int64_t lane = 0; lane < lanes_; ++lane)
                widen_row(source + lane * lane_stride, n, packed_values_ + lane * kScatterChunk);
        }
    }

    static ACLTWIN_INLINE void widen_row(const T* from, int64_t n, float* to) {
        int64_t i = 0;
        for (; i + kLanes <= n; i += kLanes) store(to + i, load(from + i));
        if (i < n) store_partial(to + i, load_partial(from + i, n - i), n - i);
    }

    const ScatterShape& shape_;
    const ScatterData& data_;
    const bool values_in_place_, indices_in_place_;
    V* const packed_values_;
    I* const packed_indices_;
    int64_t lanes_ = 0;
    const T* source_ = nullptr;
    const I* indices_ = nullptr;
    const T* source_row_ = nullptr;
    const V* values_row_ = nullptr;
    const I* index_row_ = nullptr;
};

// Cells between the begin of a line of memory and a place in it. Sums on their way to that place are quickest to take
// if they begin as many cells after a line of their own.
template <class T>
ACLTWIN_INLINE int64_t cells_into_line(const T* place) {
    return int64_t(reinterpret_cast<uintptr_t>(place) % 64 / sizeof(T));
}

typedef uint64_t Long __attribute__((vector_size(kLanes * 4)));

// kLanes indices as 32-bit numbers. `seen` collects the bits of all of them, see fits_32_bits.
ACLTWIN_INLINE Word load_indices(const int32_t* p, Long&) {
    Word v;
    memcpy(&v, p, sizeof v);
    return read_once(v);
}
ACLTWIN_INLINE Word load_indices(const int64_t* p, Long& seen) {
    Long first, second;
    memcpy(&first, p, sizeof first);
    memcpy(&second, p + kLanes / 2, sizeof second);
    seen |= first | second;
    return read_once(every_second<0>(bit_cast<Word>(first), bit_cast<Word>(second)));  // the lower halves
}
template <class I>
ACLTWIN_INLINE Word load_indices_partial(const I* p, int64_t n, Long& seen) {  // lanes from n on are zero
    I lanes[kLanes] = {};
    memcpy(lanes, p, size_t(n) * sizeof(I));
    return load_indices(lanes, seen);
}

ACLTWIN_INLINE bool fits_32_bits(Long seen) {
    uint64_t bits = 0;
    for (int lane = 0; lane < kLanes / 2; ++lane) bits |= seen[lane];
    return bits >> 32 == 0;
}

}  // namespace acltwin::ACLTWIN_LEVEL
