// What a plan of nearest copies tells its kernel. All strides, pitches and offsets count bytes.
#pragma once

#include "core/tensor.h"
#include "kernels/loops/walk.h"

namespace acltwin {

// How the columns of a source row become the cells of a result row.
enum class Expand {
    copy,    // every column is a cell
    blocks,  // a table says which bytes of columns make a block of neighbouring cells
    cells,   // cell by cell
};

// Sixteen bytes of cells are sixteen bytes of columns from `source` on, in the order that `pick` tells.
struct ByteBlock {
    static constexpr int64_t kBytes = 16;
    int64_t source;
    uint8_t pick[kBytes];
};

// The blocks of a row, which has at least one; the last one starts further left instead of being shorter. Up to
// `last_regular`, block i + period picks as block i does, `advance` bytes further on.
struct ByteBlockTable {
    static constexpr int kMostPeriod = 6;
    const ByteBlock* blocks = nullptr;
    int period = 0;  // 0: none that short
    int64_t advance = 0, last_regular = 0;
};

// Cells or columns of a row.
struct RowPart {
    int64_t first, n;
};

// Where the columns of a row are apart in the source, but neighbouring rows lie together: the columns of so many rows
// at a time are brought together in a buffer, and count as neighbours from there on.
struct RowPacking {
    static constexpr int64_t kSquareBytes = 16;  // rows and columns are multiples of the elements in so many bytes
    static constexpr int64_t kMargin = 16;       // before and behind a row of the buffer, for blocks that read further

    // Of the buffer; bytes from one to the next. No rows: they are read where they are.
    int64_t rows = 0, pitch = 0;
    int64_t column_step = 0;  // bytes from one column to the next in the source
};

struct NearestRows {
    static constexpr int kLoops = 5;
    static constexpr int64_t kPartBytes = 8192;  // a part of a row has less than twice as many bytes of cells

    enum Operand { kSource, kResult };
    Loops<kLoops, 2> loops = {{1, 1, 1, 1, 1}, {}};
    // Where the steps of a loop are in the source, if they are not evenly spaced: bytes, instead of steps.
    const int64_t* offsets[kLoops] = {};
    int part_loop = 0;  // the loop over a row's parts of `part_cells` cells; the last one takes what remains
    int64_t part_cells = 0;

    int64_t element_bytes = 0, cell_bytes = 0;  // a cell is one element or several neighbouring ones
    int64_t cells = 0;
    int64_t source_pitch = 0, result_pitch = 0;  // from one column or cell to the next
    RowPacking packing;
    Expand expand = Expand::cells;
    const int64_t* column = nullptr;  // of every cell; null if every column is a cell
    bool every_second = false;        // column[i] is 2 * i
    int64_t constant_size = 0;        // cell_bytes, if the loops for constant sizes may serve
    ByteBlockTable table;

    int64_t kept_bytes = 0;     // rows of so many bytes stay in the cache until a repeated slice has them again
    bool non_temporal = false;  // every part of a row is whole pairs of blocks

    RowPart cells_of(int64_t part) const {
        const int64_t first = part * part_cells;
        return {first, part == loops.extent[part_loop] - 1 ? cells - first : part_cells};
    }
    RowPart columns_of(int64_t part) const {
        const RowPart own = cells_of(part);
        if (column == nullptr) return own;
        return {column[own.first], column[own.first + own.n - 1] - column[own.first] + 1};
    }
};

// A task is one step of the innermost loop; this runs tasks first to last - 1. The buffer is for packed rows.
ACLTWIN_DECLARE_KERNEL(void nearest_copy_tasks(const NearestRows& rows, const void* source, void* result, void* buffer,
                                               int64_t first, int64_t last))

}  // namespace acltwin
