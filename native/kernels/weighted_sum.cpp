// Plans of weighted sums.
//
// A task is one strip of one row of the result. Where columns come first (see weighted_sum_task.h), each row of the
// source is summed along D and W once and kept in a ring of rows until no result needs it any more; rows first, the
// rows of a box are added up, and then the columns. Variants:
//   channels    as many neighbouring channels as fill a vector: each term is a vector of channels
//   blocks      a table names the columns of neighbouring cells: one shuffle per term; where columns are not too far
//               apart
//   transposed  as many rows as fill a vector at once: each term is a vector of rows; for any tables
//   walk        cell by cell, for tables that no block fits
// ", planes": as many planes with short rows as fill a vector are packed side by side, and are the channels of one.
// 1.3 to 4.6 times as fast as row by row. Interval sums of very short rows come here, too.
#include "kernels/weighted_sum.h"

#include <algorithm>
#include <numeric>
#include <utility>

#include "kernels/loops/axes.h"
#include "kernels/loops/schedule.h"
#include "kernels/weighted_sum_blocks.h"

namespace acltwin {
namespace {

enum Axis { kN, kC, kD, kH, kW };

// Measured on one thread, in the cache: so many bytes of sums in a nanosecond.
constexpr double kSpeed = 8;

int64_t most_taps(const WeightTable& table) {
    int64_t most = 0;
    for (int64_t i = 0; i < table.cells(); ++i) most = std::max(most, table.count(i));
    return most;
}

// Those that are not what the one before them is. Without a table, all.
int64_t different_cells(const WeightTable& table, int64_t cells) {
    if (table.cells() < cells) return cells;
    int64_t different = cells;
    for (size_t i = 1; i < size_t(cells); ++i) {
        const int64_t count = table.count(int64_t(i));
        const auto weights = table.weight.begin() + (table.weight.empty() ? 0 : table.offset[i]);
        different -= table.first[i] == table.first[i - 1] && count == table.count(int64_t(i) - 1) &&
                     (table.divisor.empty() || table.divisor[i] == table.divisor[i - 1]) &&
                     (table.weight.empty() || std::equal(weights, weights + count, weights - count));
    }
    return different;
}

}  // namespace

// Packing takes a time for every cell of the source and the result, single rows take one for every row of the result,
// and more where their columns are apart. Measured: so many cells for a row make them even, depending on how near a
// block stays; fewer where it has fewer lanes, lanes without a plane, or leaves threads without a block. Rows that are
// copies of others take less.
bool planes_side_by_side(const WeightedSum& g, int64_t lanes) {
    constexpr int64_t kNear = 256 << 10, kFar = 4 << 20, kFarthest = 16 << 20, kCopiedRows = 4;
    const auto cells = [](const int64_t* dims) { return saturating_product(dims[kD], dims[kH], dims[kW]); };
    const int64_t source = cells(g.source_dims), result = cells(g.result_dims);
    const int64_t bytes = saturating_product(std::max(source, result), lanes, g.dtype == DType::float64 ? 8 : 4);
    const int64_t planes = saturating_product(g.result_dims[kN], g.result_dims[kC]), blocks = divide_up(planes, lanes);
    if (g.source_strides[kC] == 1 && g.result_strides[kC] == 1 && g.result_dims[kC] >= lanes) return false;
    if (planes < 2 || source == 0 || bytes > kFarthest) return false;
    const bool apart = g.source_dims[kW] > 1 && g.source_strides[kW] != 1 && 3 * planes >= 2 * blocks * lanes &&
                       (g.source_strides[kC] != 1 || g.source_dims[kC] == 1);
    const double even = apart ? 1e9 : bytes <= kNear ? 150 : bytes <= kFar ? 75 : 0;
    const double lost = double(blocks * lanes) / double(planes) * std::max(1.0, double(num_threads()) / double(blocks));
    const double rows = double(g.result_dims[kD]) * double(g.result_dims[kH]);
    const double others =
        double(different_cells(g.table[0], g.result_dims[kD])) * double(different_cells(g.table[1], g.result_dims[kH]));
    const double per_row = (double(source) + double(result)) / (others + (rows - others) / kCopiedRows);
    return per_row * lost * 8 / double(lanes) <= even;
}

namespace {

class WeightedSumPlan final : public Plan {
public:
    WeightedSumPlan(WeightedSum geometry, const WeightedSumKernel& kernel)
        : kernel_(kernel), geometry_(std::move(geometry)), dtype_(geometry_.dtype), lanes_(kernel.lanes(dtype_)) {
        wide_ = dtype_ == DType::float64;
        merge_copies_of_one();
        if (has_table() && planes_side_by_side(geometry_, lanes_)) take_planes();
        const int64_t* const in = geometry_.source_dims;
        const int64_t* const out = geometry_.result_dims;
        rows_.columns_first = !geometry_.rows_first && out[kH] > in[kH] && out[kW] >= in[kW] &&
                              most_taps(geometry_.table[1]) <= kMostTaps && most_taps(geometry_.table[2]) <= kMostTaps;
        lay_out();
        set_tables();
        choose_spread();
        cut_into_strips();
        set_loops();
    }

