// Rows of cells for the scatter kernels: sums are formed in float32 (float64 in its own), and leave for a result of any
// layout.
#pragma once

#include "kernels/level/window_scatter_rows.h"
#include "kernels/loops/stream_writer.h"

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

// The same for whole lines of a result that bypasses the cache: it holds what sums are.
template <class Value>
ACLTWIN_INLINE void take_sums_in_lines(Value* sums, int64_t n, Value* lines) {
    for (int64_t i = 0; i < n; i += kLanesOf<Value>) {
        stream_vector(lines + i, load(sums + i));
        store(sums + i, typename Sum<Value>::Vector{});
    }
}

// A filler writes one row of cells, or several that touch:
//   put(lane, at, n, place)         the n cells from `at` on
//   put_lines(lane, at, n, place)   the same for whole lines that bypass the cache
template <class T>
struct Zeros {
    void put(int64_t, int64_t, int64_t n, T* place) const { memset(place, 0, size_t(n) * sizeof(T)); }
    void put_lines(int64_t, int64_t, int64_t n, T* place) const {
        alignas(64) const char line[64] = {};
        for (int64_t i = 0; i < n; i += 64 / sizeof(T)) stream_line(place + i, line);
    }
};

template <class Value>
struct Sums {
    Value* sums;         // of lane 0
    int64_t lane_pitch;  // from there to those of the next lane
    int64_t ahead;       // cells

    template <class T>
    ACLTWIN_INLINE void put(int64_t lane, int64_t at, int64_t n, T* place) const {
        take_sums(sums + lane * lane_pitch + at, n, place, ahead);
    }
    ACLTWIN_INLINE void put_lines(int64_t lane, int64_t at, int64_t n, Value* place) const {
        take_sums_in_lines(sums + lane * lane_pitch + at, n, place);
    }
};

// The result of a block of planes: straight into place, around the cache, or through packed rows if W is not
// contiguous.
template <class T>
class ResultWriter {
    static constexpr int kStreams = 4;  // slices that are written in turn
    static constexpr int64_t kLine = 64 / sizeof(T);

public:
    ResultWriter(const ScatterShape& shape, const ScatterData& data) : shape_(shape), data_(data) {
        const int64_t rows_before = kScatterChunk * 2 * kScatterRowWord * shape.lanes_together;
        packed_ = reinterpret_cast<T*>(static_cast<char*>(data.scratch) + rows_before);
    }

    void open(const LaneBlock& block) {
        lanes_ = block.count;
        result_ = static_cast<T*>(data_.result) + block.outer * shape_.result_strides[0] +
                  block.lane * shape_.result_strides[1];
    }

    ACLTWIN_INLINE T* place(int64_t d, int64_t h, int64_t w) const {
        const int64_t* strides = shape_.result_strides;
        return result_ + d * strides[2] + h * strides[3] + w * strides[4];
    }

    // n cells of a row of every lane; those of lane 0 begin at `target`, which is in slice d.
    template <class Filler>
    ACLTWIN_INLINE void write(int64_t d, T* target, int64_t n, const Filler& filler) {
        const int64_t* strides = shape_.result_strides;
        if (strides[4] != 1) return write_packed(target, n, filler);
        for (int64_t lane = 0; lane < lanes_; ++lane) {
            T* const place = target + lane * strides[1];
            if constexpr (sizeof(T) >= 4)
                if (shape_.bypass_cache) {
                    write_around_cache(streams_[(d + lane) % kStreams], place, lane, n, filler);
                    continue;
                }
            filler.put(lane, 0, n, place);
        }
    }

    // The rows of a slice make one.
    ACLTWIN_INLINE bool rows_touch() const {
        return shape_.result_strides[4] == 1 && shape_.result_strides[3] == shape_.cells[2];
    }

    void finish() {
        if (!shape_.bypass_cache) return;
        for (StreamWriter& stream : streams_) stream.finish();
    }

private:
    // Lines that belong to two rows are put together in a stream: to write them in parts would be very slow.
    template <class Filler>
    ACLTWIN_INLINE void write_around_cache(StreamWriter& stream, T* place, int64_t lane, int64_t n,
                                           const Filler& filler) {
        const int64_t head = min64(n, (kLine - cells_into_line(place)) % kLine), lines = (n - head) / kLine * kLine;
        if (head > 0) write_piece(stream, place, lane, 0, head, filler);
        filler.put_lines(lane, head, lines, place + head);
        if (head + lines < n) write_piece(stream, place, lane, head + lines, n - head - lines, filler);
    }
    template <class Filler>
    void write_piece(StreamWriter& stream, T* place, int64_t lane, int64_t at, int64_t n, const Filler& filler) {
        filler.put(lane, at, n, stream.seek(place + at));
        stream.advance(n * int64_t(sizeof(T)));
    }

    template <class Filler>
    void write_packed(T* target, int64_t n, const Filler& filler) {
        const int64_t lane_stride = shape_.result_strides[1], stride = shape_.result_strides[4];
        for (int64_t at = 0; at < n; at += kScatterChunk) {
            const int64_t m = min64(kScatterChunk, n - at);
            for (int64_t lane = 0; lane < lanes_; ++lane) filler.put(lane, at, m, packed_ + lane * kScatterChunk);
            copy_elements(m, lanes_, packed_, {1, kScatterChunk}, target + at * stride, {stride, lane_stride},
                          as_it_is<T>);
        }
    }

    const ScatterShape& shape_;
    const ScatterData& data_;
    T* packed_;
    int64_t lanes_ = 0;
    T* result_ = nullptr;
    alignas(64) char stages_[kStreams][StreamWriter::kStageExtra + 64];
    StreamWriter streams_[kStreams] = {StreamWriter(stages_[0]), StreamWriter(stages_[1]), StreamWriter(stages_[2]),
                                       StreamWriter(stages_[3])};
};

}  // namespace acltwin::ACLTWIN_LEVEL
