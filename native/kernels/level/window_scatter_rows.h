// Rows of windows for the scatter kernels: whatever the layout, they see short contiguous rows of gradients and
// indices.
#pragma once

#include "kernels/level/simd.h"
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

// Window rows of a block: gradients as they are (`raw`) or as the type of the sums (`values`), and indices.
template <class T, class I>
class RowReader {
    typedef typename Sum<T>::Scalar Value;

public:
    RowReader(const ScatterShape& shape, const ScatterData& data) : shape_(shape), data_(data) {
        rows_ = static_cast<char*>(data.scratch);
        packed_indices_ = reinterpret_cast<I*>(rows_ + kScatterRowWord * kScatterChunk * shape.lanes_together);
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
    ACLTWIN_INLINE void read_values(int64_t d, int64_t h, int64_t w, int64_t n) { read_as<Value>(d, h, w, n); }

    ACLTWIN_INLINE const T* raw(int64_t lane) const { return static_cast<const T*>(row_) + lane * row_pitch_; }
    ACLTWIN_INLINE const Value* values(int64_t lane) const {
        return static_cast<const Value*>(row_) + lane * row_pitch_;
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

    ACLTWIN_INLINE void pack_source(const T* source, int64_t n, Value* rows) {
        const int64_t* strides = shape_.source_strides;
        if (strides[4] != 1 || sizeof(T) == sizeof(Value)) {
            pack_rows(source, strides[1], strides[4], lanes_, n, rows, [](T x) { return widen(x); });
            return;
        }
        for (int64_t lane = 0; lane < lanes_; ++lane) {
            const T* from = source + lane * strides[1];
            Value* to = rows + lane * kScatterChunk;
            int64_t i = 0;
            for (; i + kLanesOf<T> <= n; i += kLanesOf<T>) store(to + i, load(from + i));
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

typedef uint64_t Long __attribute__((vector_size(kLanes * 4)));

// kLanes indices as 32-bit numbers. `seen` collects the bits of all of them, see fits_32_bits.
ACLTWIN_INLINE Word load_indices(const int32_t* p, Long&) {
    Word v;
    memcpy(&v, p, sizeof v);
    return v;
}
ACLTWIN_INLINE Word load_indices(const int64_t* p, Long& seen) {
    Long first, second;
    memcpy(&first, p, sizeof first);
    memcpy(&second, p + kLanes / 2, sizeof second);
    seen |= first | second;
    Word low_halves;
    for (int lane = 0; lane < kLanes; ++lane) low_halves[lane] = uint32_t(2 * lane);  // a constant
    return __builtin_shuffle(bit_cast<Word>(first), bit_cast<Word>(second), low_halves);
}
template <class I>
ACLTWIN_INLINE Word load_indices_partial(const I* p, int64_t n, Long& seen) {  // lanes from n on are zero
    I lanes[kLanes] = {};
    memcpy(lanes, p, size_t(n) * sizeof(I));
    return load_indices(lanes, seen);
}

ACLTWIN_INLINE uint64_t all_bits(Long v) {
    uint64_t bits = 0;
    for (int lane = 0; lane < kLanes / 2; ++lane) bits |= v[lane];
    return bits;
}
ACLTWIN_INLINE bool fits_32_bits(Long seen) { return all_bits(seen) >> 32 == 0; }
ACLTWIN_INLINE bool any_lane(Word mask) { return all_bits(bit_cast<Long>(mask)) != 0; }

}  // namespace acltwin::ACLTWIN_LEVEL
