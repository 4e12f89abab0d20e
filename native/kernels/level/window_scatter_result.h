// Rows of cells for the scatter kernels: sums are formed in float32 (float64 in its own), and leave for a result of any
// layout.
#pragma once

#include "kernels/level/window_scatter_rows.h"

namespace acltwin::ACLTWIN_LEVEL {

// Rounds n sums and leaves zeros for the next ones, while they are in the cache. The result may not be there: memory is
// asked for the cells `ahead`, or every store would wait for its line in turn.
template <class T>
ACLTWIN_INLINE void take_sums(typename Sum<T>::Scalar* sums, int64_t n, T* place, int64_t ahead) {
    constexpr int64_t kLanes = kLanesOf<T>;
    const typename Sum<T>::Vector zeros = {};
    int64_t i = 0;
    for (; i + 2 * kLanes <= n; i += 2 * kLanes) {
        __builtin_prefetch(place + i + ahead, 1);
        store_two(place + i, load(sums + i), load(sums + i + kLanes));
        store_two(sums + i, zeros, zeros);
    }
    for (; i + kLanes <= n; i += kLanes) {
        store(place + i, load(sums + i));
        store(sums + i, zeros);
    }
    if (i == n) return;
    store_partial(place + i, load_partial(sums + i, n - i), n - i);
    memset(sums + i, 0, size_t(n - i) * sizeof *sums);
}

// The same for whole non-temporal lines of a result: it holds what sums are.
template <class Value>
ACLTWIN_INLINE void take_sums_in_lines(Value* sums, int64_t n, Value* lines) {
    for (int64_t i = 0; i < n; i += kLanesOf<Value>) {
        store_non_temporal(lines + i, load(sums + i));
        store(sums + i, typename Sum<Value>::Vector{});
    }
}

// The same for any run of cells, whose whole lines are non-temporal.
template <class Value>
void take_sums_around_cache(Value* sums, int64_t n, Value* place) {
    constexpr int64_t kLine = 64 / sizeof(Value);
    const int64_t head = min64(n, (kLine - cells_into_line(place)) % kLine), lines = (n - head) / kLine * kLine;
    take_sums(sums, head, place, 0);
    take_sums_in_lines(sums + head, lines, place + head);
    take_sums(sums + head + lines, n - head - lines, place + head + lines, 0);
}

// The result of a block of planes: straight into place, around the cache, or through packed rows if W is not
// contiguous.
template <class T>
class ResultWriter {
public:
    ResultWriter(const ScatterShape& shape, const ScatterData& data)
        : shape_(shape), data_(data), ahead_(shape.ask_result ? 2048 / int64_t(sizeof(T)) : 0) {
        const int64_t rows_before = kScatterChunk * 2 * kScatterRowWord * shape.planes_together;
        packed_ = reinterpret_cast<T*>(static_cast<char*>(data.scratch) + rows_before);
    }

    void open(const PlaneBlock& block) {
        planes_ = block.count;
        result_ = static_cast<T*>(data_.result) + block.outer * shape_.result_strides[0] +
                  block.inner * shape_.result_strides[1];
    }

    ACLTWIN_INLINE T* place(int64_t d, int64_t h, int64_t w) const {
        const int64_t* strides = shape_.result_strides;
        return result_ + d * strides[2] + h * strides[3] + w * strides[4];
    }

    // n cells of every plane; those of plane 0 begin at `target`, and the sums of the next one `pitch` further on.
    ACLTWIN_INLINE void write(T* target, int64_t n, Value<T>* sums, int64_t pitch) {
        if (shape_.result_strides[4] != 1) return write_packed(target, n, sums, pitch);
        for (int64_t plane = 0; plane < planes_; ++plane)
            write_run(target + plane * shape_.result_strides[1], n, sums + plane * pitch);
    }
    // Of one plane, or of all of them.
    ACLTWIN_INLINE void write_run(T* target, int64_t n, Value<T>* sums) const {
        if constexpr (sizeof(T) == sizeof(Value<T>))
            if (shape_.non_temporal) return take_sums_around_cache(sums, n, target);
        take_sums(sums, n, target, ahead_);
    }

    // Cells that follow each other in memory: those of a row, of a slice, of a plane, or of all planes. If H and W are
    // permuted, those of some rows, which are written together.
    int64_t run() const {
        int64_t cells = shape_.cells[2];
        if (permuted()) return min64(shape_.cells[1], max64(1, kScatterChunk / cells)) * cells;
        for (int axis = 3; axis > 0 && shape_.result_strides[4] == 1 && shape_.result_strides[axis] == cells; --axis)
            cells *= axis == 1 ? planes_ : shape_.cells[axis - 2];
        return cells;
    }
    bool permuted() const { return shape_.result_strides[3] == 1 && shape_.result_strides[4] != 1; }

    void finish() const {
        if (shape_.non_temporal) non_temporal_fence();
    }

private:
    void write_packed(T* target, int64_t n, Value<T>* sums, int64_t pitch) {
        const int64_t width = shape_.cells[2], plane_stride = shape_.result_strides[1];
        const int64_t stride = shape_.result_strides[4];
        for (int64_t at = 0; at < n; at += kScatterChunk) {
            const int64_t m = min64(kScatterChunk, n - at);
            for (int64_t plane = 0; plane < planes_; ++plane)
                take_sums(sums + plane * pitch + at, m, packed_ + plane * kScatterChunk, 0);
            T* const to = target + at * stride;
            if (permuted() && m > width && m % width == 0)
                for (int64_t plane = 0; plane < planes_; ++plane)
                    transpose(packed_ + plane * kScatterChunk, m / width, width, width, 1, to + plane * plane_stride,
                              stride);
            else if (plane_stride == 1)
                transpose(packed_, planes_, kScatterChunk, m, 1, to, stride);
            else
                copy_elements(m, planes_, packed_, {1, kScatterChunk}, to, {stride, plane_stride}, as_it_is<T>);
        }
    }

    const ScatterShape& shape_;
    const ScatterData& data_;
    const int64_t ahead_;  // cells
    T* packed_;
    int64_t planes_ = 0;
    T* result_ = nullptr;
};

}  // namespace acltwin::ACLTWIN_LEVEL
