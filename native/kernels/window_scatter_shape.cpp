#include "kernels/window_scatter_shape.h"

#include <algorithm>
#include <cstdlib>

#include "kernels/ablate.h"
#include "kernels/loops/axes.h"

namespace acltwin {
namespace {

// Positions are 32-bit numbers in the vector kernels; the margin is for lanes beyond the end of a row.
constexpr int64_t kLargestPlane = INT32_MAX - (1 << 20);
// Of an expanded row: it stays in the first-level cache.
constexpr int64_t kExpandedCells = 1 << 12;

// Of a window: what can be multiplied without overflow.
bool usable(int64_t parameter) { return parameter >= 1 && parameter <= 1 << 20; }

// Sums of a slice, or of a plane, that are at home in the first-level cache.
constexpr int64_t kFusedBytes = 16 << 10;
// Channels of a cell: more of them do not leave room for others in a cache.
constexpr int64_t kMostTogether = 512;
// Of one box in scratch memory.
constexpr int64_t kMostBoxSums = 1 << 24;

// Below this the plane is at home in the first-level cache, and adding there beats every preparation. Those that are
// smaller still are handled together, up to so many cells and planes: a task has its cost.
constexpr int64_t kSmallPlane = 4096, kTaskCells = 4096, kTaskPlanes = 16;

// Measured on one thread, in nanoseconds: adding and rounding takes its time per window and per cell; expanding per row
// of cells, more if it ends within a vector, and per cell.
constexpr double kAddedWindow = 0.7, kAddedCell = 0.13;
constexpr double kMeeting = 15;
constexpr double kExpandedRow = 5, kExpandedCell = 0.05, kExpandedByte = 0.02, kOddRow = 8;

// A line of memory holds one cell of several planes rather than several cells of one plane.
bool planes_are_closer(int64_t planes, int64_t plane_stride, int64_t width, int64_t stride) {
    return planes > 1 && width > 1 && plane_stride != 0 && std::abs(plane_stride) < std::abs(stride);
}

void merge_inner_axes(ScatterShape& shape, int outer, int inner) {
    const int64_t width = shape.windows[inner];
    if (shape.windows[outer] != 1 &&
        !(is_product(shape.source_strides[2 + outer], shape.source_strides[2 + inner], width) &&
          is_product(shape.index_strides[2 + outer], shape.index_strides[2 + inner], width)))
        return;
    shape.windows[inner] = saturating_product(shape.windows[outer], width);
    shape.windows[outer] = 1;
}

// Tables of windows that do: ascending, within the plane.
bool table_makes_sense(const std::vector<int64_t>& begin, const std::vector<int64_t>& end, int64_t windows,
                       int64_t cells) {
    if (int64_t(begin.size()) != windows || int64_t(end.size()) != windows || windows == 0) return false;
    for (size_t i = 0; i < begin.size(); ++i)
        if (begin[i] >= end[i]) return false;
    return begin[0] >= 0 && end.back() <= cells && std::is_sorted(begin.begin(), begin.end()) &&
           std::is_sorted(end.begin(), end.end());
}

// Every window reaches the plane, and the numbers are small enough to calculate with.
bool windows_make_sense(const WindowScatter& g, const ScatterShape& shape) {
    if (shape.plane > kLargestPlane) return false;
    for (int axis = 0; axis < 3; ++axis) {
        if (shape.begin[axis] != nullptr) continue;
        if (!usable(g.kernel[axis]) || !usable(g.stride[axis]) || !usable(g.dilation[axis])) return false;
        if (!g.begin[axis].empty() || g.padding[axis] < 0 || g.padding[axis] >= shape.extent[axis]) return false;
        const int64_t last = shape.windows[axis] - 1;
        if (last < 0 || last > INT32_MAX || last * g.stride[axis] - g.padding[axis] >= shape.cells[axis]) return false;
    }
    return true;
}

// So that they can be expanded.
bool windows_touch(const WindowScatter& g, const ScatterShape& shape) {
    if (g.dtype == DType::float64) return false;  // of which vectors of indices have no use
    for (int axis = 0; axis < 3; ++axis) {
        if (shape.begin[axis] != nullptr || g.kernel[axis] != g.stride[axis] || g.padding[axis] != 0 ||
            g.dilation[axis] != 1)
            return false;
        if (shape.cells[axis] - shape.windows[axis] * g.stride[axis] >= g.stride[axis]) return false;
    }
    return g.kernel[2] <= kExpandWidth && g.kernel[0] * g.kernel[1] <= kExpandRows;
}

// Rows without gaps, none of whose windows are cut off. For non-temporal stores they follow each other in memory.
bool rows_are_straight(const ScatterShape& shape) {
    const int64_t* const strides = shape.result_strides;
    const int64_t width = shape.cells[2], line = 64 / int64_t(size_of(shape.dtype));
    return shape.planes_together == 1 && width <= kExpandedCells && shape.windows[2] * shape.stride[2] <= width &&
           shape.source_strides[4] == 1 && shape.index_strides[4] == 1 && strides[4] == 1 &&
           (!shape.non_temporal || (strides[3] == width && width >= line));
}

bool expanding_is_quicker(const ScatterShape& shape) {
    const double width = double(shape.cells[2]), height = double(shape.stride[0] * shape.stride[1]);
    const double adding = double(shape.windows[2]) * kAddedWindow + height * width * kAddedCell;
    const double cell = kExpandedCell + kExpandedByte * double(size_of(shape.dtype));
    const double row = kExpandedRow + (shape.cells[2] % 16 == 0 ? 0 : kOddRow);
    return height * (row + width * cell) < adding;
}

// Of a band: twice as many as a window has, or too many windows would be read twice.
int64_t least_rows(const ScatterShape& shape) { return 2 * shape.extent[1]; }

// From one cell of the result to the next, if that is the same everywhere; else 0.
int64_t cell_pitch(const ScatterShape& shape) {
    int64_t pitch = shape.inner;
    for (int axis = 0; axis < 3; ++axis)
        if (shape.cells[axis] > 1) pitch = shape.result_strides[2 + axis];
    return pitch >= shape.inner && one_run(shape.cells, shape.result_strides + 2, pitch) ? pitch : 0;
}

// Inner planes are neighbours, and neither the places within reach of a layer of windows nor the sums of a box, which
// are those of some rows at least, are too many.
bool channels_last(const ScatterShape& shape) {
    if (shape.inner < 2 || shape.source_strides[1] != 1 || shape.index_strides[1] != 1 || shape.result_strides[1] != 1)
        return false;
    const int64_t pitch = cell_pitch(shape), slices = std::min(shape.extent[0], shape.cells[0]);
    const int64_t rows = std::min(2 * least_rows(shape), shape.cells[1]);
    return pitch > 0 && saturating_product(slices * shape.cells[1], shape.cells[2], pitch) <= INT32_MAX &&
           saturating_product(slices * rows, shape.cells[2], std::min(shape.inner, kMostTogether)) <= kMostBoxSums;
}

// Makes an axis and the last one the same, if the windows allow.
void fuse_axes(ScatterShape& shape, int axis) {
    merge_inner_axes(shape, axis, 2);
    if (shape.windows[axis] != 1) return;
    shape.cells[2] *= shape.cells[axis];
    shape.cells[axis] = shape.stride[axis] = shape.extent[axis] = 1;
    shape.padding[axis] = 0;
    shape.begin[axis] = nullptr;
}

// Its cells are one contiguous run of the type that sums have.
bool sums_fit_result(const ScatterShape& shape) {
    return (shape.dtype == DType::float32 || shape.dtype == DType::float64) &&
           one_run(shape.cells, shape.result_strides + 2, 1);
}

}  // namespace

ScatterShape scatter_shape(const WindowScatter& g, const CacheSizes& caches) {
    ScatterShape shape;
    shape.dtype = g.dtype;
    shape.index_dtype = g.index_dtype;
    // Channels may be neighbours in memory; if the N axis is the closer one, it takes their place.
    const bool swap = g.result_dims[1] == 1 ||
                      (g.result_dims[0] > 1 && std::abs(g.result_strides[0]) < std::abs(g.result_strides[1]));
    const int order[5] = {swap ? 1 : 0, swap ? 0 : 1, 2, 3, 4};
    for (int axis = 0; axis < 5; ++axis) {
        shape.source_strides[axis] = g.source_strides[order[axis]];
        shape.index_strides[axis] = g.index_strides[order[axis]];
        shape.result_strides[axis] = g.result_strides[order[axis]];
    }
    shape.outer = g.result_dims[order[0]];
    shape.inner = g.result_dims[order[1]];
    for (int axis = 0; axis < 3; ++axis) {
        shape.windows[axis] = g.source_dims[2 + axis];
        shape.cells[axis] = g.result_dims[2 + axis];
        shape.stride[axis] = g.stride[axis];
        shape.padding[axis] = g.padding[axis];
        shape.extent[axis] =
            usable(g.kernel[axis]) && usable(g.dilation[axis]) ? (g.kernel[axis] - 1) * g.dilation[axis] + 1 : 0;
        const std::vector<int64_t>&begin = g.begin[axis], &end = g.end[axis];
        if (begin.empty()) continue;
        shape.stride[axis] = 1;
        shape.extent[axis] = 0;
        if (!table_makes_sense(begin, end, shape.windows[axis], shape.cells[axis])) continue;
        shape.begin[axis] = begin.data();
        shape.end[axis] = end.data();
        for (size_t i = 0; i < begin.size(); ++i) shape.extent[axis] = std::max(shape.extent[axis], end[i] - begin[i]);
    }
    shape.plane = saturating_product(shape.cells[0], shape.cells[1], shape.cells[2]);
    shape.places = plane_cells(shape.cells, shape.result_strides + 2);
    const int64_t planes = saturating_product(shape.outer, shape.inner), element_size = int64_t(size_of(g.dtype));
    const int64_t written = saturating_product(planes, shape.plane, element_size);
    const int64_t read =
        saturating_product(planes, steps_of(shape.windows), element_size + int64_t(size_of(g.index_dtype)));
    // It is read and written once, so only what outgrows the whole cache is not found there by the next call.
    shape.non_temporal = !ablated("window_scatter: non-temporal") && saturating_sum(written, read) >= caches.shared;
    shape.sums_at_hand = caches.sums();
    shape.ask_ahead = !ablated("window_scatter: asking ahead");
    shape.ask_result = !ablated("window_scatter: asking for the result");
    if (planes_are_closer(shape.inner, shape.source_strides[1], shape.windows[2], shape.source_strides[4]) ||
        planes_are_closer(shape.inner, shape.index_strides[1], shape.windows[2], shape.index_strides[4]) ||
        planes_are_closer(shape.inner, shape.result_strides[1], shape.cells[2], shape.result_strides[4]))
        shape.planes_together = std::min(shape.inner, 64 / element_size);
    else if (shape.plane > 0 && shape.inner > 0)
        shape.planes_together = std::clamp<int64_t>(kTaskCells / shape.plane, 1, std::min(shape.inner, kTaskPlanes));
    return shape;
}

ScatterShape without_windows(const ScatterShape& shape) {
    ScatterShape merged = shape;
    merge_inner_axes(merged, 1, 2);
    if (merged.windows[1] == 1) merge_inner_axes(merged, 0, 2);
    return merged;
}

int64_t plane_blocks(const ScatterShape& shape) {
    return saturating_product(shape.outer, (shape.inner + shape.planes_together - 1) / shape.planes_together);
}

bool sums_in_result(const ScatterShape& shape) {
    if (!sums_fit_result(shape) || (shape.planes_together != 1 && shape.plane > kSmallPlane)) return false;
    // What leaves the cache anyway is better summed beside it and written once; but not if that takes several turns.
    return !shape.non_temporal || shape.plane > kTileCells;
}

bool gradients_rarely_meet(const WindowScatter& g, const ScatterShape& shape, int64_t within_reach) {
    if (size_of(shape.dtype) != 2) return false;
    double meeting =
        0;  // of windows by tables, the share whose gradient meets another: that of cells they have in common
    for (int axis = 0; axis < 3; ++axis) {
        const int64_t windows = shape.windows[axis];
        if (shape.begin[axis] == nullptr) {
            if (g.stride[axis] < g.dilation[axis] * (g.kernel[axis] - 1) + 1) return false;
            continue;
        }
        double cells = 0;
        for (int64_t i = 0; i < windows; ++i) cells += double(shape.end[axis][i] - shape.begin[axis][i]);
        meeting += 1 - double(shape.end[axis][windows - 1] - shape.begin[axis][0]) / cells;
    }
    const double cells = double(shape.plane) / double(std::max<int64_t>(1, steps_of(shape.windows)));
    return meeting * double(within_reach) <= double(kMostMeetings * 3 / 4) &&
           meeting * kMeeting <= cells * kAddedCell / 2;
}

ScatterShape by_layers(const ScatterShape& from) {
    ScatterShape shape = from;
    if (shape.cells[0] != 1 || shape.windows[0] != 1) return shape;
    const auto swap = [](auto* axes) { std::swap(axes[0], axes[1]); };
    swap(shape.windows), swap(shape.cells), swap(shape.stride), swap(shape.padding), swap(shape.extent);
    swap(shape.begin), swap(shape.end);
    swap(shape.source_strides + 2), swap(shape.index_strides + 2), swap(shape.result_strides + 2);
    shape.result_strides[3] = shape.result_strides[2];  // of one cell: any would do, this one leaves no gap
    shape.sums_at_hand *= 2;                            // windows reach few rows at a time
    return shape;
}

int64_t scatter_slabs(const ScatterShape& shape, int threads) {
    const int64_t blocks = plane_blocks(shape), plane = saturating_product(shape.plane, shape.planes_together);
    int64_t slabs = blocks < threads ? divide_up(2 * threads, blocks) : 1;
    if (!sums_in_result(shape)) slabs = std::max(slabs, divide_up(plane, shape.sums_at_hand));
    // Each slab repeats the layers of windows across its border: it must be a good deal higher than a window.
    return std::clamp<int64_t>(slabs, 1, std::max<int64_t>(1, shape.cells[0] / (4 * shape.extent[0])));
}

bool plane_is_one_run(const ScatterShape& shape) {
    int order[3] = {0, 1, 2};
    const int64_t* const strides = shape.result_strides + 2;
    std::sort(order, order + 3, [&](int a, int b) {
        return shape.cells[b] == 1 ? false : shape.cells[a] == 1 || strides[a] > strides[b];
    });
    int64_t cells[3], steps[3];
    for (int i = 0; i < 3; ++i) cells[i] = shape.cells[order[i]], steps[i] = strides[order[i]];
    return one_run(cells, steps, 1);
}

BoxShape box_shape(const WindowScatter& geometry, const ScatterShape& from, const CacheSizes& caches, int threads) {
    BoxShape box = {from, {}, 0};
    ScatterShape& shape = box.shape;
    ScatterBoxes& boxes = box.boxes;
    const int64_t* const cells = shape.cells;
    boxes.pitch = cell_pitch(shape);
    shape.planes_together = std::min(shape.inner, kMostTogether);
    const int64_t cell = shape.planes_together * (shape.dtype == DType::float64 ? 8 : 4);
    const bool rounded = size_of(shape.dtype) == 2;
    const int64_t layer = shape.windows[2] * (shape.windows[0] > 1 ? shape.windows[1] : 1);
    boxes.stored = gradients_rarely_meet(geometry, shape, 2 * layer * shape.planes_together);
    if (cells[1] * cells[2] * cell <= kFusedBytes) fuse_axes(shape, 1);
    if (cells[1] == 1 && shape.plane * cell <= kFusedBytes) fuse_axes(shape, 0);
    if (rounded ? !boxes.stored : shape.non_temporal) boxes.ring = std::min(shape.extent[0], cells[0]);
    // Windows across an edge are read twice, by the boxes on both sides.
    const int64_t blocks = std::max<int64_t>(1, plane_blocks(shape)), row = boxes.ring * cells[2] * cell;
    const int64_t parts = blocks < threads ? divide_up(2 * threads, blocks) : 1;
    const auto most = [&](int axis) {
        return std::max<int64_t>(1, std::min(cells[axis] / (4 * shape.extent[axis]), shape.windows[axis]));
    };
    boxes.slabs = std::min(parts, most(0));
    boxes.bands = std::min(divide_up(parts, boxes.slabs), most(1));
    const int64_t fitting = std::min(divide_up(cells[1] * row, caches.core / 4), cells[1] / least_rows(shape));
    boxes.bands = std::max(boxes.bands, fitting);
    box.sum_bytes = divide_up(cells[1], boxes.bands) * row;
    return box;
}

ScatterPath scatter_path(const WindowScatter& geometry, const ScatterShape& shape, int threads) {
    if (windows_make_sense(geometry, shape) && channels_last(shape) && !ablated("window_scatter: boxes"))
        return ScatterPath::boxes;
    if (shape.plane <= kSmallPlane || !windows_make_sense(geometry, shape)) return ScatterPath::plain;
    // Adding where the cache holds the result is quicker than preparing to write every cell once.
    const bool cached = sums_in_result(shape) && !shape.non_temporal;
    if (windows_touch(geometry, shape) && rows_are_straight(shape) && !cached && expanding_is_quicker(shape) &&
        !ablated("window_scatter: expand"))
        return ScatterPath::expand;
    const bool whole = scatter_slabs(by_layers(shape), threads) == 1 || ablated("window_scatter: layers");
    return whole ? ScatterPath::plain : ScatterPath::layers;
}

}  // namespace acltwin
