// Windows that overlap. The sums of the slices that the current windows reach lie in a ring of slices, small enough for
// the second-level cache; a row that no later window reaches leaves for the result at once. A vector pass turns indices
// into positions in the ring and proves that each lies in a row of its window.
#include "kernels/level/window_scatter_result.h"

namespace acltwin::ACLTWIN_LEVEL {
namespace {

// What the indices of a row of windows become. Offsets count cells of the plane, positions those of the ring.
struct RingRow {
    uint32_t origin;             // index of the first cell of the first slice that the windows reach
    int32_t slices, slice;       // slices that they reach; cells of a slice
    uint32_t legal, legal_size;  // in every slice: offset of the first row that the windows reach, cells of these rows
    uint32_t start, ring;        // position of the first kept slice; cells of the ring
    // A task that is not a whole plane keeps only what is its own:
    uint32_t skipped, kept;    // slices before its first one; slices of its own
    uint32_t rows, rows_size;  // in every slice: offset of its first row, cells of its rows
};

// kSlices is `row.slices` if it is known. The row is a copy that no store can change.
template <bool kWholePlane, int kSlices>
ACLTWIN_INLINE Word position_of(const RingRow row, Word index, Word& legal) {
    const Word offset = index - row.origin;
    Word in_slice = offset, slice = {};
    // An offset below zero never counts as beyond; like any other outside it fails the test of `in_slice`.
    const int32_t slices = kSlices > 0 ? kSlices : row.slices;
    for (int32_t q = 1; q < slices; ++q) {
        const Word beyond = bit_cast<Word>(bit_cast<Int>(offset) > q * row.slice - 1);
        in_slice -= beyond & uint32_t(row.slice);
        if constexpr (!kWholePlane) slice -= beyond;
    }
    legal &= bit_cast<Word>(in_slice - row.legal < row.legal_size);
    Word position = offset + row.start;  // slices follow each other in the ring as in the plane
    if constexpr (!kWholePlane) position = (in_slice - row.rows) + (slice - row.skipped) * row.rows_size + row.start;
    position -= bit_cast<Word>(position >= row.ring) & row.ring;
    if constexpr (!kWholePlane) {
        const Word kept =
            bit_cast<Word>(in_slice - row.rows < row.rows_size) & bit_cast<Word>(slice - row.skipped < row.kept);
        position = (kept & position) | (~kept & row.ring);  // behind the ring is room for what is not kept
    }
    return position;
}

template <bool kWholePlane, int kSlices, class I>
bool make_positions(const RingRow row, const I* indices, int64_t n, int32_t* positions) {
    Word legal = Word{} - 1;
    Long seen = {};
    int64_t i = 0;
    for (; i + kLanes <= n; i += kLanes) {
        const Word position = position_of<kWholePlane, kSlices>(row, load_indices(indices + i, seen), legal);
        memcpy(positions + i, &position, sizeof position);
    }
    if (i < n) {
        Word last_legal = legal;
        const Word index = load_indices_partial(indices + i, n - i, seen);
        const Word position = position_of<kWholePlane, kSlices>(row, index, last_legal);
        for (int64_t lane = 0; lane < n - i; ++lane) legal[0] &= last_legal[lane];
        memcpy(positions + i, &position, sizeof position);
    }
    return !any_lane(bit_cast<Int>(~legal)) && fits_32_bits(seen);
}

template <class I>
ACLTWIN_INLINE bool make_positions(bool whole_plane, const RingRow& row, const I* indices, int64_t n,
                                   int32_t* positions) {
    if (!whole_plane) return make_positions<false, 0>(row, indices, n, positions);
    switch (row.slices) {
        case 2: return make_positions<true, 2>(row, indices, n, positions);
        case 3: return make_positions<true, 3>(row, indices, n, positions);
        default: return make_positions<true, 0>(row, indices, n, positions);
    }
}

ACLTWIN_INLINE void add_values(float* sums, const int32_t* positions, const float* values, int64_t n) {
    int64_t i = 0;
    for (; i + 4 <= n; i += 4)
        for (int k = 0; k < 4; ++k) add_to(sums + positions[i + k], values + i + k);
    for (; i < n; ++i) add_to(sums + positions[i], values + i);
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
        sums_ = reinterpret_cast<float*>(static_cast<char*>(data.scratch) + kScatterRowBytes * shape.lanes_together) +
                cells_into_line(writer_.place(d_.begin, h_.begin, 0));
        lane_pitch_ = (slots_ * slot_size_ + 16) / 16 * 16;  // room for what is not kept
        whole_plane_ = d_.begin == 0 && d_.end == d_.cells && h_.begin == 0 && h_.end == h_.cells;
        memset(sums_, 0, size_t(lane_pitch_ * lanes_) * sizeof(float));
    }

