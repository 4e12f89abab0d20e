// Rows in and out for the window scatters: whatever the layout, the kernels see short contiguous rows.
#pragma once

#include "kernels/level/stream_writer.h"
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

// rows[lane][i] = convert(source[lane * lane_stride + i * stride])
template <class To, class From, class Convert>
void pack_rows(const From* source, int64_t lane_stride, int64_t stride, int64_t lanes, int64_t n, To* rows,
               const Convert& convert) {
    if (lanes > 1 && (lane_stride == 1 || lane_stride == -1)) {
        for (int64_t i = 0; i < n; ++i)
            for (int64_t lane = 0; lane < lanes; ++lane)
                rows[lane * kScatterChunk + i] = convert(source[lane * lane_stride + i * stride]);
    } else {
        for (int64_t lane = 0; lane < lanes; ++lane)
            for (int64_t i = 0; i < n; ++i)
                rows[lane * kScatterChunk + i] = convert(source[lane * lane_stride + i * stride]);
    }
}

// Window rows of a block: gradients as they are (`raw`) or as float32 (`values`), and indices.
template <class T, class I>
class RowReader {
public:
    RowReader(const ScatterShape& shape, const ScatterData& data) : shape_(shape), data_(data) {
        rows_ = static_cast<char*>(data.scratch);
        packed_indices_ = reinterpret_cast<I*>(rows_ + 4 * kScatterChunk * shape.lanes_together);
    }

    void open(const LaneBlock& block) {
        lanes_ = block.count;
        source_ = static_cast<const T*>(data_.source) + block.outer * shape_.source_strides[0] +
                  block.lane * shape_.source_strides[1];
        indices_ = static_cast<const I*>(data_.indices) + block.outer * shape_.index_strides[0] +
                   block.lane * shape_.index_strides[1];
    }

    // Makes the windows [w, w + n) of a row ready, n <= kScatterChunk.
    ACLTWIN_INLINE void read_raw(int64_t d, int64_t h, int64_t w, int64_t n) { read_as<T>(d, h, w, n); }
    ACLTWIN_INLINE void read_values(int64_t d, int64_t h, int64_t w, int64_t n) { read_as<float>(d, h, w, n); }

    ACLTWIN_INLINE const T* raw(int64_t lane) const { return static_cast<const T*>(row_) + lane * row_pitch_; }
    ACLTWIN_INLINE const float* values(int64_t lane) const {
        return static_cast<const float*>(row_) + lane * row_pitch_;
    }
    ACLTWIN_INLINE const I* indices(int64_t lane) const { return index_row_ + lane * index_pitch_; }

private:
    template <class V>
    ACLTWIN_INLINE void read_as(int64_t d, int64_t h, int64_t w, int64_t n) {
        const int64_t *source_strides = shape_.source_strides, *index_strides = shape_.index_strides;
        const T* source = source_ + d * source_strides[2] + h * source_strides[3] + w * source_strides[4];
        index_row_ = indices_ + d * index_strides[2] + h * index_strides[3] + w * index_strides[4];
        index_pitch_ = index_strides[1];
        row_ = source;
        row_pitch_ = source_strides[1];
        if (source_strides[4] != 1 || sizeof(V) != sizeof(T)) {
            pack_source(source, n, reinterpret_cast<V*>(rows_));
            row_ = rows_;
            row_pitch_ = kScatterChunk;
        }
        if (index_strides[4] != 1) {
            pack_rows(index_row_, index_pitch_, index_strides[4], lanes_, n, packed_indices_, [](I x) { return x; });
            index_row_ = packed_indices_;
            index_pitch_ = kScatterChunk;
        }
    }

    ACLTWIN_INLINE void pack_source(const T* source, int64_t n, float* rows) {
        const int64_t* strides = shape_.source_strides;
        if (strides[4] != 1 || sizeof(T) == sizeof(float)) {
            pack_rows(source, strides[1], strides[4], lanes_, n, rows, [](T x) { return widen(x); });
            return;
        }
        for (int64_t lane = 0; lane < lanes_; ++lane) {
            const T* from = source + lane * strides[1];
            float* to = rows + lane * kScatterChunk;
            int64_t i = 0;
            for (; i + kLanes <= n; i += kLanes) store(to + i, load(from + i));
            store_partial(to + i, load_partial(from + i, n - i), n - i);
        }
    }
    template <class V>
    ACLTWIN_INLINE void pack_source(const T* source, int64_t n, V* rows) {
        pack_rows(source, shape_.source_strides[1], shape_.source_strides[4], lanes_, n, rows, [](T x) { return x; });
    }

    const ScatterShape& shape_;
    const ScatterData& data_;
    char* rows_;
    I* packed_indices_;
    int64_t lanes_ = 0;
    const T* source_ = nullptr;
    const I* indices_ = nullptr;
    const void* row_ = nullptr;
    const I* index_row_ = nullptr;
    int64_t row_pitch_ = 0, index_pitch_ = 0;
};