    Failure run(void* const data[], void* scratch) const override {
        const void* const source = data[geometry_.source];
        void* const result = data[geometry_.result];
        schedule_.run([&](int64_t first, int64_t last, int slot) {
            if (planes_.batches > 0)
                return kernel_.planes(planes_, dtype_, source, result,
                                      static_cast<char*>(scratch) + slot * planes_.buffer_bytes(), first, last);
            kernel_.tasks(rows_, dtype_, source, result, first, last);
        });
        return {};
    }

    std::string variant() const override {
        const char* const names[] = {"channels", "blocks", "transposed", "walk", "places", "shown"};
        return names[int(rows_.spread)] + std::string(rows_.columns_first ? ", columns first" : "") +
               (planes_.batches > 0 ? ", planes" : "");
    }

private:
    // Every cell along an axis takes the only one there is, as it is.
    bool copies_one(int axis) const {
        const WeightTable& table = geometry_.table[axis - kD];
        return geometry_.source_dims[axis] == 1 && table.weight.empty() && table.divisor.empty() &&
               table.offset.back() == table.cells() && most_taps(table) == 1;
    }
    bool has_table() const { return geometry_.along == WeightedSum::Along::table; }
    void merge_copies_of_one();
    void take_planes();
    void lay_out();
    void set_tables();
    void choose_spread();
    void cut_into_strips();
    void set_loops();
    Strip strip_from(int64_t cell, int64_t most_cells) const;
    // Too few to be worth a table of blocks, or rows side by side.
    bool few_rows() const {
        const int64_t* const dims = geometry_.result_dims;
        return saturating_product(saturating_product(dims[kN], dims[kC]), dims[kD], dims[kH]) < 4 &&
               most_taps(geometry_.table[2]) <= kMostTaps;
    }

    const void* numbers(const std::vector<double>& from, size_t padding = 0);

