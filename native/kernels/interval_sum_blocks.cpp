#include "kernels/interval_sum_blocks.h"

#include <algorithm>

namespace acltwin {
namespace {

constexpr int64_t kMaxPicks = 8;      // beyond, walking through the intervals is as fast
constexpr size_t kMaxPatterns = 128;  // so that they stay in the cache

// From the first of the columns of neighbouring cells to the last.
struct Span {
    int64_t first = INT64_MAX, last = 0;

    int64_t columns() const { return std::max<int64_t>(0, last - first); }
};
Span span_of(const RowIntervals& row, int64_t first_cell, int64_t last_cell) {
    Span span;
    for (int64_t cell = first_cell; cell < last_cell; ++cell) {
        const int64_t first = row.first(cell), length = row.length(cell);
        span.first = std::min(span.first, first);
        if (length > 0) span.last = std::max(span.last, first + (length - 1) * row.channels + 1);
    }
    return span;
}

}  // namespace

CellBlocks::CellBlocks(const RowIntervals& row, int64_t lanes, int64_t words) {
    if (!choose_shape(row, lanes)) return;
    const int64_t cells = row.cells, block_cells = table_.cells;
    blocks_.reserve(size_t((cells + block_cells - 1) / block_cells));
    for (int64_t cell = 0; cell < cells; cell += block_cells) {
        const int64_t first_cell = std::max<int64_t>(0, std::min(cell, cells - block_cells));
        if (add_block(row, first_cell, lanes, words)) continue;
        table_.cells = 0;
        return;
    }
}

CellBlockTable CellBlocks::table() const {
    CellBlockTable table = table_;
    table.blocks = blocks_.data();
    table.patterns = patterns_.data();
    return table;
}

// The widest block whose columns always fit into two vectors.
bool CellBlocks::choose_shape(const RowIntervals& row, int64_t lanes) {
    for (int64_t i = 0; i < row.cells; i += row.channels) table_.picks = std::max(table_.picks, row.length(i));
    if (table_.picks > kMaxPicks) return false;
    for (int64_t block_cells : {lanes, lanes / 2}) {
        int64_t widest = 0;
        for (int64_t cell = 0; cell < row.cells; cell += block_cells) {
            const int64_t last = std::min(cell + block_cells, row.cells);
            widest = std::max(widest, span_of(row, std::max<int64_t>(0, last - block_cells), last).columns());
        }
        if (widest > 2 * lanes) continue;
        table_.cells = block_cells;
        table_.vectors = widest <= lanes && block_cells == lanes ? 1 : 2;
        const int64_t columns = row.columns();
        table_.vector_step = columns >= lanes && columns < 2 * lanes ? columns - lanes : lanes;
        return true;
    }
    return false;
}

bool CellBlocks::add_block(const RowIntervals& row, int64_t first_cell, int64_t lanes, int64_t words) {
    const int64_t block_cells = std::min(table_.cells, row.cells - first_cell);
    // No vector reaches past the row's end, if the row is long enough.
    const int64_t last_start = std::max<int64_t>(0, row.columns() - table_.vectors * lanes);
    const int64_t first_column = std::min(span_of(row, first_cell, first_cell + block_cells).first, last_start);
    Key key = {0, row.first(first_cell) - first_column, first_cell % row.channels};
    for (int64_t i = 0; i < block_cells; ++i) key.lengths = key.lengths << 4 | uint64_t(row.length(first_cell + i));

    const int64_t pattern_size = table_.picks * lanes * words;
    const auto known = std::find_if(keys_.begin(), keys_.end(), [&](const Key& other) {
        return other.lengths == key.lengths && other.offset == key.offset && other.channel == key.channel;
    });
    blocks_.push_back({first_column, (known - keys_.begin()) * pattern_size});
    if (known != keys_.end()) return true;
    if (keys_.size() == kMaxPatterns) return false;

    keys_.push_back(key);
    const size_t start = patterns_.size();
    patterns_.resize(start + size_t(pattern_size), -1);
    for (int64_t i = 0; i < block_cells; ++i) {
        for (int64_t k = 0; k < row.length(first_cell + i); ++k) {
            const int64_t column = row.first(first_cell + i) + k * row.channels - first_column;
            const int64_t lane = column < lanes ? column : lanes + column - table_.vector_step;
            for (int64_t w = 0; w < words; ++w)
                patterns_[start + size_t((k * lanes + i) * words + w)] = int32_t(lane * words + w);
        }
    }
    return true;
}

}  // namespace acltwin
