// Table for rows whose cells repeat columns in any pattern: which bytes make each block of the row.
#pragma once

#include <vector>

#include "kernels/nearest_copy_task.h"

namespace acltwin {

class ByteBlocks {
public:
    ByteBlocks() = default;
    // Cells of `cell_bytes` bytes, cell i a copy of column[i]; column[0] is 0 and columns never fall.
    ByteBlocks(const std::vector<int64_t>& column, int64_t cell_bytes);

    // False if the columns of some block lie further apart than a block is long.
    bool usable() const { return !blocks_.empty(); }
    const ByteBlockTable& table() const { return table_; }

private:
    void find_blocks(const std::vector<int64_t>& column, int64_t cell_bytes);
    void find_period();
    int64_t last_regular(int period) const;

    std::vector<ByteBlock> blocks_;
    ByteBlockTable table_;
};

}  // namespace acltwin
