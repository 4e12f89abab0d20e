// Rows of cells for the scatter kernels: sums are formed in float32 (float64 in its own), and leave for a result of any
// layout.
#pragma once

#include "kernels/level/non_temporal_writer.h"
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

// A filler writes one row of cells, or several that touch:
//   put(plane, at, n, place)         the n cells from `at` on
//   put_lines(plane, at, n, place)   the same for whole non-temporal lines
template <class T>
struct Zeros {
    void put(int64_t, int64_t, int64_t n, T* place) const { memset(place, 0, size_t(n) * sizeof(T)); }
    void put_lines(int64_t, int64_t, int64_t n, T* place) const {
        alignas(64) const char line[64] = {};
        for (int64_t i = 0; i < n; i += 64 / sizeof(T)) copy_line_non_temporal(place + i, line);
    }
};

template <class Value>
struct Sums {
    Value* sums;          // of plane 0
    int64_t plane_pitch;  // from there to those of the next plane
    int64_t ahead;        // cells

    template <class T>
    ACLTWIN_INLINE void put(int64_t plane, int64_t at, int64_t n, T* place) const {
        take_sums(sums + plane * plane_pitch + at, n, place, ahead);
    }
    ACLTWIN_INLINE void put_lines(int64_t plane, int64_t at, int64_t n, Value* place) const {
        take_sums_in_lines(sums + plane * plane_pitch + at, n, place);
    }
};

// The result of a block of planes: straight into place, by non-temporal stores, or through packed rows if W is not
// contiguous.
template <class T>
class ResultWriter {
    static constexpr int kStreams = 4;  // slices that are written in turn
    static constexpr int64_t kLine = 64 / sizeof(T);

public:
    ResultWriter(const ScatterShape& shape, const ScatterData& data) : shape_(shape), data_(data) {
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

    // n cells of a row of every plane; those of plane 0 begin at `target`, which is in slice d.
    template <class Filler>
    ACLTWIN_INLINE void write(int64_t d, T* target, int64_t n, const Filler& filler) {
        const int64_t* strides = shape_.result_strides;
        if (strides[4] != 1) return write_packed(target, n, filler);
        for (int64_t plane = 0; plane < planes_; ++plane) {
            T* const place = target + plane * strides[1];
            if constexpr (sizeof(T) >= 4)
                if (shape_.non_temporal) {
                    write_non_temporal(streams_[(d + plane) % kStreams], place, plane, n, filler);
                    continue;
                }
            filler.put(plane, 0, n, place);
        }
    }

    // Cells that follow each other in memory: those of a row, of a slice, of a plane, or of all planes.
    int64_t run() const {
        int64_t cells = shape_.cells[2];
        for (int axis = 3; axis > 0 && shape_.result_strides[4] == 1 && shape_.result_strides[axis] == cells; --axis)
            cells *= axis == 1 ? planes_ : shape_.cells[axis - 2];
        return cells;
    }
    // The same as `write` for cells of all planes.
    template <class Filler>
    void write_run(T* target, int64_t n, const Filler& filler) {
        planes_ = 1;
        write(0, target, n, filler);
    }

    void finish() {
        if (!shape_.non_temporal) return;
        for (NonTemporalWriter& stream : streams_) stream.finish();
    }

private:
    // Lines that belong to two rows are put together in a stream: to write them in parts would be very slow.
    template <class Filler>
    ACLTWIN_INLINE void write_non_temporal(NonTemporalWriter& stream, T* place, int64_t plane, int64_t n,
                                           const Filler& filler) {
        const int64_t head = min64(n, (kLine - cells_into_line(place)) % kLine), lines = (n - head) / kLine * kLine;
        if (head > 0) write_piece(stream, place, plane, 0, head, filler);
        filler.put_lines(plane, head, lines, place + head);
        if (head + lines < n) write_piece(stream, place, plane, head + lines, n - head - lines, filler);
    }
    template <class Filler>
    void write_piece(NonTemporalWriter& stream, T* place, int64_t plane, int64_t at, int64_t n, const Filler& filler) {
        filler.put(plane, at, n, stream.seek(place + at));
        stream.advance(n * int64_t(sizeof(T)));
    }

    template <class Filler>
    void write_packed(T* target, int64_t n, const Filler& filler) {
        const int64_t plane_stride = shape_.result_strides[1], stride = shape_.result_strides[4];
        for (int64_t at = 0; at < n; at += kScatterChunk) {
            const int64_t m = min64(kScatterChunk, n - at);
            for (int64_t plane = 0; plane < planes_; ++plane) filler.put(plane, at, m, packed_ + plane * kScatterChunk);
            copy_elements(m, planes_, packed_, {1, kScatterChunk}, target + at * stride, {stride, plane_stride},
                          as_it_is<T>);
        }
    }

    const ScatterShape& shape_;
    const ScatterData& data_;
    T* packed_;
    int64_t planes_ = 0;
    T* result_ = nullptr;
    alignas(64) char stages_[kStreams][NonTemporalWriter::kStageExtra + 64];
    NonTemporalWriter streams_[kStreams] = {NonTemporalWriter(stages_[0]), NonTemporalWriter(stages_[1]),
                                            NonTemporalWriter(stages_[2]), NonTemporalWriter(stages_[3])};
};

}  // namespace acltwin::ACLTWIN_LEVEL
