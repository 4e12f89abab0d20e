// Plans of interval sums.
//
// A task is a part of one row of the result. Its box of source rows is summed column by column (groups of eight rows,
// in registers if the box is one group), and the columns become cells. Variants, from the fastest:
//   factor 1 to 4  every cell has as many columns: fixed shuffles; factor 1 joins axes into longer rows
//   blocks         a table of patterns says which of one or two vectors of columns a block of cells takes: one shuffle
//                  for each column of the longest interval, at most 8. Fewer neighbouring channels than fill a vector
//                  are cells of their own: 1.1 (x2) to 3.8 times (x0.5, float16) as fast as runs
//   runs           any intervals: column totals in a buffer, walked through cell by cell
//   channels       as many neighbouring channels as fill a vector: cell by cell, vector by vector
// ", along H": H lies together instead of W, and takes its place: same order of additions, 1.2 to 4.7 times as fast as
// packing; where the cells of a row are apart in the result, sixteen rows at a time are transposed, which makes it 1.2
// to 2 times as fast. ", packed": neither does, and rows are packed first. ", non-temporal": large results that are
// at least half of what is read; blocks of 16 bits gain nothing. About 20 bytes per ns in the cache.
#include "kernels/interval_sum.h"

#include <algorithm>
#include <cstdlib>

#include "kernels/ablate.h"
#include "kernels/interval_sum_blocks.h"
#include "kernels/loops/axes.h"
#include "kernels/loops/schedule.h"
#include "kernels/weighted_sum.h"

namespace acltwin {
namespace {

enum Axis { kN, kC, kD, kH, kW };

// Measured on one thread, in the cache: so many bytes in a nanosecond.
constexpr double kSpeed = 20;
constexpr double kPartBytes = 128 << 10;
// Parts start at multiples of this, so at whole blocks and, for rows that are aligned, at whole cache lines.
constexpr int64_t kPartStep = 64;
// Measured: where rows are no longer than this, memory is asked for a row ahead, because the next box begins there.
constexpr double kMostAhead = 8 << 10;
// Measured: a table of blocks takes longer than walking through so few rows does. Plans of shorter ones are kept.
constexpr int64_t kFewRows = 4, kLongRow = 256 << 10;
// Elements that are apart share their cache lines with those of the next rows: so many lines stay in the cache.
constexpr int64_t kScatteredColumns = 512;
// Measured: results that outgrow the cache, and are not small beside what is read, are written around it.
constexpr double kNonTemporalShare = 0.5;

class IntervalSumPlan final : public Plan {
public:
    IntervalSumPlan(IntervalSum geometry, const IntervalSumKernel& kernel, const CacheSizes& caches)
        : kernel_(kernel),
          caches_(caches),
          geometry_(std::move(geometry)),
          dtype_(geometry_.dtype),
          lanes_(kernel.lanes(dtype_)) {
        estimate_work();
        if (h_lies_together() && !ablated("interval_sum: rows along H")) try_rows_along_h();
        if (!rows_.swapped) lay_out();
        rows_.non_temporal = worth_non_temporal() && !ablated("interval_sum: non-temporal");
        cut_into_tasks();
        rows_.transpose = rows_become_columns() && !ablated("interval_sum: transposed rows");
    }

    Failure run(void* const data[], void*) const override {
        const char* source = static_cast<const char*>(data[0]) + source_offset_ * int64_t(size_of(dtype_));
        schedule_.run(
            [&](int64_t first, int64_t last, int) { kernel_.tasks(rows_, dtype_, source, data[1], first, last); });
        return {};
    }

    std::string variant() const override {
        const char* const names[] = {"factor ", "blocks", "runs"};
        std::string text = names[int(rows_.fold)];
        if (rows_.channels >= lanes_)
            text = "channels";
        else if (rows_.fold == Fold::uniform)
            text += std::to_string(rows_.factor);
        return text +
               (rows_.swapped        ? ", along H"
                : scattered_source() ? ", packed"
                                     : "") +
               (rows_.non_temporal ? ", non-temporal" : "");
    }

private:
    void estimate_work();
    bool h_lies_together() const;
    void try_rows_along_h();
    void swap_h_and_w();
    void lay_out();
    void copy_row();
    void choose_fold();
    void merge_channels();
    void merge_copied_axes();
    bool worth_non_temporal() const;
    void cut_into_tasks();
    void put_loop(int axis, int loop);

