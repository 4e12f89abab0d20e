// Windows that touch but do not overlap: every cell belongs to one window and is written once, without zeroing and
// without reading back. A row of windows is spread to the width of the result; then each row of cells it reaches takes
// what is its own, from left to right: writing several rows in turn would be much slower.
#include "kernels/level/types.h"
#include "kernels/level/window_scatter_result.h"
#include "kernels/level/window_scatter_spread.h"

namespace acltwin::ACLTWIN_LEVEL {
namespace {

template <class Bits, class I>
class Expander {
public:
    Expander(const ScatterShape& shape, const ExpandShape& expand, const ScatterData& data)
        : shape_(shape),
          expand_(expand),
          size_(shape.stride),
          reader_(shape, data),
          writer_(shape, data),
          spreader_(shape.stride[2], shape.dtype == DType::float16 ? Rounding{0x7c00, 0x200} : Rounding{0x7f80, 0x40}),
          spread_(static_cast<char*>(data.scratch) + kScatterRowBytes * shape.planes_together),
          straight_(rows_are_straight()) {
        uint32_t* const cells = reinterpret_cast<uint32_t*>(spread_);
        for (int64_t i = 0; i < expand.pitch + 2 * kLineCells; ++i)
            cells[i] = kNoCell;  // of the only plane, if straight
    }

    // The window rows [begin, end) of all blocks.
    bool run(int64_t begin, int64_t end) {
        const int64_t rows = shape_.windows[1], window_rows = shape_.windows[0] * rows;
        for (int64_t row = begin; row < end;) {
            block_ = plane_block(shape_, row / window_rows);
            reader_.open(block_);
            writer_.open(block_);
            const int64_t h = row % rows, h_end = min64(rows, h + end - row);
            if (!expand_slice(row % window_rows / rows, h, h_end)) return false;
            row += h_end - h;
        }
        writer_.finish();
        return true;
    }

private:
    // The rows [h, h_end) of the windows' slice d.
    bool expand_slice(int64_t d, int64_t h, int64_t h_end) {
        const int64_t windows = (h_end - h) * shape_.windows[2] * block_.count;
        spreader_.forget();
        if (straight_) {
            const int64_t whole_end =
                h_end * size_[1] > shape_.cells[1] ? h_end - 1 : h_end;  // the last may be cut off
            expand_straight(d, h, whole_end, size_[1]);
            expand_straight(d, whole_end, h_end, rows_at(h_end - 1));
        } else {
            for (; h < h_end; ++h)
                for (int64_t w = 0; w < shape_.windows[2]; w += expand_.chunk)
                    if (!expand_chunk(d, h, w, min64(expand_.chunk, shape_.windows[2] - w))) return false;
        }
        if (!spreader_.all_taken(windows)) return false;
        if (h_end == shape_.windows[1]) write_zeros_after(d);
        return true;
    }

    // Nothing to pack, no pieces: the same as below with all steps known beforehand.
    void expand_straight(int64_t d, int64_t h, int64_t h_end, int64_t rows) {
        if (shape_.non_temporal)
            expand_straight<true>(d, h, h_end, rows);
        else
            expand_straight<false>(d, h, h_end, rows);
    }
    template <bool kBypass>
    void expand_straight(int64_t d, int64_t h, int64_t h_end, int64_t rows) {
        const int64_t windows = shape_.windows[2], width = shape_.cells[2], slices = slices_at(d);
        const int64_t slice_step = shape_.result_strides[2], row_step = shape_.result_strides[3];
        const int64_t source_step = shape_.source_strides[3], index_step = shape_.index_strides[3];
        const uint32_t row_cells = uint32_t(width), slice_cells = uint32_t(shape_.cells[1] * width);
        const SpreadRow spread = spread_row(0);
        reader_.read(d, h, 0, windows);
        const Bits* values = reader_.values(0);
        const I* indices = reader_.indices(0);
        Bits* place = writer_.place(d * size_[0], h * size_[1], 0);
        uint32_t origin = uint32_t((d * size_[0] * shape_.cells[1] + h * size_[1]) * width);
        for (; h < h_end; ++h) {
            spreader_.spread(values, indices, windows, origin, width, spread);
            for (int64_t zd = 0; zd < slices; ++zd)
                for (int64_t zh = 0; zh < rows; ++zh) {
                    const uint32_t offset = uint32_t(zd) * slice_cells + uint32_t(zh) * row_cells;
                    Bits* const row = place + zd * slice_step + zh * row_step;
                    if constexpr (kBypass)
                        spreader_.take_non_temporal(spread, offset, width, row, shared_lines_[zd]);
                    else
                        spreader_.template take<false>(spread, 0, offset, width, row);
                }
            values += source_step;
            indices += index_step;
            place += size_[1] * row_step;
            origin += uint32_t(size_[1]) * row_cells;
        }
        for (int64_t zd = 0; kBypass && zd < slices; ++zd)
            spreader_.finish(shared_lines_[zd], place + zd * slice_step + (rows - size_[1]) * row_step);
    }

    // Rows of one block that are contiguous everywhere and short enough for one piece. For non-temporal stores they
    // follow each other in memory.
    bool rows_are_straight() const {
        const int64_t* strides = shape_.result_strides;
        const bool straight = shape_.planes_together == 1 && shape_.windows[2] <= expand_.chunk &&
                              shape_.windows[2] * size_[2] <= shape_.cells[2] && shape_.source_strides[4] == 1 &&
                              shape_.index_strides[4] == 1 && strides[4] == 1;
        constexpr int64_t kLine = 64 / sizeof(Bits);
        return straight && (!shape_.non_temporal || (strides[3] == shape_.cells[2] && shape_.cells[2] >= kLine));
    }

