// The table behind Fold::blocks: which columns a block of neighbouring cells takes.
#pragma once

#include <vector>

#include "kernels/level/interval_sum.h"

namespace acltwin {

// The vectors that a level sums in.
struct Lanes {
    int64_t count;
    int64_t words;  // of 32 bits, per lane
};

// A table for a row of cells, each of them `channels` elements wide; its blocks count elements, as if each element were
// a cell. `begin` starts at 0. Not usable when the blocks would be too wide or too different from each other.
class CellBlocks {
public:
    CellBlocks() = default;
    CellBlocks(const int64_t* begin, int64_t cells, int64_t channels, Lanes lanes);

    bool usable() const { return table_.cells > 0; }
    BlockTable table() const;

private:
    // The columns of one element of the row: `count` of them, from `first` on, `channels` apart.
    struct Interval {
        int64_t first, count;
    };
    // What tells patterns apart: the first element's channel, the counts (four bits each), where the window starts.
    struct Key {
        int64_t channel, offset;
        uint64_t counts;

        bool operator==(const Key& other) const {
            return channel == other.channel && offset == other.offset && counts == other.counts;
        }
    };

    Interval interval(int64_t element) const;
    Interval window(int64_t first_element) const;
    bool choose_shape();
    bool add_block(int64_t first_element);
    void add_pattern(int64_t first_element, int64_t first_column);

    const int64_t* begin_ = nullptr;
    int64_t elements_ = 0, columns_ = 0, channels_ = 1;
    Lanes lanes_ = {};

    BlockTable table_;
    std::vector<CellBlock> blocks_;
    std::vector<int32_t> patterns_;
    std::vector<Key> keys_;  // one per pattern
};

}  // namespace acltwin
