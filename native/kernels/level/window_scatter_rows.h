// Rows of windows for the scatter kernels: whatever the layout, they see short contiguous rows of gradients and
// indices.
#pragma once

#include "kernels/level/simd.h"
#include "kernels/level/source.h"
#include "kernels/window_scatter_task.h"

namespace acltwin::ACLTWIN_LEVEL {

template <class T>
using Value = typename Sum<T>::Scalar;

// Values as the type of their sums, in place or in `block`.
template <class T>
ACLTWIN_INLINE const Value<T>* widened(const T* values, int64_t n, Value<T>* block) {
    if constexpr (sizeof(T) == sizeof(Value<T>)) return values;
    int64_t i = 0;
    for (; i + kLanesOf<T> <= n; i += kLanesOf<T>) store(block + i, load(values + i));
    for (; i < n; ++i) block[i] = widen(values[i]);
    return block;
}

// The planes that one task works on, and where they begin.
struct PlaneBlock {
    int64_t outer, inner, count;
};
ACLTWIN_INLINE PlaneBlock plane_block(const ScatterShape& shape, int64_t block) {
    const int64_t per_outer = (shape.inner + shape.planes_together - 1) / shape.planes_together;
    const int64_t inner = block % per_outer * shape.planes_together;
    return {block / per_outer, inner, min64(shape.planes_together, shape.inner - inner)};
}

// Along one axis: the windows that reach into [begin, end) of the result, and the cells of each.
struct Span {
    int64_t first_window, end_window;
    int64_t stride, padding, extent, cells;
    const int64_t *begins, *ends;

    Span(const ScatterShape& shape, int axis, int64_t begin, int64_t end)
        : stride(shape.stride[axis]),
          padding(shape.padding[axis]),
          extent(shape.extent[axis]),
          cells(shape.cells[axis]),
          begins(shape.begin[axis]),
          ends(shape.end[axis]) {
        if (begins != nullptr) {
            first_window = 0;
            while (first_window < shape.windows[axis] && ends[first_window] <= begin) ++first_window;
            end_window = first_window;
            while (end_window < shape.windows[axis] && begins[end_window] < end) ++end_window;
            return;
        }
        first_window = max64(0, begin + padding - extent + stride) / stride;
        end_window = min64(shape.windows[axis], (end - 1 + padding) / stride + 1);
    }
    int64_t low(int64_t window) const {
        return begins != nullptr ? begins[window] : max64(0, window * stride - padding);
    }
    int64_t high(int64_t window) const {
        return begins != nullptr ? ends[window] : min64(cells, window * stride - padding + extent);
    }
};

// rows[plane][i] = source[plane * plane_stride + i * stride]
template <class E>
void pack_rows(const E* source, int64_t plane_stride, int64_t stride, int64_t planes, int64_t n, E* rows) {
    if (planes > 1 && (plane_stride == 1 || plane_stride == -1))
        copy_elements(n, planes, source, {stride, plane_stride}, rows, {1, kScatterChunk}, as_it_is<E>);
    else
        copy_elements(planes, n, source, {plane_stride, stride}, rows, {kScatterChunk, 1}, as_it_is<E>);
}

// Window rows of a block: gradients and indices.
template <class T, class I>
class RowReader {
public:
    RowReader(const ScatterShape& shape, const ScatterData& data)
        : shape_(shape),
          data_(data),
          values_in_place_(shape.source_strides[4] == 1),
          indices_in_place_(shape.index_strides[4] == 1),
          packed_values_(static_cast<T*>(data.scratch)),
          packed_indices_(reinterpret_cast<I*>(static_cast<char*>(data.scratch) +
                                               kScatterRowWord * kScatterChunk * shape.planes_together)) {}

    void open(const PlaneBlock& block) {
        planes_ = block.count;
        source_ = static_cast<const T*>(data_.source) + block.outer * shape_.source_strides[0] +
                  block.inner * shape_.source_strides[1];
        indices_ = static_cast<const I*>(data_.indices) + block.outer * shape_.index_strides[0] +
                   block.inner * shape_.index_strides[1];
    }

    // Nothing is packed: a read may be of any length, and what is not read yet follows in memory.
    ACLTWIN_INLINE bool in_place() const { return values_in_place_ && indices_in_place_; }

    // Makes the windows [w, w + n) of a row ready, n <= kScatterChunk unless `in_place`.
    ACLTWIN_INLINE void read(int64_t d, int64_t h, int64_t w, int64_t n) {
        value_row_ = row(source_, shape_.source_strides, d, h, w, n, values_in_place_, packed_values_);
        index_row_ = row(indices_, shape_.index_strides, d, h, w, n, indices_in_place_, packed_indices_);
    }

    ACLTWIN_INLINE const T* values(int64_t plane) const {
        return value_row_ + plane * (values_in_place_ ? shape_.source_strides[1] : kScatterChunk);
    }
    ACLTWIN_INLINE const I* indices(int64_t plane) const {
        return index_row_ + plane * (indices_in_place_ ? shape_.index_strides[1] : kScatterChunk);
    }

private:
    template <class E>
    ACLTWIN_INLINE const E* row(const E* plane, const int64_t* strides, int64_t d, int64_t h, int64_t w, int64_t n,
                                bool in_place, E* packed) const {
        const E* begin = plane + d * strides[2] + h * strides[3] + w * strides[4];
        if (in_place) return begin;
        pack_rows(begin, strides[1], strides[4], planes_, n, packed);
        return packed;
    }

    const ScatterShape& shape_;
    const ScatterData& data_;
    const bool values_in_place_, indices_in_place_;
    T* const packed_values_;
    I* const packed_indices_;
    int64_t planes_ = 0;
    const T* source_ = nullptr;
    const I* indices_ = nullptr;
    const T* value_row_ = nullptr;
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