    // The windows [w, w + n) of a row.
    bool expand_chunk(int64_t d, int64_t h, int64_t w, int64_t n) {
        const bool last = w + n == shape_.windows[2];  // they also answer for the rest of the row
        const int64_t cells = (last ? shape_.cells[2] : (w + n) * size_[2]) - w * size_[2];
        const int64_t slice = d * size_[0], row = h * size_[1], width = shape_.cells[2];
        const uint32_t origin = uint32_t((slice * shape_.cells[1] + row) * width + w * size_[2]);
        reader_.read(d, h, w, n);
        for (int64_t plane = 0; plane < block_.count; ++plane) {
            const SpreadRow spread = spread_row(plane);
            spreader_.spread(reader_.values(plane), reader_.indices(plane), n, origin, cells, spread);
            const int64_t last_window = (n - 1) * size_[2];
            const uint32_t last_index = spread.offsets[last_window] + origin + uint32_t(last_window);
            if (last && takes_next_row(d, h, int32_t(last_index))) return false;
        }
        const int64_t slices = slices_at(d), rows = rows_at(h), row_step = shape_.result_strides[3];
        for (int64_t zd = 0; zd < slices; ++zd) {
            Bits* place = writer_.place(slice + zd, row, w * size_[2]);
            uint32_t offset = uint32_t(zd * shape_.cells[1] * width);
            for (int64_t zh = 0; zh < rows; ++zh, place += row_step, offset += uint32_t(width))
                writer_.write(slice + zd, place, cells, Taker{*this, offset});
        }
        return true;
    }

    struct Taker {  // see ResultWriter::write
        Expander& expander;
        uint32_t offset;

        ACLTWIN_INLINE void put(int64_t plane, int64_t at, int64_t n, Bits* place) const {
            expander.spreader_.template take<false>(expander.spread_row(plane), at, offset, n, place);
        }
        ACLTWIN_INLINE void put_lines(int64_t plane, int64_t at, int64_t n, Bits* place) const {
            expander.spreader_.template take<true>(expander.spread_row(plane), at, offset, n, place);
        }
    };

    int64_t slices_at(int64_t d) const { return min64(size_[0], shape_.cells[0] - d * size_[0]); }
    int64_t rows_at(int64_t h) const { return min64(size_[1], shape_.cells[1] - h * size_[1]); }

    ACLTWIN_INLINE SpreadRow spread_row(int64_t plane) const {
        uint32_t* offsets =
            reinterpret_cast<uint32_t*>(spread_) + plane * (2 * expand_.pitch + 3 * kLineCells) + kLineCells;
        return {offsets, offsets + expand_.pitch + kLineCells};
    }

    // In ceil mode the last window may reach beyond the row, where the cells would be those of the next row.
    bool takes_next_row(int64_t d, int64_t h, int64_t index) const {
        const int64_t inside =
            shape_.cells[2] - (shape_.windows[2] - 1) * size_[2];  // cells of the last window in the row
        if (inside >= size_[2] || index < 0) return false;
        for (int64_t zd = 0; zd < slices_at(d); ++zd)
            for (int64_t zh = 0; zh < rows_at(h); ++zh) {
                const int64_t row = (d * size_[0] + zd) * shape_.cells[1] + h * size_[1] + zh;
                const int64_t beyond = index - (row + 1) * shape_.cells[2];
                if (beyond >= 0 && beyond < size_[2] - inside) return true;
            }
        return false;
    }

    // Rows and slices beyond the last windows.
    void write_zeros_after(int64_t d) {
        const int64_t slices_end = d * size_[0] + slices_at(d);
        for (int64_t slice = d * size_[0]; slice < slices_end; ++slice)
            write_zeros(slice, shape_.windows[1] * size_[1]);
        if (d + 1 < shape_.windows[0]) return;
        for (int64_t slice = slices_end; slice < shape_.cells[0]; ++slice) write_zeros(slice, 0);
    }
    void write_zeros(int64_t slice, int64_t row) {
        for (; row < shape_.cells[1]; ++row)
            writer_.write(slice, writer_.place(slice, row, 0), shape_.cells[2], Zeros<Bits>());
    }

    const ScatterShape& shape_;
    const ExpandShape& expand_;
    const int64_t* const size_;  // of a window
    RowReader<Bits, I> reader_;
    ResultWriter<Bits> writer_;
    Spreader<Bits, I> spreader_;
    PlaneBlock block_ = {};
    char* const spread_;
    const bool straight_;
    typename Spreader<Bits, I>::SharedLine shared_lines_[kExpandRows];  // of the slices of the windows
};

}  // namespace

bool scatter_expand(const ScatterShape& shape, const ExpandShape& expand, const ScatterData& data, int64_t begin,
                    int64_t end) {
    return with_index_type(shape.index_dtype, [&](auto index) {
        typedef decltype(index) I;
        return shape.dtype == DType::float32 ? Expander<uint32_t, I>(shape, expand, data).run(begin, end)
                                             : Expander<uint16_t, I>(shape, expand, data).run(begin, end);
    });
}

}  // namespace acltwin::ACLTWIN_LEVEL