// Result rows of a block: straight into place, around the cache, or through packed rows if W is not contiguous.
template <class T>
class RowWriter {
    static constexpr int kStreams = 4;  // slices that are written in turn
    static constexpr int64_t kStageBytes = StreamWriter::kStageExtra + kScatterChunk * int64_t(sizeof(T));

public:
    RowWriter(const ScatterShape& shape, const ScatterData& data) : shape_(shape), data_(data) {
        const int64_t rows_before = kScatterChunk * (4 + 8) * shape.lanes_together;
        packed_ = reinterpret_cast<T*>(static_cast<char*>(data.scratch) + rows_before);
    }

    void open(const LaneBlock& block) {
        lanes_ = block.count;
        result_ = static_cast<T*>(data_.result) + block.outer * shape_.result_strides[0] +
                  block.lane * shape_.result_strides[1];
    }

    // Cells [w, w + n) of a row of every lane, n <= kScatterChunk: fill(lane, place) writes exactly n elements to
    // place.
    template <class Fill>
    ACLTWIN_INLINE void write(int64_t d, int64_t h, int64_t w, int64_t n, const Fill& fill) {
        const int64_t* strides = shape_.result_strides;
        T* const target = result_ + d * strides[2] + h * strides[3] + w * strides[4];
        for (int64_t lane = 0; lane < lanes_; ++lane) {
            if (strides[4] != 1) {
                fill(lane, packed_ + lane * kScatterChunk);
            } else if (!shape_.bypass_cache) {
                fill(lane, target + lane * strides[1]);
            } else {
                StreamWriter& stream = streams_[(d + lane) % kStreams];
                fill(lane, stream.seek(target + lane * strides[1]));
                stream.advance(n * int64_t(sizeof(T)));
            }
        }
        if (strides[4] != 1) unpack(target, n);
    }

    void finish() {
        if (!shape_.bypass_cache) return;
        for (StreamWriter& stream : streams_) stream.finish();
    }

private:
    void unpack(T* target, int64_t n) {
        const int64_t lane_stride = shape_.result_strides[1], stride = shape_.result_strides[4];
        for (int64_t i = 0; i < n; ++i)
            for (int64_t lane = 0; lane < lanes_; ++lane)
                target[lane * lane_stride + i * stride] = packed_[lane * kScatterChunk + i];
    }

    const ScatterShape& shape_;
    const ScatterData& data_;
    T* packed_;
    int64_t lanes_ = 0;
    T* result_ = nullptr;
    alignas(64) char stages_[kStreams][kStageBytes];
    StreamWriter streams_[kStreams] = {StreamWriter(stages_[0]), StreamWriter(stages_[1]), StreamWriter(stages_[2]),
                                       StreamWriter(stages_[3])};
};

// Moves n sums out: rounds them, and leaves zeros behind for the next ones.
template <class T>
ACLTWIN_INLINE void take_sums(float* sums, int64_t n, T* place) {
    int64_t i = 0;
    for (; i + kLanes <= n; i += kLanes) {
        store(place + i, load(sums + i));
        store(sums + i, Float{});
    }
    if (i == n) return;
    store_partial(place + i, load_partial(sums + i, n - i), n - i);
    memset(sums + i, 0, size_t(n - i) * sizeof(float));
}

// sum + value with a fixed order of the operands: if both are NaN the sum's own survives, in every kernel alike.
ACLTWIN_INLINE void add_to(float* sum, float value) {
#if defined(__x86_64__)
    _mm_store_ss(sum, _mm_add_ss(_mm_load_ss(sum), _mm_set_ss(value)));
#else
    *sum = *sum + value;
#endif
}

// kLanes indices as 32-bit numbers. `seen` collects the bits of all of them, see fits_32_bits.
typedef int64_t LongPair __attribute__((vector_size(kLanes * 8)));

ACLTWIN_INLINE Word load_indices(const int32_t* p, LongPair&) {
    Word v;
    memcpy(&v, p, sizeof v);
    return v;
}
ACLTWIN_INLINE Word load_indices(const int64_t* p, LongPair& seen) {
    LongPair v;
    memcpy(&v, p, sizeof v);
    seen |= v;
    return __builtin_convertvector(v, Word);
}
template <class I>
ACLTWIN_INLINE Word load_indices_partial(const I* p, int64_t n, LongPair& seen) {  // lanes from n on are zero
    I lanes[kLanes] = {};
    memcpy(lanes, p, size_t(n) * sizeof(I));
    return load_indices(lanes, seen);
}
ACLTWIN_INLINE bool fits_32_bits(LongPair seen) {
    int64_t all = 0;
    for (int lane = 0; lane < kLanes; ++lane) all |= seen[lane];
    return all >> 32 == 0;
}

ACLTWIN_INLINE bool any_lane(Int mask) {
    const LongPair wide = __builtin_convertvector(mask, LongPair);
    int64_t all = 0;
    for (int lane = 0; lane < kLanes; ++lane) all |= wide[lane];
    return all != 0;
}

}  // namespace acltwin::ACLTWIN_LEVEL
