#include "kernels/interval_sum_blocks.h"

#include <algorithm>

namespace acltwin {
namespace {

constexpr int64_t kMaxPicks = 8;      // beyond, walking through the intervals is as fast
constexpr size_t kMaxPatterns = 128;  // so that they stay in the cache

}  // namespace

CellBlocks::CellBlocks(const int64_t* begin, int64_t cells, int64_t channels, Lanes lanes)
    : begin_(begin),
      elements_(cells * channels),
      columns_(begin[cells] * channels),
      channels_(channels),
      lanes_(lanes) {
    if (!choose_shape()) return;
    blocks_.reserve(size_t((elements_ - 1) / table_.cells + 1));
    for (int64_t element = 0; element < elements_; element += table_.cells) {
        if (add_block(std::max<int64_t>(0, std::min(element, elements_ - table_.cells)))) continue;
        table_.cells = 0;
        return;
    }
}

BlockTable CellBlocks::table() const {
    BlockTable table = table_;
    table.blocks = blocks_.data();
    table.patterns = patterns_.data();
    return table;
}

CellBlocks::Interval CellBlocks::interval(int64_t element) const {
    const int64_t cell = channels_ == 1 ? element : element / channels_;
    return {begin_[cell] * channels_ + element - cell * channels_, begin_[cell + 1] - begin_[cell]};
}

// The columns from the first to the last one that the block takes. It may take none; windows ascend all the same.
CellBlocks::Interval CellBlocks::window(int64_t first_element) const {
    int64_t first = columns_, last = 0;
    for (int64_t i = first_element; i < std::min(first_element + table_.cells, elements_); ++i) {
        const Interval taken = interval(i);
        if (taken.count == 0) continue;
        first = std::min(first, taken.first);
        last = std::max(last, taken.first + (taken.count - 1) * channels_ + 1);
    }
    if (last == 0) return {begin_[first_element / channels_] * channels_, 0};
    return {first, last - first};
}

// The largest block whose columns always fit into the vectors that a kernel looks them up in.
bool CellBlocks::choose_shape() {
    const int64_t cells = elements_ / channels_;
    for (int64_t i = 0; i < cells; ++i) table_.picks = std::max(table_.picks, begin_[i + 1] - begin_[i]);
    if (table_.picks == 0 || table_.picks > kMaxPicks) return false;
    for (const bool half : {false, true}) {
        table_.cells = half ? lanes_.count / 2 : lanes_.count;
        int64_t widest = 0;
        for (int64_t i = 0; i < elements_; i += table_.cells)
            widest = std::max(widest, window(std::max<int64_t>(0, std::min(i, elements_ - table_.cells))).count);
        table_.vectors = half ? 2 : std::max<int64_t>(1, (widest - 1) / lanes_.count + 1);
        if (widest <= table_.vectors * lanes_.count && table_.vectors <= 3) return true;
    }
    table_.cells = 0;
    return false;
}

bool CellBlocks::add_block(int64_t first_element) {
    // No vector reaches past the row's end, if the row is long enough.
    const int64_t last_start = std::max<int64_t>(0, columns_ - table_.vectors * lanes_.count);
    const int64_t first_column = std::min(window(first_element).first, last_start);
    Key key = {first_element % channels_, interval(first_element).first - first_column, 0};
    for (int64_t i = first_element; i < std::min(first_element + table_.cells, elements_); ++i)
        key.counts = key.counts << 4 | uint64_t(interval(i).count);

    const auto known = std::find(keys_.begin(), keys_.end(), key);
    blocks_.push_back({first_column, (known - keys_.begin()) * table_.picks * lanes_.count * lanes_.words});
    if (known != keys_.end()) return true;
    if (keys_.size() == kMaxPatterns) return false;
    keys_.push_back(key);
    add_pattern(first_element, first_column);
    return true;
}

void CellBlocks::add_pattern(int64_t first_element, int64_t first_column) {
    const size_t start = patterns_.size();
    patterns_.resize(start + size_t(table_.picks * lanes_.count * lanes_.words), -1);
    for (int64_t i = 0; i < std::min(table_.cells, elements_ - first_element); ++i) {
        const Interval taken = interval(first_element + i);
        for (int64_t k = 0; k < taken.count; ++k)
            for (int64_t w = 0; w < lanes_.words; ++w)
                patterns_[start + size_t((k * lanes_.count + i) * lanes_.words + w)] =
                    int32_t((taken.first + k * channels_ - first_column) * lanes_.words + w);
    }
}

}  // namespace acltwin
