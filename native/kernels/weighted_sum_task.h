// What a plan of weighted sums tells its kernels.
//
// The order of the additions follows from the tables only, so the bits are the same in every kernel, layout, level and
// thread count. Each product and each sum is rounded. "Running" sums start from their first term; "groups" are running
// sums of eight terms, added up in order.
//   columns first  if H grows, W does not shrink, and no cell of either has more than kMostTaps terms, unless the plan
//                  is told otherwise:
//                  1. along D, in groups  2. along W, running  3. along H, in groups
//   rows first     otherwise:
//                  1. the rows (d, h) of the box in ascending order, weight w_d * w_h, in groups  2. along W, running
// Then the sum is divided by (divisor_d * divisor_h) * divisor_w, and +0.0 is added: no result is -0.0.
#pragma once

#include "core/tensor.h"
#include "kernels/loops/walk.h"
#include "kernels/positions.h"

namespace acltwin {

constexpr int kTapsPerGroup = 8;
constexpr int64_t kMostTaps = 16;

// What a thread works in: rows of at most so many sums in all, between margins that vectors may touch.
constexpr int64_t kWorkBytes = 16 << 10, kMarginBytes = 64;

// Cells of a strip without a table.
constexpr int64_t kCellsShown = 1024;

// How a row of columns becomes a row of cells.
enum class Spread {
    channels,    // as many neighbouring channels as fill a vector: each term is a vector
    blocks,      // a table says which columns a block of neighbouring cells takes for each term
    transposed,  // as many rows as a vector has lanes at once: each term is a vector of rows
    walk,        // cell by cell
    places,      // each cell takes the two columns around its place, which is found as it is needed
    shown,       // each column is added to the cell that it shows, likewise
};

struct AxisWeights {
    const int64_t *first = nullptr, *offset = nullptr;
    const void *weight = nullptr, *divisor = nullptr;  // of the type of the sums; null: all are 1

    ACLTWIN_INLINE int64_t count(int64_t cell) const { return offset[cell + 1] - offset[cell]; }
};

// A piece of a row, small enough to stay in the first cache: some cells, the columns they take, and of these some of
// the channels. Only a strip of one cell may have more columns than the buffers hold.
struct Strip {
    int64_t first_cell, cells, first_column, columns, first_channel, channels;
};

// Spread::blocks: for each block of neighbouring elements of a row the number of terms, how many of these every lane
// has, and for each term the element from which a vector is loaded, then for each term the word numbers of its lanes
// (negative: no term) and the weights.
struct BlockTable {
    int64_t stride = 0, head = 0;  // words of a block, and of those before the lanes
    bool one_base = false;         // all terms of a block lie in one vector
    const int32_t* words = nullptr;
    enum { kTaps, kFull, kBases };
};

struct WeightedRows {
    // The loops around a piece of a row: N, C, D, if columns come first the strips, H.
    enum Operand { kSource, kResult };
    enum Loop { kBatch, kChannels, kDepths, kStrips, kHeights };
    Loops<5, 2> loops;
    // Rows first, a task is one strip of so many rows, which follow each other in the loops; strips come innermost.
    int64_t rows_at_once = 1, strip_count = 1;
    int64_t depth_stride = 0, height_stride = 0;  // of the source
    int64_t channels = 1;                         // neighbouring elements at every column and cell
    int64_t source_pitch = 1, result_pitch = 1;   // elements from one column or cell to the next
    AxisWeights axis[3];
    bool columns_first = false, divided = false;
    int64_t ring_rows = 1;  // a power of two; if columns come first, so many rows of cells wait to be added up
    Spread spread = Spread::walk;
    bool in_place = false;  // a row of the source can be spread as it is
    BlockTable blocks;
    bool same_cells = false;                // for blocks, of a row: each is its only column
    const void* element_divisor = nullptr;  // divisor_w of each element of a row, for blocks
    const Strip* strips = nullptr;
    Positions positions;
    bool shared = false;  // columns are, between the cell they show and the next one
    int64_t columns = 0;  // of a whole row

    ACLTWIN_INLINE int64_t steps() const {
        int64_t steps = 1;
        for (int64_t extent : loops.extent) steps *= extent;
        return steps;
    }
    ACLTWIN_INLINE int64_t tasks() const {
        return columns_first ? steps() : (steps() + rows_at_once - 1) / rows_at_once * strip_count;
    }
};

// Planes whose rows are short, side by side: as many as fill a vector are packed into `rows`' source, whose channels
// they are, and the sums are put back from its result.
struct PlaneSide {
    int64_t batch_step = 0, channel_step = 0;
    // The axes of a plane in any order, merged where they are one; where its cells are in it, and in their own order.
    int64_t extent[3] = {1, 1, 1}, step[3] = {}, place[3] = {};
};
struct WeightedPlanes {
    WeightedRows rows;
    int64_t batches = 0, channels = 0;
    PlaneSide source, result;
    int64_t source_bytes = 0, result_bytes = 0;  // of a packed block

    ACLTWIN_INLINE int64_t buffer_bytes() const { return source_bytes + result_bytes; }
};

// A task is one block of planes; this runs tasks first to last - 1, in a buffer of buffer_bytes() that is aligned to a
// cache line.
ACLTWIN_DECLARE_KERNEL(void weighted_sum_planes(const WeightedPlanes& planes, DType dtype, const void* source,
                                                void* result, void* buffer, int64_t first, int64_t last))
// A task is one strip of one row; this runs tasks first to last - 1.
ACLTWIN_DECLARE_KERNEL(void weighted_sum_tasks(const WeightedRows& rows, DType dtype, const void* source, void* result,
                                               int64_t first, int64_t last))
// Sums that fill one vector.
ACLTWIN_DECLARE_KERNEL(int weighted_sum_lanes(DType dtype))

}  // namespace acltwin
