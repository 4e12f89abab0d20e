// Rows of cells for the scatter kernels: sums are formed in float32 (float64 in its own), and leave for a result of any
// layout.
#pragma once

#include "kernels/level/stream_writer.h"
#include "kernels/level/window_scatter_rows.h"

namespace acltwin::ACLTWIN_LEVEL {

// sum + value with a fixed order of the operands: if both are NaN the sum's own survives, in every kernel alike.
ACLTWIN_INLINE void add_to(float* sum, float value) {
#if defined(__x86_64__)
    _mm_store_ss(sum, _mm_add_ss(_mm_load_ss(sum), _mm_set_ss(value)));
#else
    *sum = *sum + value;
#endif
}
ACLTWIN_INLINE void add_to(double* sum, double value) {
#if defined(__x86_64__)
    _mm_store_sd(sum, _mm_add_sd(_mm_load_sd(sum), _mm_set_sd(value)));
#else
    *sum = *sum + value;
#endif
}

// Moves n sums out: rounds them, and leaves zeros behind for the next ones.
template <class T>
ACLTWIN_INLINE void take_sums(typename Sum<T>::Scalar* sums, int64_t n, T* place) {
    int64_t i = 0;
    for (; i + kLanesOf<T> <= n; i += kLanesOf<T>) {
        store(place + i, load(sums + i));
        store(sums + i, typename Sum<T>::Vector{});
    }
    if (i == n) return;
    store_partial(place + i, load_partial(sums + i, n - i), n - i);
    memset(sums + i, 0, size_t(n - i) * sizeof *sums);
}

// The same for whole lines of the result that bypass the cache.
template <class T>
ACLTWIN_INLINE void take_sums_in_lines(typename Sum<T>::Scalar* sums, int64_t n, T* lines) {
    constexpr int64_t kLine = 64 / sizeof(T);
    for (int64_t i = 0; i < n; i += kLine) {
        alignas(64) T line[kLine];
        take_sums(sums + i, kLine, line);
        stream_line(lines + i, line);
    }
}

// One vector, aligned to its size, that bypasses the cache.
template <class Vector>
ACLTWIN_INLINE void stream_vector(void* place, Vector v) {
#if defined(__AVX512F__) && !defined(ACLTWIN_LANES)
    if constexpr (sizeof(Vector) == 64) return _mm512_stream_si512(static_cast<__m512i*>(place), bit_cast<__m512i>(v));
#endif
#if defined(__AVX__)
    if constexpr (sizeof(Vector) == 32) return _mm256_stream_si256(static_cast<__m256i*>(place), bit_cast<__m256i>(v));
#endif
#if defined(__x86_64__)
    if constexpr (sizeof(Vector) == 16) return _mm_stream_si128(static_cast<__m128i*>(place), bit_cast<__m128i>(v));
#endif
    memcpy(place, &v, sizeof v);
}

template <class T>
ACLTWIN_INLINE bool whole_lines(const T* place, int64_t n) {
    return (reinterpret_cast<uintptr_t>(place) | uintptr_t(n * int64_t(sizeof(T)))) % 64 == 0;
}

// The result of a block of planes: straight into place, around the cache, or through packed rows if W is not
// contiguous.
template <class T>
class ResultWriter {
    static constexpr int kStreams = 4;  // slices that are written in turn
    static constexpr int64_t kStageBytes = StreamWriter::kStageExtra + kScatterChunk * int64_t(sizeof(T));

public:
    ResultWriter(const ScatterShape& shape, const ScatterData& data) : shape_(shape), data_(data) {
        const int64_t rows_before = kScatterChunk * 2 * kScatterRowWord * shape.lanes_together;
        packed_ = reinterpret_cast<T*>(static_cast<char*>(data.scratch) + rows_before);
        const int64_t* strides = shape.result_strides;
        rows_touch_ = strides[4] == 1 && strides[3] == shape.cells[2];
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

    // Cells [w, w + n) of a row of every lane: fill(lane, at, n, place) writes the n <= kScatterChunk elements from w +
    // at on to place.
    template <class Fill>
    ACLTWIN_INLINE void write(int64_t d, int64_t h, int64_t w, int64_t n, const Fill& fill) {
        for (int64_t at = 0; at < n; at += kScatterChunk)
            write_piece(d, place(d, h, w + at), at, min64(kScatterChunk, n - at), fill);
    }

    // Whole rows [h, h_end) of a slice, out of the sums of lane 0; those of the next lane follow `lane_pitch` later.
    ACLTWIN_INLINE void take_rows(int64_t d, int64_t h, int64_t h_end, typename Sum<T>::Scalar* sums,
                                  int64_t lane_pitch) {
        const int64_t width = shape_.cells[2], n = (h_end - h) * width;
        T* const target = place(d, h, 0);
        if (rows_touch_ && lanes_ == 1 && (!shape_.bypass_cache || whole_lines(target, n))) {
            if (shape_.bypass_cache)
                take_sums_in_lines(sums, n, target);
            else
                take_sums(sums, n, target);
            return;
        }
        for (; h < h_end; ++h, sums += width)
            write(d, h, 0, width,
                  [&](int64_t lane, int64_t at, int64_t m, T* to) { take_sums(sums + lane * lane_pitch + at, m, to); });
    }

    void finish() {
        if (!shape_.bypass_cache) return;
        for (StreamWriter& stream : streams_) stream.finish();
    }

private:
    template <class Fill>
    ACLTWIN_INLINE void write_piece(int64_t d, T* target, int64_t at, int64_t n, const Fill& fill) {
        const int64_t* strides = shape_.result_strides;
        for (int64_t lane = 0; lane < lanes_; ++lane) {
            if (strides[4] != 1) {
                fill(lane, at, n, packed_ + lane * kScatterChunk);
            } else if (!shape_.bypass_cache) {
                fill(lane, at, n, target + lane * strides[1]);
            } else {
                StreamWriter& stream = streams_[(d + lane) % kStreams];
                fill(lane, at, n, stream.seek(target + lane * strides[1]));
                stream.advance(n * int64_t(sizeof(T)));
            }
        }
        if (strides[4] != 1) unpack(target, n);
    }

    void unpack(T* target, int64_t n) {
        const int64_t lane_stride = shape_.result_strides[1], stride = shape_.result_strides[4];
        for (int64_t i = 0; i < n; ++i)
            for (int64_t lane = 0; lane < lanes_; ++lane)
                target[lane * lane_stride + i * stride] = packed_[lane * kScatterChunk + i];
    }

    const ScatterShape& shape_;
    const ScatterData& data_;
    bool rows_touch_;
    T* packed_;
    int64_t lanes_ = 0;
    T* result_ = nullptr;
    alignas(64) char stages_[kStreams][kStageBytes];
    StreamWriter streams_[kStreams] = {StreamWriter(stages_[0]), StreamWriter(stages_[1]), StreamWriter(stages_[2]),
                                       StreamWriter(stages_[3])};
};

}  // namespace acltwin::ACLTWIN_LEVEL
