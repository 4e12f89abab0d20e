// The table behind Fold::blocks: which columns a block of neighbouring cells takes.
#pragma once

#include <vector>

#include "kernels/interval_sum_task.h"

namespace acltwin {

// The intervals of a row: begin[0] = 0, ascending. Where `channels` elements lie together at every column and cell,
// each of them is a column or cell of its own here.
struct RowIntervals {
    const int64_t* begin;
    int64_t cells, channels;

    int64_t first(int64_t cell) const { return begin[cell / channels] * channels + cell % channels; }
    int64_t length(int64_t cell) const { return begin[cell / channels + 1] - begin[cell / channels]; }
    int64_t columns() const { return begin[cells / channels] * channels; }
};

// `lanes` sums fill a vector, each of them `words` 32-bit words wide.
// Not usable when the blocks would be too wide or too different from each other.
class CellBlocks {
public:
    CellBlocks() = default;
    CellBlocks(const RowIntervals& row, int64_t lanes, int64_t words);

    bool usable() const { return table_.cells > 0; }
    CellBlockTable table() const;

private:
    bool choose_shape(const RowIntervals& row, int64_t lanes);
    bool add_block(const RowIntervals& row, int64_t first_cell, int64_t lanes, int64_t words);

    // What tells patterns apart: where the first interval starts in the window and which channel it has, and the
    // lengths, four bits each.
    struct Key {
        uint64_t lengths;
        int64_t offset, channel;
    };

    CellBlockTable table_;
    std::vector<CellBlock> blocks_;
    std::vector<int32_t> patterns_;
    std::vector<Key> keys_;  // one per pattern
};

}  // namespace acltwin
