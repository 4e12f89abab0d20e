// Plans of nearest copies.
//
// A copy treats all axes alike, so the row is made of those that lie innermost in the result, whatever they mean: cells
// of one or several neighbouring elements, in loops over the other axes, which repeat rows as they are.
// Variants, from the fastest:
//   copy     every column of the source is a cell: whole vectors
//   blocks   cells of less than 16 bytes: a table says for 16 bytes of cells which of 16 bytes of columns they are, one
//            shuffle each; patterns that repeat stay in registers; the table costs as much as 16 rows
//   cells    cell by cell: 16 bytes and more as vectors, less one by one, every second one by shuffles
// Rows that repeat, and slices of them, are made once and copied from there while they are in the cache.
// ", packed": the columns of a row are apart in the source, where neighbouring rows lie together (H and W permuted): a
// few cache lines of rows are transposed into a buffer, and its rows go on from there.
// ", scattered": the cells of a row are apart in the result, and are put there one by one.
// ", non-temporal": results of several caches' size, if every row is whole pairs of blocks. Measured: anything else is
// quicker through the cache. About 10 bytes per ns, 1 ns for a cell by itself.
#include <algorithm>
#include <cstdlib>

#include "kernels/ablate.h"
#include "kernels/byte_blocks.h"
#include "kernels/loops/axes.h"
#include "kernels/loops/schedule.h"
#include "kernels/plans.h"

namespace acltwin {
namespace {

// Measured: non-temporal stores only for results that are far larger, and not small beside what is read.
constexpr double kNonTemporalCaches = 4, kNonTemporalShare = 0.5;
// Cells with more bytes are rows of their own.
constexpr int64_t kWideCell = 1024;
// Elements that are apart share their cache lines with those of the next rows: so many lines stay in the cache.
constexpr int64_t kScatteredCells = 1024;
// Columns of a part that are packed at most: more than a factor of 0.5 has. And bytes of each of them, if the buffer
// takes no more than a share of the core's cache.
constexpr int64_t kPackedColumns = 4 * kScatteredCells, kPackedBytes = 256, kPackedShare = 4;
// Nanoseconds of work that are cut into the usual turns where rows are packed. Beyond, turns grow: where one ends,
// another thread reads the same lines, and soon.
constexpr double kShortTurns = 3e6;
// Parts start at multiples of so many narrow cells: at whole blocks, whole repeated columns and whole cache lines.
constexpr int64_t kNarrowCell = 16, kPartStep = 192;
// A table of blocks costs about as much as so many rows made without it.
constexpr int64_t kRowsWorthATable = 16;
// Rows of so few cells are folded into one of at most so many.
constexpr int64_t kShortRow = 24, kFoldedRow = 4096;

enum { kSource = NearestRows::kSource, kResult = NearestRows::kResult };

// One axis of more than one cell, with steps in bytes.
struct CopyAxis : Axis<2> {
    std::vector<int64_t> from;  // the source position of every cell, the first one 0; empty if that is the cell's own

    bool copied() const { return from.empty(); }
    bool shows_one() const { return !copied() && from.back() == 0; }
    bool continues(const CopyAxis& inner) const { return copied() && inner.copied() && Axis<2>::continues(inner); }
};

bool is_every(int64_t step, const std::vector<int64_t>& from) {
    for (size_t i = 0; i < from.size(); ++i)
        if (from[i] != step * int64_t(i)) return false;
    return true;
}

// An axis with longer steps comes first.
template <class Axes>
void sort_by_steps(int operand, Axes& axes) {
    std::stable_sort(axes.begin(), axes.end(), [&](const CopyAxis& a, const CopyAxis& b) {
        return std::abs(double(a.step[operand])) > std::abs(double(b.step[operand]));
    });
}

class NearestCopyPlan final : public Plan {
public:
    NearestCopyPlan(NearestCopy geometry, const CacheSizes& caches) : caches_(caches) {
        rows_.element_bytes = int64_t(geometry.element_size);
        read_axes(geometry);
        take_row();
        make_loops();
        if (scattered_source() && !scattered_result() && !ablated("nearest_copy: packed")) pack_rows();
        choose_expand();
        cut_into_tasks();
    }