    bool run() {
        // Slices before `written` are in the result; `slot` is its slot in the ring. Where windows are apart, a task
        // may begin between two of them.
        int64_t written = d_.final_after(d_.first_window - 1);
        int64_t slot = write_rows(d_.begin, written, 0, h_.begin, h_.end);
        for (int64_t d = d_.first_window; d < d_.end_window; ++d) {
            const int64_t final_slices = d_.final_after(d);
            RingRow row = ring_row(d);
            int64_t rows_written = h_.begin;
            for (int64_t h = h_.first_window; h < h_.end_window; ++h) {
                row.legal = uint32_t(h_.low(h) * shape_.cells[2]);
                row.legal_size = uint32_t(h_.high(h) * shape_.cells[2]) - row.legal;
                if (!add_row(row, d, h)) return false;
                const int64_t final_rows = h_.final_after(h);
                write_rows(written, final_slices, slot, rows_written, final_rows);
                rows_written = final_rows;
            }
            slot = write_rows(written, final_slices, slot, rows_written, h_.end);
            written = final_slices;
        }
        write_rows(written, d_.end, slot, h_.begin, h_.end);
        writer_.finish();
        return true;
    }

private:
    RingRow ring_row(int64_t d) const {
        const int64_t width = shape_.cells[2], slice = shape_.cells[1] * width;
        const int64_t low = d_.low(d), high = d_.high(d), kept = max64(low, d_.begin);
        RingRow row;
        row.origin = uint32_t(low * slice);
        row.slices = int32_t(high - low);
        row.slice = int32_t(slice);
        row.legal = row.legal_size = 0;  // differ from row to row
        row.start = uint32_t((kept - d_.begin) % slots_ * slot_size_);
        row.ring = uint32_t(slots_ * slot_size_);
        row.skipped = uint32_t(kept - low);
        row.kept = uint32_t(min64(high, d_.end) - kept);
        row.rows = uint32_t(h_.begin * width);
        row.rows_size = uint32_t(slot_size_);
        return row;
    }

    bool add_row(const RingRow& row, int64_t d, int64_t h) {
        alignas(64) int32_t positions[kScatterChunk + kLanes];
        for (int64_t w = 0; w < shape_.windows[2]; w += kScatterChunk) {
            const int64_t n = min64(kScatterChunk, shape_.windows[2] - w);
            reader_.read(d, h, w, n);
            for (int64_t lane = 0; lane < lanes_; ++lane) {
                if (!make_positions(whole_plane_, row, reader_.indices(lane), n, positions)) return false;
                add_values(sums_ + lane * lane_pitch_, positions, reader_.values(lane), n);
            }
        }
        return true;
    }

    // Slices in ascending order: two slices far apart may share a slot, and the first one leaves zeros for the second.
    // Returns the slot after the last slice.
    int64_t write_rows(int64_t slice, int64_t slice_end, int64_t slot, int64_t row, int64_t row_end) {
        const int64_t first = (row - h_.begin) * shape_.cells[2];
        for (; slice < slice_end; ++slice) {
            writer_.write_rows(slice, row, row_end, {sums_ + slot * slot_size_ + first, lane_pitch_});
            if (++slot == slots_) slot = 0;
        }
        return slot;
    }

    const ScatterShape& shape_;
    const Span d_, h_;
    RowReader<float, T, I> reader_;
    ResultWriter<T> writer_;
    int64_t lanes_, slots_, slot_size_, lane_pitch_;
    bool whole_plane_;
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
