// Windows that overlap. The sums of the slices that the current windows reach lie in a ring of slices, small enough for
// the second-level cache; a row that no later window reaches leaves for the result at once. A vector pass turns indices
// into positions in the ring and proves that each lies in a row of its window.
#include "kernels/level/window_scatter_rows.h"

namespace acltwin::ACLTWIN_LEVEL {
namespace {

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
    // No window after this one reaches a cell of the task before that one.
    int64_t final_after(int64_t window) const {
        return window + 1 < end_window ? min64(end, max64(begin, low(window + 1))) : end;
    }
};

// What the indices of one row of windows become.
struct RingRow {
    uint32_t origin;  // index of the first cell that the windows reach
    uint32_t slices;  // slices that they reach
    uint32_t slice;   // cells of a slice of the plane
    uint32_t legal,
        legal_size;  // cells from the slice's begin to the first row that the windows reach; cells of the rows
    // for a task that is not a whole plane: what is kept of it
    uint32_t skipped, kept;    // slices before the task's first one; slices that it has
    uint32_t rows, rows_size;  // cells from the slice's begin to the task's first row; cells of its rows
    // in the ring
    uint32_t start, ring,
        outside;  // position of the first kept slice, cells of the ring, the place for what is not kept
};

template <bool kWholePlane, class I>
bool make_positions(const RingRow& row, const I* indices, int64_t n, int32_t* positions) {
    Word all_legal = Word{} - 1;
    LongPair seen = {};
    for (int64_t i = 0; i < n; i += kLanes) {
        const bool whole = i + kLanes <= n;
        const Word index = whole ? load_indices(indices + i, seen) : load_indices_partial(indices + i, n - i, seen);
        const Word offset = index - row.origin;
        Word in_slice = offset, slice = {};
        // An offset below zero is a huge number here, and stays one: it fails the test below.
        for (uint32_t q = 1; q < row.slices; ++q) {
            const Word beyond = bit_cast<Word>(offset >= q * row.slice);
            in_slice -= beyond & row.slice;
            slice -= beyond;
        }
        Word legal = bit_cast<Word>(in_slice - row.legal < row.legal_size);
        if (!whole)
            for (int64_t lane = n - i; lane < kLanes; ++lane) legal[lane] = ~0u;
        all_legal &= legal;
        Word position = (in_slice - row.rows) + (slice - row.skipped) * row.rows_size + row.start;
        position -= bit_cast<Word>(position >= row.ring) & row.ring;
        if constexpr (!kWholePlane) {
            const Word kept =
                bit_cast<Word>(in_slice - row.rows < row.rows_size) & bit_cast<Word>(slice - row.skipped < row.kept);
            position = (kept & position) | (~kept & row.outside);
        }
        memcpy(positions + i, &position, sizeof position);
    }
    return !any_lane(bit_cast<Int>(~all_legal)) && fits_32_bits(seen);
}

ACLTWIN_INLINE void add_values(float* sums, const int32_t* positions, const float* values, int64_t n) {
    int64_t i = 0;
    for (; i + 4 <= n; i += 4)
        for (int k = 0; k < 4; ++k) add_to(sums + positions[i + k], values[i + k]);
    for (; i < n; ++i) add_to(sums + positions[i], values[i]);
}

template <class T, class I>
class Ring {
public:
    Ring(const ScatterShape& shape, const ScatterBox& box, const ScatterData& data)
        : shape_(shape),
          d_(shape, 0, box.begin[0], box.end[0]),
          h_(shape, 1, box.begin[1], box.end[1]),
          reader_(shape, data),
          writer_(shape, data) {
        const LaneBlock block = lane_block(shape, box.block);
        lanes_ = block.count;
        reader_.open(block);
        writer_.open(block);
        slots_ = min64(d_.extent, d_.end - d_.begin);
        slot_size_ = (h_.end - h_.begin) * shape.cells[2];
        sums_ = reinterpret_cast<float*>(static_cast<char*>(data.scratch) + kScatterRowBytes * shape.lanes_together);
        lane_pitch_ = (slots_ * slot_size_ + 16) / 16 * 16;  // room for what is not kept
        memset(sums_, 0, size_t(lane_pitch_ * lanes_) * sizeof(float));
    }