    // The cells of a row are apart in the result, and those of the next rows their neighbours.
    bool rows_become_columns() const {
        const auto inner = [&](int operand) { return rows_.loops.step[operand][4]; };
        return rows_.swapped && rows_.result_pitch != 1 && inner(rows_.kResult) == 1 && inner(rows_.kHeight) == 1;
    }
    bool scattered_source() const { return rows_.source_pitch != rows_.channels && rows_.channels < lanes_; }
    bool scattered_result() const { return rows_.result_pitch != rows_.channels && rows_.channels < lanes_; }

    IntervalSumKernel kernel_;
    const CacheSizes caches_;
    IntervalSum geometry_;  // with H and W changed, if rows run along H
    DType dtype_;
    int64_t lanes_;
    IntervalRows rows_;
    CellBlocks blocks_;
    int64_t extent_[4] = {};  // of the loops around a row
    int64_t source_offset_ = 0;
    double bytes_ = 0, result_bytes_ = 0;
    Schedule schedule_;
};

void IntervalSumPlan::estimate_work() {
    double source = double(size_of(dtype_)), result = source;
    for (int axis = kN; axis <= kW; ++axis) result *= double(geometry_.result_dims[axis]);
    for (int axis = kN; axis <= kC; ++axis) source *= double(geometry_.result_dims[axis]);
    for (int i = 0; i < 3; ++i) source *= double(geometry_.begin[i].back() - geometry_.begin[i].front());
    result_bytes_ = result;
    bytes_ = source + result;
}

// The source is permuted, and a column of a box is one group of elements, so that it can be summed along H as well.
bool IntervalSumPlan::h_lies_together() const {
    const int64_t* const s = geometry_.source_strides;
    if (s[kH] != 1 || s[kW] == 1 || s[kC] == 1) return false;
    const auto longest = [&](int i) {
        const std::vector<int64_t>& begin = geometry_.begin[i];
        int64_t most = 0;
        for (size_t cell = 0; cell + 1 < begin.size(); ++cell) most = std::max(most, begin[cell + 1] - begin[cell]);
        return most;
    };
    const int64_t depth = longest(0), height = longest(1);
    return depth <= kRowsPerGroup && height <= kRowsPerGroup && depth * height <= kRowsPerGroup &&
           geometry_.begin[1].front() == 0 && geometry_.begin[1].back() >= lanes_ &&
           geometry_.result_dims[kH] >= lanes_;
}

void IntervalSumPlan::try_rows_along_h() {
    swap_h_and_w();
    lay_out();
    rows_.swapped = rows_.fold != Fold::runs;
    if (rows_.swapped) return;
    swap_h_and_w();
    rows_ = IntervalRows();
}

void IntervalSumPlan::swap_h_and_w() {
    IntervalSum& g = geometry_;
    for (int64_t* values : {g.source_dims, g.source_strides, g.result_dims, g.result_strides})
        std::swap(values[kH], values[kW]);
    std::swap(g.begin[1], g.begin[2]);
}

void IntervalSumPlan::lay_out() {
    std::copy_n(geometry_.result_dims, 4, extent_);
    for (int i = 0; i < 3; ++i) rows_.begin[i] = geometry_.begin[i].data();
    copy_row();
    choose_fold();
}

// The row, with the channels inside it if they lie together on both sides. A single column or cell has no pitch.
void IntervalSumPlan::copy_row() {
    const int64_t* const s = geometry_.source_strides;
    const int64_t* const r = geometry_.result_strides;
    std::vector<int64_t>& begin = geometry_.begin[2];
    rows_.cells = geometry_.result_dims[kW];
    source_offset_ = begin.front() * s[kW];
    if (const int64_t first = begin[0]; first != 0)
        for (int64_t& position : begin) position -= first;
    rows_.columns = begin.back();

    const bool one_column = rows_.columns <= 1, one_cell = rows_.cells == 1;
    const bool plain_row = (s[kW] == 1 || one_column) && (r[kW] == 1 || one_cell);
    if (extent_[kC] > 1 && s[kC] == 1 && r[kC] == 1 && (!plain_row || one_cell)) {
        rows_.channels = extent_[kC];
        extent_[kC] = 1;
    }
    rows_.source_pitch = one_column ? rows_.channels : s[kW];
    rows_.result_pitch = one_cell ? rows_.channels : r[kW];
}

void IntervalSumPlan::choose_fold() {
    const int64_t* const begin = rows_.begin[2];
    const int64_t factor = begin[1];
    const int64_t widest = ablated("interval_sum: factors 2 to 4")    ? 1
                           : ablated("interval_sum: factors 3 and 4") ? 2
                                                                      : 4;
    bool uniform = factor >= 1 && factor <= widest;
    for (int64_t i = 1; i < rows_.cells && uniform; ++i) uniform = begin[i + 1] - begin[i] == factor;
    const bool dense_row = rows_.source_pitch == rows_.channels && rows_.result_pitch == rows_.channels;
    if (uniform && factor == 1 && dense_row) {
        rows_.fold = Fold::uniform;
        rows_.factor = 1;
        merge_copied_axes();
    } else if (uniform && rows_.channels == 1) {
        rows_.fold = Fold::uniform;
        rows_.factor = factor;
    } else if (rows_.channels == 1 ||
               (rows_.channels < lanes_ && dense_row && !ablated("interval_sum: blocks of channels"))) {
        if (steps_of(extent_) < kFewRows && rows_.columns + rows_.cells > kLongRow) return;
        const RowIntervals row = {begin, rows_.cells * rows_.channels, rows_.channels};
        blocks_ = CellBlocks(row, lanes_, dtype_ == DType::float64 ? 2 : 1);
        if (!blocks_.usable() || ablated("interval_sum: blocks")) return;
        // Half a vector of cells reads columns twice: more than runs cost where widening takes several instructions.
        if (rows_.channels > 1 && dtype_ == DType::bfloat16 && blocks_.table().cells < lanes_) return;
        rows_.fold = Fold::blocks;
        rows_.table = blocks_.table();
        rows_.interleaved = rows_.channels;
        if (rows_.channels > 1) merge_channels();
    }
}

// Channels become columns and cells of their own.
void IntervalSumPlan::merge_channels() {
    rows_.cells *= rows_.channels;
    rows_.columns *= rows_.channels;
    rows_.channels = rows_.source_pitch = rows_.result_pitch = 1;
}

// Where every interval is one column, channels are columns as well; so are the axes outside, as long as they go on with
// intervals of one and without a gap.
void IntervalSumPlan::merge_copied_axes() {
    merge_channels();
    for (int axis = kH; axis >= kN; --axis) {
        const int64_t extent = extent_[axis];
        if (axis >= kD) {
            const int64_t* const begin = rows_.begin[axis - kD];
            for (int64_t i = 0; i < extent; ++i)
                if (begin[i + 1] - begin[i] != 1) return;
        }
        if (extent == 1) continue;
        if (geometry_.source_strides[axis] != rows_.cells || geometry_.result_strides[axis] != rows_.cells) return;
        rows_.cells = rows_.columns = rows_.cells * extent;
        extent_[axis] = 1;
    }
}

// Blocks of 16-bit cells take so long that their stores do not matter.
bool IntervalSumPlan::worth_non_temporal() const {
    return !scattered_result() && (size_of(dtype_) > 2 || rows_.fold == Fold::uniform) &&
           result_bytes_ > double(caches_.gone()) && result_bytes_ >= (bytes_ - result_bytes_) * kNonTemporalShare;
}

void IntervalSumPlan::cut_into_tasks() {
    const double rows = double(steps_of(extent_));
    double parts = bytes_ / rows / kPartBytes;
    int order[4] = {kN, kC, kD, kH};
    if (scattered_source() || scattered_result()) {
        parts = std::max(parts, double(std::max(rows_.columns, rows_.cells) / kScatteredColumns));
        const int64_t* const stride = scattered_source() ? geometry_.source_strides : geometry_.result_strides;
        // Axes of one element come first: the innermost loop has to be a long one.
        const auto step = [&](int axis) { return extent_[axis] > 1 ? std::abs(stride[axis]) : INT64_MAX; };
        std::sort(order, order + 4, [&](int a, int b) { return step(a) > step(b); });
    }
    const int64_t most_parts = std::max<int64_t>(1, rows_.cells / kPartStep);
    const int64_t wanted = std::clamp(int64_t(parts), int64_t(1), most_parts);
    rows_.part_cells = std::max(kPartStep, rows_.cells / wanted / kPartStep * kPartStep);
    rows_.loops.extent[IntervalRows::kParts] = std::max<int64_t>(1, rows_.cells / rows_.part_cells);
    for (int i = 0; i < 4; ++i) put_loop(order[i], i < IntervalRows::kParts ? i : i + 1);
    rows_.depth_stride = geometry_.source_strides[kD];
    rows_.height_stride = geometry_.source_strides[kH];
    const double row_bytes = double(rows_.columns) * double(size_of(dtype_));
    rows_.ahead = row_bytes > kMostAhead ? kPrefetchBytes : std::max(kPrefetchBytes, int64_t(row_bytes));
    schedule_ = Schedule(steps_of(rows_.loops.extent), bytes_ / kSpeed);
}

void IntervalSumPlan::put_loop(int axis, int loop) {
    rows_.loops.extent[loop] = extent_[axis];
    rows_.loops.step[IntervalRows::kSource][loop] = axis < kD ? geometry_.source_strides[axis] : 0;
    rows_.loops.step[IntervalRows::kResult][loop] = geometry_.result_strides[axis];
    rows_.loops.step[IntervalRows::kDepth][loop] = axis == kD;
    rows_.loops.step[IntervalRows::kHeight][loop] = axis == kH;
}

}  // namespace

namespace {

// The same as weighted sums, whose order of additions along W is another one beyond a group. Measured: rows that fill
// vectors are faster one by one.
std::unique_ptr<Plan> plan_side_by_side(const IntervalSum& geometry, const CacheSizes& caches) {
    WeightedSum sum;
    sum.dtype = geometry.dtype;
    sum.rows_first = true;
    std::copy_n(geometry.source_dims, 5, sum.source_dims);
    std::copy_n(geometry.source_strides, 5, sum.source_strides);
    std::copy_n(geometry.result_dims, 5, sum.result_dims);
    std::copy_n(geometry.result_strides, 5, sum.result_strides);
    const int lanes = ACLTWIN_KERNEL(weighted_sum_lanes)(sum.dtype);
    const int64_t shorter = std::min(sum.source_dims[kW], sum.result_dims[kW]);
    if (shorter >= lanes || !planes_side_by_side(sum, lanes)) return nullptr;
    for (int i = 0; i < 3; ++i) {
        const std::vector<int64_t>& begin = geometry.begin[i];
        sum.table[i].first.assign(begin.begin(), begin.end() - 1);
        sum.table[i].offset = begin;
        for (int64_t& offset : sum.table[i].offset) offset -= begin.front();
    }
    for (int64_t i = 0; i < sum.table[2].cells(); ++i)
        if (sum.table[2].count(i) > kTapsPerGroup) return nullptr;
    return plan_weighted_sum(std::move(sum), caches);
}

}  // namespace

std::unique_ptr<Plan> plan_interval_sum(IntervalSum geometry, const CacheSizes& caches) {
    for (int64_t extent : geometry.result_dims)
        if (extent == 0) return nullptr;
    if (auto plan = plan_side_by_side(geometry, caches)) return plan;
    return plan_interval_sum(std::move(geometry),
                             {ACLTWIN_KERNEL(interval_sum_lanes), ACLTWIN_KERNEL(interval_sum_tasks)}, caches);
}

std::unique_ptr<Plan> plan_interval_sum(IntervalSum geometry, const IntervalSumKernel& kernel,
                                        const CacheSizes& caches) {
    for (int64_t extent : geometry.result_dims)
        if (extent == 0) return nullptr;
    return std::make_unique<IntervalSumPlan>(std::move(geometry), kernel, caches);
}

}  // namespace acltwin