    Failure run(void* const data[], void* scratch) const override {
        const char* source = static_cast<const char*>(data[0]) + source_offset_;
        const auto kernel = ACLTWIN_KERNEL(nearest_copy_tasks);
        schedule_.run([&](int64_t first, int64_t last, int slot) {
            kernel(rows_, source, data[1], static_cast<char*>(scratch) + slot * buffer_bytes(), first, last);
        });
        return {};
    }

    std::string variant() const override {
        const char* const names[] = {"copy", "blocks", "cells"};
        return names[int(rows_.expand)] + std::string(rows_.packing.rows > 0 ? ", packed" : "") +
               (scattered_result() ? ", scattered" : "") + (rows_.non_temporal ? ", non-temporal" : "");
    }

private:
    void read_axes(NearestCopy& geometry);
    void take_row();
    void fold_short_rows();
    void make_loops();
    void pack_rows();
    void choose_expand();
    bool leaves_the_cache() const;
    bool whole_pairs() const;
    void cut_into_tasks();

    int64_t buffer_bytes() const { return rows_.packing.rows * rows_.packing.pitch; }
    bool scattered_source() const { return rows_.source_pitch != rows_.cell_bytes; }
    bool scattered_result() const { return rows_.result_pitch != rows_.cell_bytes; }

