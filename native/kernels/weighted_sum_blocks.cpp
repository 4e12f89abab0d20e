#include "kernels/weighted_sum_blocks.h"

#include <algorithm>
#include <cstring>
#include <limits>

namespace acltwin {

namespace {

// A lane of a block: an element of the row.
struct Lane {
    int64_t first, count, offset;  // the element of its first term, how many there are, and where its weights start
};

// The elements from the first to the last one that lanes take.
struct Span {
    int64_t first = INT64_MAX, last = -1;
    void add(int64_t element) {
        first = std::min(first, element);
        last = std::max(last, element);
    }
};

void put_weight(int32_t* words, int64_t lane, int64_t words_each, double weight) {
    const float narrow = float(weight);
    if (words_each == 1)
        std::memcpy(words + lane, &narrow, sizeof narrow);
    else
        std::memcpy(words + 2 * lane, &weight, sizeof weight);
}

}  // namespace

ColumnBlocks::ColumnBlocks(const WeightTable& table, int64_t columns, int64_t channels, int64_t lanes, int64_t words) {
    int64_t taps = 0;
    for (int64_t i = 0; i < table.cells(); ++i) taps = std::max(taps, table.count(i));
    // Positions are 32-bit words.
    if (taps > kMostTaps || columns > std::numeric_limits<int32_t>::max() / channels) return;
    table_.head = (BlockTable::kBases + std::max<int64_t>(taps, 1) + 7) / 8 * 8;
    table_.stride = table_.head + taps * 2 * lanes * words;
    for (bool one_base : {true, false}) {
        table_.one_base = one_base;
        if (fill(table, columns, channels, lanes, words)) return;
    }
    words_.clear();
}

BlockTable ColumnBlocks::table() const {
    BlockTable table = table_;
    table.words = words_.data();
    return table;
}

bool ColumnBlocks::fill(const WeightTable& table, int64_t columns, int64_t channels, int64_t lanes, int64_t words) {
    const int64_t elements = table.cells() * channels, blocks = (elements + lanes - 1) / lanes;
    const int64_t last_base = std::max<int64_t>(0, columns * channels - lanes);
    words_.assign(size_t(blocks * table_.stride), -1);
    std::vector<Lane> lane(static_cast<size_t>(lanes));
    for (int64_t b = 0; b < blocks; ++b) {
        int32_t* const block = words_.data() + b * table_.stride;
        int64_t most = 0, least = INT64_MAX;
        Span all;
        for (int64_t i = 0; i < lanes; ++i) {
            const int64_t element = std::min(b * lanes + i, elements - 1), cell = element / channels;
            const auto at = size_t(cell);
            lane[size_t(i)] = {table.first[at] * channels + element % channels, table.count(cell), table.offset[at]};
            most = std::max(most, table.count(cell));
            least = std::min(least, table.count(cell));
            if (table.count(cell) > 0) all.add(lane[size_t(i)].first);
        }
        block[BlockTable::kTaps] = int32_t(most);
        block[BlockTable::kFull] = int32_t(least);
        block[BlockTable::kBases] = int32_t(most == 0 ? 0 : std::min(all.first, last_base));
        for (int64_t k = 0; k < most; ++k) {
            Span span;
            for (const Lane& one : lane)
                if (k < one.count) span.add(one.first + k * channels);
            const int64_t base = std::min(table_.one_base ? all.first : span.first, last_base);
            if (span.last - base >= lanes) return false;
            block[BlockTable::kBases + k] = int32_t(base);
            int32_t* const numbers = block + table_.head + k * 2 * lanes * words;
            for (int64_t i = 0; i < lanes; ++i) {
                const Lane& one = lane[size_t(i)];
                const bool has = k < one.count;
                if (has)
                    for (int64_t w = 0; w < words; ++w)
                        numbers[i * words + w] = int32_t((one.first + k * channels - base) * words + w);
                const double weight = table.weight.empty() || !has ? 1 : table.weight[size_t(one.offset + k)];
                put_weight(numbers + lanes * words, i, words, weight);
            }
        }
    }
    return true;
}

}  // namespace acltwin