    bool run() {
        int64_t written = d_.begin;  // slices before this one are in the result
        for (int64_t d = d_.first_window; d < d_.end_window; ++d) {
            const int64_t final_slices = d_.final_after(d);
            int64_t rows_written = h_.begin;
            for (int64_t h = h_.first_window; h < h_.end_window; ++h) {
                if (!add_row(d, h)) return false;
                const int64_t final_rows = h_.final_after(h);
                write_rows(written, final_slices, rows_written, final_rows);
                rows_written = final_rows;
            }
            write_rows(written, final_slices, rows_written, h_.end);
            written = final_slices;
        }
        write_rows(written, d_.end, h_.begin, h_.end);
        writer_.finish();
        return true;
    }

private:
    RingRow ring_row(int64_t d, int64_t h) const {
        const int64_t width = shape_.cells[2], slice = shape_.cells[1] * width;
        const int64_t low = d_.low(d), high = d_.high(d), kept = max64(low, d_.begin);
        RingRow row;
        row.origin = uint32_t(low * slice);
        row.slices = uint32_t(high - low);
        row.slice = uint32_t(slice);
        row.legal = uint32_t(h_.low(h) * width);
        row.legal_size = uint32_t((h_.high(h) - h_.low(h)) * width);
        row.skipped = uint32_t(kept - low);
        row.kept = uint32_t(min64(high, d_.end) - kept);
        row.rows = uint32_t(h_.begin * width);
        row.rows_size = uint32_t(slot_size_);
        row.start = uint32_t((kept - d_.begin) % slots_ * slot_size_);
        row.ring = uint32_t(slots_ * slot_size_);
        row.outside = row.ring;
        return row;
    }

    bool add_row(int64_t d, int64_t h) {
        const RingRow row = ring_row(d, h);
        const bool whole_plane = row.rows_size == row.slice && d_.begin == 0 && d_.end == d_.cells;
        alignas(64) int32_t positions[kScatterChunk + kLanes];
        for (int64_t w = 0; w < shape_.windows[2]; w += kScatterChunk) {
            const int64_t n = min64(kScatterChunk, shape_.windows[2] - w);
            reader_.read_values(d, h, w, n);
            for (int64_t lane = 0; lane < lanes_; ++lane) {
                const bool legal = whole_plane ? make_positions<true>(row, reader_.indices(lane), n, positions)
                                               : make_positions<false>(row, reader_.indices(lane), n, positions);
                if (!legal) return false;
                add_values(sums_ + lane * lane_pitch_, positions, reader_.values(lane), n);
            }
        }
        return true;
    }

    // Slices in ascending order: two slices far apart may share a slot, and the first one leaves zeros for the second.
    void write_rows(int64_t slice_begin, int64_t slice_end, int64_t row_begin, int64_t row_end) {
        for (int64_t row = row_begin; row < row_end; ++row)
            for (int64_t slice = slice_begin; slice < slice_end; ++slice) write_row(slice, row);
    }

    void write_row(int64_t d, int64_t h) {
        float* sums = sums_ + (d - d_.begin) % slots_ * slot_size_ + (h - h_.begin) * shape_.cells[2];
        for (int64_t w = 0; w < shape_.cells[2]; w += kScatterChunk) {
            const int64_t n = min64(kScatterChunk, shape_.cells[2] - w);
            writer_.write(d, h, w, n,
                          [&](int64_t lane, T* place) { take_sums(sums + lane * lane_pitch_ + w, n, place); });
        }
    }

    const ScatterShape& shape_;
    const Span d_, h_;
    RowReader<T, I> reader_;
    RowWriter<T> writer_;
    int64_t lanes_, slots_, slot_size_, lane_pitch_;
    float* sums_;
};

template <class T>
bool ring_as(const ScatterShape& shape, const ScatterBox& box, const ScatterData& data) {
    return shape.index_dtype == DType::int32 ? Ring<T, int32_t>(shape, box, data).run()
                                             : Ring<T, int64_t>(shape, box, data).run();
}

}  // namespace

bool scatter_ring(const ScatterShape& shape, const ScatterBox& box, const ScatterData& data) {
    switch (shape.dtype) {
        case DType::float32: return ring_as<float>(shape, box, data);
        case DType::float16: return ring_as<Half>(shape, box, data);
        default: return ring_as<BFloat>(shape, box, data);
    }
}

}  // namespace acltwin::ACLTWIN_LEVEL
