// The table behind Spread::blocks: which columns a block of neighbouring elements takes for each term.
#pragma once

#include <vector>

#include "kernels/plans.h"
#include "kernels/weighted_sum_task.h"

namespace acltwin {

// `lanes` sums fill a vector, each of them `words` 32-bit words wide. Not usable where the columns of a term lie in
// more than one vector.
class ColumnBlocks {
public:
    ColumnBlocks() = default;
    ColumnBlocks(const WeightTable& table, int64_t columns, int64_t channels, int64_t lanes, int64_t words);

    bool usable() const { return !words_.empty(); }
    BlockTable table() const;

private:
    bool fill(const WeightTable& table, int64_t columns, int64_t channels, int64_t lanes, int64_t words);

    BlockTable table_;
    std::vector<int32_t> words_;
};

}  // namespace acltwin