    WeightedSumKernel kernel_;
    WeightedSum geometry_;
    DType dtype_;
    int64_t lanes_;
    bool wide_ = false;
    WeightedRows rows_;
    WeightedPlanes planes_;
    ColumnBlocks blocks_;
    std::vector<Strip> strips_;
    std::vector<std::vector<float>> floats_;
    std::vector<std::vector<double>> doubles_;
    Schedule schedule_;
};

// One side of a block of planes; from now on the geometry is that of the block.
PlaneSide side_of(int64_t (&dims)[5], int64_t (&strides)[5], int64_t lanes) {
    PlaneSide side;
    side.batch_step = strides[kN];
    side.channel_step = strides[kC];
    struct Axis : acltwin::Axis<2> {
        int64_t stride() const { return std::abs(step[0]); }
    } axes[3];
    const int64_t place[] = {dims[kH] * dims[kW], dims[kW], 1};
    for (int i = 0; i < 3; ++i) {
        axes[i].extent = dims[kD + i];
        axes[i].step[0] = dims[kD + i] > 1 ? strides[kD + i] : 0;
        axes[i].step[1] = place[i];
    }
    std::stable_sort(axes, axes + 3, [](const Axis& a, const Axis& b) {
        return a.extent == 1 || b.extent == 1 ? a.extent == 1 && b.extent > 1 : a.stride() > b.stride();
    });
    Axis* const first = std::find_if(axes, axes + 2, [](const Axis& axis) { return axis.extent > 1; });
    Axis* const last = merge_axes(first, axes + 3);
    for (Axis* axis = first; axis != last; ++axis) {
        const auto at = 3 - (last - axis);
        side.extent[at] = axis->extent;
        side.step[at] = axis->step[0];
        side.place[at] = axis->step[1];
    }
    const int64_t block[] = {0, 1, lanes * place[0], lanes * place[1], lanes};
    dims[kN] = 1;
    dims[kC] = lanes;
    std::copy_n(block, 5, strides);
    return side;
}

// Where every cell of H and W takes the only cell there is, rows that follow each other are one.
void WeightedSumPlan::merge_copies_of_one() {
    WeightedSum& g = geometry_;
    int64_t &rows = g.result_dims[kH], &cells = g.result_dims[kW];
    if (rows == 1 || cells == 1 || !copies_one(kH) || !copies_one(kW) ||
        !is_product(g.result_strides[kH], g.result_strides[kW], cells))
        return;
    cells = std::exchange(rows, 1) * cells;
    g.result_strides[kH] = 1;
    for (int i : {1, 2}) {
        WeightTable& table = g.table[i];
        table.first.assign(size_t(g.result_dims[kD + i]), 0);
        table.offset.resize(table.first.size() + 1);
        std::iota(table.offset.begin(), table.offset.end(), 0);
    }
}

void WeightedSumPlan::take_planes() {
    planes_.batches = geometry_.result_dims[kN];
    planes_.channels = geometry_.result_dims[kC];
    planes_.source = side_of(geometry_.source_dims, geometry_.source_strides, lanes_);
    planes_.result = side_of(geometry_.result_dims, geometry_.result_strides, lanes_);
}

void WeightedSumPlan::lay_out() {
    const int64_t *const source = geometry_.source_strides, *const result = geometry_.result_strides;
    const int64_t channels = geometry_.result_dims[kC];
    if (channels > 1 && source[kC] == 1 && result[kC] == 1) rows_.channels = channels;
    rows_.source_pitch = geometry_.source_dims[kW] > 1 ? source[kW] : rows_.channels;
    rows_.result_pitch = geometry_.result_dims[kW] > 1 ? result[kW] : rows_.channels;
    rows_.depth_stride = source[kD];
    rows_.height_stride = source[kH];
}

// In the type of the sums, for as long as the plan lives.
const void* WeightedSumPlan::numbers(const std::vector<double>& from, size_t padding) {
    if (from.empty()) return nullptr;
    const auto keep = [&](auto& kept) {
        auto& numbers = kept.emplace_back();
        numbers.reserve(from.size() + padding);
        numbers.assign(from.begin(), from.end());
        numbers.resize(from.size() + padding, 1);
        return static_cast<const void*>(numbers.data());
    };
    return wide_ ? keep(doubles_) : keep(floats_);
}

void WeightedSumPlan::set_tables() {
    for (int i = 0; i < 3; ++i) {
        const WeightTable& table = geometry_.table[i];
        rows_.axis[i] = {table.first.data(), table.offset.data(), numbers(table.weight), numbers(table.divisor)};
        rows_.divided = rows_.divided || !table.divisor.empty();
    }
}

void WeightedSumPlan::choose_spread() {
    rows_.positions = geometry_.positions;
    rows_.shared = geometry_.shared;
    if (rows_.channels >= lanes_ || !has_table()) {
        rows_.spread = has_table()                                     ? Spread::channels
                       : geometry_.along == WeightedSum::Along::places ? Spread::places
                                                                       : Spread::shown;
        rows_.in_place = true;
        return;
    }
    const WeightTable& table = geometry_.table[2];
    std::vector<double> divisor;
    for (double one : table.divisor) divisor.insert(divisor.end(), size_t(rows_.channels), one);
    rows_.element_divisor = numbers(divisor, size_t(lanes_));
    const int64_t columns = geometry_.source_dims[kW], cells = geometry_.result_dims[kW];
    rows_.spread = rows_.columns_first || few_rows() ? Spread::walk : Spread::transposed;
    rows_.in_place = rows_.spread == Spread::walk;
    if (cells < columns || few_rows()) return;
    blocks_ = ColumnBlocks(table, columns, rows_.channels, lanes_, wide_ ? 2 : 1);
    if (!blocks_.usable()) return;
    rows_.spread = Spread::blocks;
    rows_.blocks = blocks_.table();
    rows_.same_cells = rows_.channels == 1 && copies_one(kW);
    // Whole vectors are read, and 16 bits widened with each.
    rows_.in_place = rows_.source_pitch == rows_.channels && columns * rows_.channels >= lanes_ &&
                     (size_of(dtype_) > 2 || rows_.blocks.one_base);
}

// The cells from `cell` on, and the columns they take.
Strip WeightedSumPlan::strip_from(int64_t cell, int64_t cells) const {
    if (!has_table()) return {cell, cells, 0, 0, 0, 0};
    const WeightTable& table = geometry_.table[2];
    int64_t first = INT64_MAX, last = 0;
    for (int64_t i = cell; i < cell + cells; ++i) {
        if (table.count(i) == 0) continue;
        first = std::min(first, table.first[size_t(i)]);
        last = std::max(last, table.first[size_t(i)] + table.count(i));
    }
    if (last == 0) first = 0;
    return {cell, cells, first, last - first, 0, 0};
}

// Two strips, one behind the other.
Strip joined(const Strip& a, const Strip& b) {
    Strip both = a;
    both.cells += b.cells;
    if (a.columns == 0) both.first_column = b.first_column;
    if (b.columns == 0 || a.columns == 0) {
        both.columns = a.columns + b.columns;
        return both;
    }
    both.first_column = std::min(a.first_column, b.first_column);
    both.columns = std::max(a.first_column + a.columns, b.first_column + b.columns) - both.first_column;
    return both;
}

void WeightedSumPlan::cut_into_strips() {
    const int64_t work = kWorkBytes / (wide_ ? 8 : 4), margin = kMarginBytes / (wide_ ? 8 : 4);
    // Elements of a strip's cells and columns that the buffers hold.
    int64_t most_cells = work, most_columns = work;
    if (rows_.columns_first) {
        while (rows_.ring_rows < most_taps(geometry_.table[1])) rows_.ring_rows *= 2;
        most_cells = work / rows_.ring_rows - margin;
        if (rows_.spread != Spread::channels) most_cells = most_cells / 2;
    } else if (rows_.spread == Spread::transposed) {
        most_cells = most_columns = work / lanes_ - margin;
    } else if (rows_.spread == Spread::blocks) {
        most_cells = work / 4;
    }
    int64_t pieces = 1;  // of the channels
    if (rows_.spread == Spread::channels)
        pieces =
            divide_up(rows_.channels, std::min(most_cells, work / (rows_.columns_first ? kMostTaps : kTapsPerGroup)));
    const int64_t widest = divide_up(rows_.channels, pieces);
    if (!has_table()) most_cells = kCellsShown;
    const int64_t unit = !has_table() ? kCellsShown : rows_.spread == Spread::channels ? 1 : lanes_;
    const int64_t cells = geometry_.result_dims[kW];
    const auto fits = [&](const Strip& strip) {
        return strip.cells <= most_cells / widest && strip.columns <= most_columns / widest;
    };
    for (int64_t cell = 0; cell < cells;) {
        Strip strip = strip_from(cell, std::min(unit, cells - cell));
        if (!fits(strip)) strip = strip_from(cell, 1);
        while (strip.cells % unit == 0 && cell + strip.cells < cells) {
            const Strip longer =
                joined(strip, strip_from(cell + strip.cells, std::min(unit, cells - cell - strip.cells)));
            if (!fits(longer)) break;
            strip = longer;
        }
        cell += strip.cells;
        for (int64_t piece = 0; piece < pieces; ++piece) {
            strip.first_channel = rows_.channels * piece / pieces;
            strip.channels = rows_.channels * (piece + 1) / pieces - strip.first_channel;
            strips_.push_back(strip);
        }
    }
    rows_.columns = geometry_.source_dims[kW];
    rows_.strips = strips_.data();
}

void WeightedSumPlan::set_loops() {
    const auto put = [&](int axis, int loop, int64_t extent) {
        rows_.loops.extent[loop] = extent;
        rows_.loops.step[WeightedRows::kSource][loop] = axis < kD ? geometry_.source_strides[axis] : 0;
        rows_.loops.step[WeightedRows::kResult][loop] = geometry_.result_strides[axis];
    };
    const int64_t* const dims = geometry_.result_dims;
    rows_.strip_count = int64_t(strips_.size());
    rows_.loops.extent[WeightedRows::kStrips] = rows_.columns_first ? rows_.strip_count : 1;
    rows_.rows_at_once = lanes_;
    put(kN, WeightedRows::kBatch, dims[kN]);
    put(kC, WeightedRows::kChannels, rows_.channels > 1 ? 1 : dims[kC]);
    put(kD, WeightedRows::kDepths, dims[kD]);
    put(kH, WeightedRows::kHeights, dims[kH]);
    double source = wide_ ? 8 : 4, result = source;
    for (int axis = kN; axis <= kW; ++axis) {
        source *= double(geometry_.source_dims[axis]);
        result *= double(geometry_.result_dims[axis]);
    }
    if (planes_.batches > 0) {
        planes_.rows = rows_;
        planes_.source_bytes = (int64_t(source) + 63) / 64 * 64;
        planes_.result_bytes = (int64_t(result) + 63) / 64 * 64;
        const int64_t blocks = divide_up(planes_.batches * planes_.channels, lanes_);
        schedule_ = Schedule(blocks, double(blocks) * (source + result) / kSpeed);
        scratch_bytes_ = size_t(planes_.buffer_bytes()) * size_t(schedule_.threads());
    } else {
        schedule_ = Schedule(rows_.tasks(), (source + result) / kSpeed);
    }
}

}  // namespace

bool worth_positions(const WeightedSum& g) {
    const auto one_row = [](const int64_t* dims, const int64_t* strides) {
        return dims[kD] == 1 && dims[kH] == 1 && (strides[kW] == 1 || dims[kW] == 1);
    };
    // Measured: tables are dear, and plans of long rows are not kept, but summing by them is quicker.
    constexpr int64_t kFewRows = 4, kMoreRows = 32, kLong = 128 << 10;
    const int64_t rows = saturating_product(g.result_dims[kN], g.result_dims[kC]);
    const bool is_long = g.source_dims[kW] + g.result_dims[kW] > kLong;
    if (rows >= (is_long ? kMoreRows : kFewRows) || (g.along == WeightedSum::Along::shown && !g.shared && !is_long))
        return false;
    if (g.result_dims[kC] > 1 && g.source_strides[kC] == 1 && g.result_strides[kC] == 1) return false;
    return one_row(g.source_dims, g.source_strides) && one_row(g.result_dims, g.result_strides) &&
           !planes_side_by_side(g, ACLTWIN_KERNEL(weighted_sum_lanes)(g.dtype));
}

std::unique_ptr<Plan> plan_weighted_sum(WeightedSum geometry, const CacheSizes& caches) {
    return plan_weighted_sum(
        std::move(geometry),
        {ACLTWIN_KERNEL(weighted_sum_lanes), ACLTWIN_KERNEL(weighted_sum_tasks), ACLTWIN_KERNEL(weighted_sum_planes)},
        caches);
}

std::unique_ptr<Plan> plan_weighted_sum(WeightedSum geometry, const WeightedSumKernel& kernel, const CacheSizes&) {
    for (int64_t extent : geometry.result_dims)
        if (extent == 0) return nullptr;
    return std::make_unique<WeightedSumPlan>(std::move(geometry), kernel);
}

}  // namespace acltwin