    const CacheSizes caches_;
    std::vector<CopyAxis> axes_;  // in the order of the result's memory, outermost first; later without the row's
    CopyAxis row_;
    int64_t innermost_step_ = 0;  // of the loops, in the source
    NearestRows rows_;
    ByteBlocks blocks_;
    int64_t source_offset_ = 0;
    double source_bytes_ = 1, result_bytes_ = 1;
    Schedule schedule_;
};

void NearestCopyPlan::read_axes(NearestCopy& geometry) {
    const int64_t size = rows_.element_bytes;
    source_bytes_ = result_bytes_ = double(size);
    axes_.reserve(5);
    for (int i = 0; i < 5; ++i) {
        const int64_t cells = geometry.result_dims[i];
        std::vector<int64_t> from;
        if (i >= 2 && !geometry.from[i - 2].empty()) {
            from = std::move(geometry.from[i - 2]);
            const int64_t first = from[0];
            source_offset_ += first * geometry.source_strides[i] * size;
            if (first != 0)
                for (int64_t& position : from) position -= first;
        }
        result_bytes_ *= double(cells);
        source_bytes_ *= from.empty() ? double(cells) : double(from.back() + 1);
        if (cells == 1) continue;
        if (is_every(1, from)) from.clear();
        axes_.push_back(
            {{cells, {geometry.source_strides[i] * size, geometry.result_strides[i] * size}}, std::move(from)});
    }
    sort_by_steps(kResult, axes_);
    axes_.resize(size_t(merge_axes(axes_.data(), axes_.data() + axes_.size()) - axes_.data()));
}

// The innermost axis; or, if that one only makes neighbouring elements into a cell, the axis around it.
void NearestCopyPlan::take_row() {
    rows_.cell_bytes = rows_.element_bytes;
    const auto take_innermost = [&] {
        row_ = std::move(axes_.back());
        axes_.pop_back();
    };
    if (!axes_.empty()) take_innermost();
    const bool dense = row_.step[kSource] == rows_.cell_bytes && row_.step[kResult] == rows_.cell_bytes;
    if (row_.copied() && dense && saturating_product(row_.extent, rows_.cell_bytes) <= kWideCell && !axes_.empty()) {
        rows_.cell_bytes *= row_.extent;
        take_innermost();
    }
    fold_short_rows();
    rows_.cells = row_.extent;
    if (!row_.copied()) rows_.column = row_.from.data();
    rows_.source_pitch = row_.extent == 1 ? rows_.cell_bytes : row_.step[kSource];
    rows_.result_pitch = row_.extent == 1 ? rows_.cell_bytes : row_.step[kResult];
}

// Rows of few cells become one: each of them costs more than its cells do.
void NearestCopyPlan::fold_short_rows() {
    if (row_.shows_one()) row_.step[kSource] = rows_.cell_bytes;
    if (row_.extent > kShortRow || row_.step[kSource] != rows_.cell_bytes || row_.step[kResult] != rows_.cell_bytes)
        return;
    for (; !axes_.empty(); axes_.pop_back()) {
        const CopyAxis& outer = axes_.back();
        const int64_t cells = row_.extent, step = outer.shows_one() ? 0 : outer.step[kSource];
        if (outer.extent > kFoldedRow / cells || outer.step[kResult] != cells * rows_.cell_bytes || step < 0 ||
            step % rows_.cell_bytes != 0)
            return;
        std::vector<int64_t> from;
        for (int64_t i = 0; i < outer.extent; ++i)
            for (int64_t k = 0; k < cells; ++k)
                from.push_back((outer.copied() ? i : outer.from[size_t(i)]) * (step / rows_.cell_bytes) +
                               (row_.copied() ? k : row_.from[size_t(k)]));
        row_.extent *= outer.extent;
        row_.from = std::move(from);
    }
}

void NearestCopyPlan::make_loops() {
    constexpr int kInner = NearestRows::kLoops - 1;
    const bool scattered = scattered_source() || scattered_result();
    const int64_t step = rows_.cell_bytes <= kNarrowCell ? kPartStep : 1;
    const int64_t most = std::min(NearestRows::kPartBytes / rows_.cell_bytes, scattered ? kScatteredCells : INT64_MAX);
    rows_.part_cells = std::max(step, most / step * step);
    const int64_t parts = std::max<int64_t>(1, rows_.cells / rows_.part_cells);
    // The parts are the innermost loop: the result is written as it lies in memory. Where a row's elements are apart,
    // the next row's elements lie between them: these come first.
    rows_.part_loop = parts == 1 ? 0 : scattered ? kInner - 1 : kInner;
    rows_.loops.extent[rows_.part_loop] = parts;

    if (scattered_source() && !scattered_result()) sort_by_steps(kSource, axes_);
    auto axis = axes_.rbegin();
    for (int i = kInner; axis != axes_.rend(); --i) {
        if (i == rows_.part_loop) continue;
        if (i == kInner) innermost_step_ = axis->step[kSource];
        rows_.loops.extent[i] = axis->extent;
        rows_.loops.step[kResult][i] = axis->step[kResult];
        if (axis->copied()) {
            rows_.loops.step[kSource][i] = axis->step[kSource];
        } else {
            for (int64_t& position : axis->from) position *= axis->step[kSource];
            rows_.offsets[i] = axis->from.data();
        }
        ++axis;
    }
}

// If the innermost loop steps from neighbour to neighbour in the source, and there are enough of them and of columns.
void NearestCopyPlan::pack_rows() {
    constexpr int kInner = NearestRows::kLoops - 1;
    constexpr int64_t kLine = 64;
    if (rows_.cell_bytes != rows_.element_bytes || innermost_step_ != rows_.element_bytes) return;
    const int64_t square = RowPacking::kSquareBytes / rows_.element_bytes;  // its rows, and its columns
    const int64_t *const offsets = rows_.offsets[kInner], extent = rows_.loops.extent[kInner];
    const int64_t neighbours = offsets != nullptr ? offsets[extent - 1] / rows_.element_bytes + 1 : extent;
    int64_t fewest = INT64_MAX, most = 0;
    for (int64_t part = 0; part < rows_.loops.extent[rows_.part_loop]; ++part) {
        const int64_t columns = rows_.columns_of(part).n;
        fewest = std::min(fewest, columns);
        most = std::max(most, columns);
    }
    if (neighbours < square || fewest < square || most > kPackedColumns) return;
    rows_.packing.column_step = std::exchange(rows_.source_pitch, rows_.cell_bytes);
    const int64_t bytes = std::clamp(caches_.core / kPackedShare / most, kLine, kPackedBytes);
    rows_.packing.rows = std::min(bytes / rows_.element_bytes, neighbours) / square * square;
    // An odd number of lines, so that columns do not compete for the same places of the cache.
    const int64_t lines = (most * rows_.element_bytes + 2 * RowPacking::kMargin) / kLine + 1;
    rows_.packing.pitch = (lines | 1) * kLine;
}

void NearestCopyPlan::choose_expand() {
    rows_.constant_size = ablated("nearest_copy: constant sizes") ? 0 : rows_.cell_bytes;
    if (row_.copied()) {
        if (!scattered_source()) rows_.expand = Expand::copy;
        return;
    }
    rows_.every_second = !ablated("nearest_copy: every second") && is_every(2, row_.from);
    if (scattered_source() || rows_.cell_bytes >= kNarrowCell) return;

    const int64_t parts = rows_.loops.extent[rows_.part_loop];
    if (steps_of(rows_.loops.extent) < saturating_product(parts, kRowsWorthATable)) return;
    if (!std::is_sorted(row_.from.begin(), row_.from.end())) return;
    blocks_ = ByteBlocks(row_.from, rows_.cell_bytes);
    if (!blocks_.usable() || ablated("nearest_copy: blocks")) return;
    rows_.expand = Expand::blocks;
    rows_.table = blocks_.table();
}

bool NearestCopyPlan::leaves_the_cache() const {
    return !scattered_result() && result_bytes_ >= kNonTemporalCaches * double(caches_.shared) &&
           result_bytes_ >= source_bytes_ * kNonTemporalShare && !ablated("nearest_copy: non-temporal");
}

// Else, non-temporal stores cost more than they save.
bool NearestCopyPlan::whole_pairs() const {
    int64_t all = rows_.cells * rows_.cell_bytes | rows_.part_cells * rows_.cell_bytes;
    for (int i = 0; i < NearestRows::kLoops; ++i)
        if (rows_.loops.extent[i] > 1) all |= rows_.loops.step[kResult][i];
    if (rows_.expand == Expand::cells) all |= rows_.cell_bytes;
    return all % (2 * ByteBlock::kBytes) == 0;
}

void NearestCopyPlan::cut_into_tasks() {
    // Measured: more of them are on their way to memory, and made again sooner.
    rows_.kept_bytes = ablated("nearest_copy: repeated slices") ? 0 : caches_.core / 8;
    rows_.non_temporal = leaves_the_cache() && whole_pairs();
    // Measured on one thread: 10 bytes in a nanosecond, or one element that is picked by itself.
    const double elements = result_bytes_ / double(rows_.element_bytes);
    const bool picked = rows_.expand == Expand::cells && rows_.cell_bytes < kNarrowCell;
    const double ns = picked || scattered_result() ? elements : (source_bytes_ + result_bytes_) / 10;
    schedule_ = Schedule(steps_of(rows_.loops.extent), rows_.packing.rows > 0 ? std::min(ns, kShortTurns) : ns,
                         threads_for(ns));
    scratch_bytes_ = size_t(buffer_bytes()) * size_t(schedule_.threads());
}

}  // namespace

std::unique_ptr<Plan> plan_nearest_copy(NearestCopy geometry, const CacheSizes& caches) {
    for (int64_t extent : geometry.result_dims)
        if (extent == 0) return nullptr;
    return std::make_unique<NearestCopyPlan>(std::move(geometry), caches);
}

}  // namespace acltwin
