// The table behind Fold::blocks: which columns a block of neighbouring cells takes.
#pragma once

#include <vector>

#include "kernels/level/interval_sum.h"

namespace acltwin {

// For any ascending `begin` with begin[0] = 0. `lanes` sums fill a vector, each of them `words` 32-bit words wide.
// Not usable when the blocks would be too wide or too different from each other.
class CellBlocks {
public:
    CellBlocks() = default;
    CellBlocks(const int64_t* begin, int64_t cells, int64_t lanes, int64_t words);

    bool usable() const { return table_.cells > 0; }
    CellBlockTable table() const;

private:
    bool choose_shape(const int64_t* begin, int64_t cells, int64_t lanes);
    bool add_block(const int64_t* begin, int64_t cells, int64_t first_cell, int64_t lanes, int64_t words);

    // What tells patterns apart: where the first interval starts in the window, and the lengths, four bits each.
    struct Key {
        uint64_t lengths;
        int64_t offset;
    };

    CellBlockTable table_;
    std::vector<CellBlock> blocks_;
    std::vector<int32_t> patterns_;
    std::vector<Key> keys_;  // one per pattern
};

}  // namespace acltwin
