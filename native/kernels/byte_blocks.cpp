#include "kernels/byte_blocks.h"

#include <algorithm>
#include <cstring>

namespace acltwin {

ByteBlocks::ByteBlocks(const std::vector<int64_t>& column, int64_t cell_bytes) {
    find_blocks(column, cell_bytes);
    find_period();
    table_.blocks = blocks_.data();
}

void ByteBlocks::find_blocks(const std::vector<int64_t>& column, int64_t cell_bytes) {
    constexpr int64_t kBytes = ByteBlock::kBytes;
    const int64_t row_bytes = int64_t(column.size()) * cell_bytes, span = (column.back() + 1) * cell_bytes;
    if (span < kBytes || row_bytes < kBytes) return;
    blocks_.reserve(size_t((row_bytes + kBytes - 1) / kBytes));
    for (int64_t at = 0; at < row_bytes; at += kBytes) {
        const int64_t first = std::min(at, row_bytes - kBytes);
        int64_t cell = first / cell_bytes, within = first % cell_bytes;
        int64_t source[kBytes], low = INT64_MAX, high = 0;
        for (int64_t& byte : source) {
            byte = column[size_t(cell)] * cell_bytes + within;
            low = std::min(low, byte);
            high = std::max(high, byte);
            if (++within == cell_bytes) {
                within = 0;
                ++cell;
            }
        }
        if (high - low >= kBytes) return blocks_.clear();
        // Neighbouring blocks read the same columns if they can, and no block reads past the last column.
        const bool again = !blocks_.empty() && low >= blocks_.back().source && high < blocks_.back().source + kBytes;
        ByteBlock block = {again ? blocks_.back().source : std::min(low, span - kBytes), {}};
        for (int64_t i = 0; i < kBytes; ++i) block.pick[i] = uint8_t(source[i] - block.source);
        blocks_.push_back(block);
    }
}

// The shortest period that holds for most of the row.
void ByteBlocks::find_period() {
    for (int period = 1; period <= ByteBlockTable::kMostPeriod && period < int(blocks_.size()); ++period) {
        const int64_t last = last_regular(period);
        if (last <= int64_t(blocks_.size()) / 2) continue;
        table_.period = period;
        table_.advance = blocks_[size_t(period)].source - blocks_[0].source;
        table_.last_regular = last;
        return;
    }
}

int64_t ByteBlocks::last_regular(int period) const {
    const size_t step = size_t(period);
    const int64_t advance = blocks_[step].source - blocks_[0].source;
    size_t i = 0;
    for (; i + step < blocks_.size(); ++i) {
        const ByteBlock &block = blocks_[i], &next = blocks_[i + step];
        if (next.source - block.source != advance || std::memcmp(next.pick, block.pick, sizeof block.pick) != 0) break;
    }
    return int64_t(i + step);
}

}  // namespace acltwin
