// What a plan of interval sums tells its kernels.
//
// The order of the additions is the same in every kernel, layout, level and thread count, and so are the bits:
//   1. for every column of the W interval: the rows (d, h) of the box in ascending order, in groups of eight; a group
//      is a running sum from its first row on, and the groups' sums are added up in order;
//   2. then the columns, ascending, as a running sum.
// Every cell is as if its sum had started from +0.0: an empty box gives +0.0, and so does a box full of -0.0. What
// fills an unused lane is neutral: -0.0, because x + -0.0 is x for every x.
#pragma once

#include "core/tensor.h"
#include "kernels/loops/walk.h"

namespace acltwin {

constexpr int kRowsPerGroup = 8;

// Rows that are summed together are several streams of memory, which the CPU foresees less well than one.
constexpr int64_t kPrefetchBytes = 1024;

// How the summed columns of a row become its cells.
enum class Fold {
    uniform,  // every interval has `factor` columns, 1 to 4
    blocks,   // a table says which columns a block of neighbouring cells takes
    runs,     // every interval is walked through
};

// A block of cells, all of whose columns lie in one or two vectors from `first_column` on.
struct CellBlock {
    int64_t first_column;
    int64_t pattern;  // where its pattern starts in CellBlockTable::patterns
};

// Few patterns serve many blocks: the intervals of a fixed scale repeat.
struct CellBlockTable {
    int64_t cells = 0;        // of one block; the last block of a row starts further left instead of being shorter
    int64_t vectors = 0;      // 1 or 2; blocks of less cells than lanes have 2
    int64_t vector_step = 0;  // columns from the first vector to the second: fewer than lanes if the row ends before
    int64_t picks = 0;        // columns of the longest interval
    const CellBlock* blocks = nullptr;
    const int32_t* patterns = nullptr;  // per pattern `picks` vectors of word numbers; a negative one: nothing to add
};

struct IntervalRows {
    // The loops around a row: N, C, D, H in the order of memory, and just outside the innermost of them the parts of a
    // row, `part_cells` cells each (the last one takes what remains). D and H step through the intervals, which say
    // where a box lies in the source.
    enum Operand { kSource, kResult, kDepth, kHeight };
    static constexpr int kParts = 3;
    Loops<5, 4> loops;
    int64_t part_cells = 0, depth_stride = 0, height_stride = 0;  // of the source
    int64_t ahead = 0;                                            // so many bytes before it is read memory is asked for

    // A row: `channels` elements lie together at every column and cell.
    int64_t cells = 0, columns = 0, channels = 1;
    int64_t source_pitch = 1, result_pitch = 1;  // elements from one column or cell to the next
    const int64_t* begin[3] = {};                // of the intervals on D, H, W; begin[2] starts at 0
    int64_t interleaved = 1;                     // so many columns and cells, the channels, share an interval on W
    Fold fold = Fold::runs;
    int64_t factor = 0;
    CellBlockTable table;

    bool swapped = false;       // H and W have changed places, because H lies together in the source
    bool transpose = false;     // and the innermost loop goes from a cell to its neighbour in the result
    bool non_temporal = false;  // non-temporal stores

    // Where the columns of the cells from `cell` on begin, and where those of the cells before it end.
    int64_t first_column(int64_t cell) const {
        return fold == Fold::uniform ? cell * factor : begin[2][cell / interleaved] * interleaved;
    }
    int64_t end_column(int64_t cell) const { return first_column(cell + interleaved - 1); }
};

// A task is one part of one row; this runs tasks first to last - 1.
ACLTWIN_DECLARE_KERNEL(void interval_sum_tasks(const IntervalRows& rows, DType dtype, const void* source, void* result,
                                               int64_t first, int64_t last))
// Sums that fill one vector.
ACLTWIN_DECLARE_KERNEL(int interval_sum_lanes(DType dtype))

}  // namespace acltwin
