// Windows that touch but do not overlap: every cell belongs to one window and is written once, without zeroing and
// without reading back. A row of windows is spread to the width of the result; then each row of cells it reaches takes
// what is its own, from left to right: writing several rows in turn would be much slower.
#include "kernels/level/types.h"
#include "kernels/level/window_scatter_spread.h"

namespace acltwin::ACLTWIN_LEVEL {
namespace {

template <class Bits, class I>
class Expander {
public:
    Expander(const ScatterShape& shape, const ScatterData& data)
        : shape_(shape),
          size_(shape.stride),
          reader_(shape, data),
          result_(static_cast<Bits*>(data.result)),
          spreader_(shape.stride[2], shape.dtype == DType::float16 ? Rounding{0x7c00, 0x200} : Rounding{0x7f80, 0x40}),
          spread_(spread_row(shape, data)) {
        // Before and after the cells, and between both kinds of numbers.
        uint32_t* const numbers = spread_.offsets - kLineCells;
        for (int64_t i = 0; i < expanded_pitch(shape) + 2 * kLineCells; ++i) numbers[i] = kNoCell;
    }

    // The window rows [begin, end) of all blocks.
    bool run(int64_t begin, int64_t end) {
        const int64_t rows = shape_.windows[1], window_rows = shape_.windows[0] * rows;
        for (int64_t row = begin; row < end;) {
            const PlaneBlock block = plane_block(shape_, row / window_rows);
            reader_.open(block);
            plane_ = result_ + block.outer * shape_.result_strides[0] + block.inner * shape_.result_strides[1];
            const int64_t h = row % rows, h_end = min64(rows, h + end - row);
            if (!expand_slice(row % window_rows / rows, h, h_end)) return false;
            row += h_end - h;
        }
        if (shape_.non_temporal) non_temporal_fence();
        return true;
    }

private:
    // The rows [h, h_end) of the windows' slice d.
    bool expand_slice(int64_t d, int64_t h, int64_t h_end) {
        const int64_t windows = (h_end - h) * shape_.windows[2];
        spreader_.forget();
        const int64_t whole_end = h_end * size_[1] > shape_.cells[1] ? h_end - 1 : h_end;  // the last may be cut off
        const auto expand = [&](int64_t from, int64_t to, int64_t rows) {
            return shape_.non_temporal ? expand_rows<true>(d, from, to, rows) : expand_rows<false>(d, from, to, rows);
        };
        expand(h, whole_end, size_[1]);
        expand(whole_end, h_end, rows_at(h_end - 1));
        if (!spreader_.all_taken(windows)) return false;
        if (h_end == shape_.windows[1]) write_zeros_after(d);
        return true;
    }

    template <bool kBypass>
    void expand_rows(int64_t d, int64_t h, int64_t h_end, int64_t rows) {
        const int64_t windows = shape_.windows[2], width = shape_.cells[2], slices = slices_at(d);
        const int64_t slice_step = shape_.result_strides[2], row_step = shape_.result_strides[3];
        const int64_t source_step = shape_.source_strides[3], index_step = shape_.index_strides[3];
        const uint32_t row_cells = uint32_t(width), slice_cells = uint32_t(shape_.cells[1] * width);
        reader_.read(d, h, 0, windows);
        const Bits* values = reader_.values(0);
        const I* indices = reader_.indices(0);
        Bits* place = row_at(d * size_[0], h * size_[1]);
        uint32_t origin = uint32_t((d * size_[0] * shape_.cells[1] + h * size_[1]) * width);
        for (; h < h_end; ++h) {
            spreader_.spread(values, indices, windows, origin, width, spread_);
            for (int64_t zd = 0; zd < slices; ++zd)
                for (int64_t zh = 0; zh < rows; ++zh) {
                    const uint32_t offset = uint32_t(zd) * slice_cells + uint32_t(zh) * row_cells;
                    Bits* const row = place + zd * slice_step + zh * row_step;
                    if constexpr (kBypass)
                        spreader_.take_non_temporal(spread_, offset, width, row, shared_lines_[zd]);
                    else
                        spreader_.take(spread_, offset, width, row);
                }
            values += source_step;
            indices += index_step;
            place += size_[1] * row_step;
            origin += uint32_t(size_[1]) * row_cells;
        }
        for (int64_t zd = 0; kBypass && zd < slices; ++zd)
            spreader_.finish(shared_lines_[zd], place + zd * slice_step + (rows - size_[1]) * row_step);
    }

    int64_t slices_at(int64_t d) const { return min64(size_[0], shape_.cells[0] - d * size_[0]); }
    int64_t rows_at(int64_t h) const { return min64(size_[1], shape_.cells[1] - h * size_[1]); }

    static SpreadRow spread_row(const ScatterShape& shape, const ScatterData& data) {
        char* const rows = static_cast<char*>(data.scratch) + kScatterRowBytes * shape.planes_together;
        uint32_t* const offsets = reinterpret_cast<uint32_t*>(rows) + kLineCells;
        return {offsets, offsets + expanded_pitch(shape) + kLineCells};
    }

    // Rows and slices beyond the last windows.
    void write_zeros_after(int64_t d) const {
        const int64_t slices_end = d * size_[0] + slices_at(d);
        for (int64_t slice = d * size_[0]; slice < slices_end; ++slice)
            write_zeros(slice, shape_.windows[1] * size_[1]);
        if (d + 1 < shape_.windows[0]) return;
        for (int64_t slice = slices_end; slice < shape_.cells[0]; ++slice) write_zeros(slice, 0);
    }
    void write_zeros(int64_t slice, int64_t row) const {
        for (; row < shape_.cells[1]; ++row) memset(row_at(slice, row), 0, size_t(shape_.cells[2]) * sizeof(Bits));
    }
    Bits* row_at(int64_t d, int64_t h) const {
        return plane_ + d * shape_.result_strides[2] + h * shape_.result_strides[3];
    }

    const ScatterShape& shape_;
    const int64_t* const size_;  // of a window
    RowReader<Bits, I> reader_;
    Bits *const result_, *plane_ = nullptr;
    Spreader<Bits, I> spreader_;
    const SpreadRow spread_;
    typename Spreader<Bits, I>::SharedLine shared_lines_[kExpandRows];  // of the slices of the windows
};

}  // namespace

bool scatter_expand(const ScatterShape& shape, const ScatterData& data, int64_t begin, int64_t end) {
    return with_index_type(shape.index_dtype, [&](auto index) {
        typedef decltype(index) I;
        return shape.dtype == DType::float32 ? Expander<uint32_t, I>(shape, data).run(begin, end)
                                             : Expander<uint16_t, I>(shape, data).run(begin, end);
    });
}

}  // namespace acltwin::ACLTWIN_LEVEL
