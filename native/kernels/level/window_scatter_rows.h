// Rows of windows for the scatter kernels: whatever the layout, they see short contiguous rows of gradients and
// indices.
#pragma once

#include "kernels/level/simd.h"
#include "kernels/level/source.h"
#include "kernels/level/transpose.h"
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

// One tensor's windows of a block, in the order of a layer: in place where they are one run of memory, else packed.
template <class E>
class WindowRun {
public:
    WindowRun(const ScatterShape& shape, const int64_t* strides, const void* tensor, void* packed)
        : shape_(shape),
          strides_(strides),
          tensor_(static_cast<const E*>(tensor)),
          packed_(static_cast<E*>(packed)),
          rows_follow_(shape.windows[1] == 1 || strides[3] == shape.windows[2]) {}

    void open(const PlaneBlock& block) {
        planes_ = block.count;
        block_ = tensor_ + block.outer * strides_[0] + block.inner * strides_[1];
    }

    bool layers_in_place() const { return strides_[4] == 1 && rows_follow_; }

    ACLTWIN_INLINE void read(int64_t d, int64_t h, int64_t w, int64_t n) {
        const E* const layer = block_ + d * strides_[2];
        const bool in_place = strides_[4] == 1 && (rows_follow_ || w + n <= shape_.windows[2]);
        run_ = in_place ? layer + h * strides_[3] + w : packed_;
        pitch_ = in_place ? strides_[1] : kScatterChunk;
        if (!in_place) pack(layer, h, w, n);
    }
    ACLTWIN_INLINE const E* plane(int64_t plane) const { return run_ + plane * pitch_; }

private:
    ACLTWIN_NOINLINE void pack(const E* layer, int64_t h, int64_t w, int64_t n) const {
        const int64_t width = shape_.windows[2], plane = strides_[1], step = strides_[4];
        if (strides_[3] == 1 && step != 1 && n > width && n % width == 0) {  // H and W are permuted
            for (int64_t i = 0; i < planes_; ++i)
                transpose(layer + i * plane + h, width, step, n / width, 1, packed_ + i * kScatterChunk, width);
            return;
        }
        for (int64_t i = 0, part; i < n; i += part, w = 0, ++h) {
            part = min64(n - i, width - w);
            const E* const from = layer + h * strides_[3] + w * step;
            if (plane == 1 && planes_ > 1)
                transpose(from, part, step, planes_, 1, packed_ + i, kScatterChunk);
            else
                copy_elements(planes_, part, from, {plane, step}, packed_ + i, {kScatterChunk, 1}, as_it_is<E>);
        }
    }

    const ScatterShape& shape_;
    const int64_t* const strides_;
    const E* const tensor_;
    E* const packed_;
    const bool rows_follow_;
    int64_t planes_ = 0, pitch_ = 0;
    const E *block_ = nullptr, *run_ = nullptr;
};

// Windows of a block: gradients and indices.
template <class T, class I>
class RowReader {
public:
    RowReader(const ScatterShape& shape, const ScatterData& data)
        : shape_(shape),
          values_(shape, shape.source_strides, data.source, data.scratch),
          indices_(shape, shape.index_strides, data.indices,
                   static_cast<char*>(data.scratch) + kScatterRowWord * kScatterChunk * shape.planes_together) {}

    void open(const PlaneBlock& block) {
        values_.open(block);
        indices_.open(block);
    }

    // Nothing is packed: a read may be of any length, and what is not read yet follows in memory.
    bool in_place() const { return values_.layers_in_place() && indices_.layers_in_place(); }

    // Makes n windows of a layer ready from (h, w) on, at most kScatterChunk unless they are in place.
    ACLTWIN_INLINE void read(int64_t d, int64_t h, int64_t w, int64_t n) {
        values_.read(d, h, w, n);
        indices_.read(d, h, w, n);
    }
    // Calls body(n) for all windows of a layer, n at a time, until it returns false.
    template <class Body>
    ACLTWIN_INLINE bool each_run(int64_t d, int64_t most, const Body& body) {
        const int64_t width = shape_.windows[2], windows = shape_.windows[1] * width;
        if (windows == 0) return true;
        if (windows <= most) return read(d, 0, 0, windows), body(windows);
        if (width < most) most -= most % width;
        for (int64_t at = 0, n; at < windows; at += n) {
            const int64_t w = at % width;
            n = min64(most, (width > most ? width - w : windows - at));
            read(d, at / width, w, n);
            if (!body(n)) return false;
        }
        return true;
    }

    ACLTWIN_INLINE const T* values(int64_t plane) const { return values_.plane(plane); }
    ACLTWIN_INLINE const I* indices(int64_t plane) const { return indices_.plane(plane); }

private:
    const ScatterShape& shape_;
    WindowRun<T> values_;
    WindowRun<I> indices_;
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
