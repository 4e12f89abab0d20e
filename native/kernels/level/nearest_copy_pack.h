// Rows whose columns are apart in the source, brought together for several neighbouring rows at once.
#pragma once

#include "kernels/level/transpose.h"
#include "kernels/level/types.h"
#include "kernels/nearest_copy_task.h"

namespace acltwin::ACLTWIN_LEVEL {

// The `columns` of rows, which are asked for in ascending order, by their offsets from `source`: up to `last_asked`, of
// those up to `last_row` that there are.
class RowPacker {
public:
    RowPacker(const NearestRows& p, RowPart columns, const char* source, int64_t last_asked, int64_t last_row,
              char* buffer)
        : p_(p),
          columns_(columns),
          source_(source + columns.first * p.packing.column_step),
          last_asked_(last_asked),
          last_row_(last_row),
          buffer_(buffer + RowPacking::kMargin) {}

    // Where column 0 of that row would be: only `columns` are there.
    ACLTWIN_INLINE const char* row(int64_t offset) {
        if (offset >= end_) pack(offset);
        return buffer_ + (offset - begin_) / p_.element_bytes * p_.packing.pitch - columns_.first * p_.element_bytes;
    }

private:
    // As many rows as the buffer holds, or as are asked for: whole squares, the last ones from further up.
    void pack(int64_t offset) {
        constexpr int64_t kSquare = RowPacking::kSquareBytes;
        const int64_t most = p_.packing.rows * p_.element_bytes;
        const int64_t bytes = min64(most, (last_asked_ - offset) / kSquare * kSquare + kSquare);
        begin_ = min64(offset, last_row_ + p_.element_bytes - bytes);
        end_ = begin_ + bytes;
        with_element_size(p_.element_bytes, [&](auto e) { pack_squares<decltype(e)>(); });
    }

    template <class E>
    void pack_squares() const {
        constexpr int64_t kElement = sizeof(E), kSide = RowPacking::kSquareBytes / kElement;
        const E* const from = reinterpret_cast<const E*>(source_ + begin_);
        const int64_t step = p_.packing.column_step / kElement, pitch = p_.packing.pitch / kElement;
        const int64_t rows = (end_ - begin_) / kElement;
        E* const to = reinterpret_cast<E*>(buffer_);
        for (int64_t c = 0; c < columns_.n; c += kSide) {
            const int64_t column = min64(c, columns_.n - kSide);  // the last squares start further left
            for (int64_t row = 0; row < rows; row += kSide)
                transpose_square(from + column * step + row, step, to + row * pitch + column, pitch);
        }
    }

    const NearestRows& p_;
    const RowPart columns_;
    const char* const source_;
    const int64_t last_asked_, last_row_;
    char* const buffer_;
    int64_t begin_ = 0, end_ = INT64_MIN;
};

}  // namespace acltwin::ACLTWIN_LEVEL
