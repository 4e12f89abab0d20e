// Plans of window maxima.
//
// Variants, from the fastest:
//   tiles    pieces of a row of windows: their rows are folded column by column, then the columns window by window,
//            values and indices in vectors beside each other; channels that are neighbours are columns as well.
//            Several short rows with a stride of 2 are one tile: 1.1 (64 wide) to 1.6 times (14 wide) as fast
//   windows  channels are neighbours, many cells a window, few of them in two: a tile is a window, read cell by cell.
//            Up to 60 times as fast as tiles of a few channels each, whose columns lie rows of all channels apart
//   planes   rows too short for vectors, many planes: 16 planes are interleaved cell by cell and become channels
//   plain    integers, planes of 2^31 cells and more, windows wider than a tile: the definition, window by window
// Tiles take 0.2 ns per cell of a window and 1 ns per window, plain takes 1 ns per cell. Measured and gone: folding
// small windows one by one where channels are last, and non-temporal stores.
#include <algorithm>

#include "kernels/ablate.h"
#include "kernels/loops/axes.h"
#include "kernels/loops/schedule.h"
#include "kernels/plans.h"
#include "kernels/window_max_task.h"

namespace acltwin {
namespace {

enum { kN, kC, kD, kH, kW };

// Tiles count cells with 32 bits, and look a little past the last one.
constexpr int64_t kMostCountedCells = INT32_MAX - 1024;
// Measured: shorter rows are better interleaved, as long as the planes stay in the cache.
constexpr int64_t kShortRow = 16, kMostInterleavedCells = 4096;
// Measured: rows share a tile as long as they have no more columns. Not those of stride 1, whose results then come in
// bursts, which cost a tenth where they outgrow the cache; other strides have no vectors of their own.
constexpr int64_t kSharedColumns = 256, kSharedStride = 2;
// Measured: what a window needs to be folded by itself.
constexpr int64_t kOwnChannels = 8, kOwnCells = 16;
// Measured on one thread, in nanoseconds.
constexpr double kWindow = 1, kVectorTap = 0.2, kPlainTap = 1;
constexpr double kRowOfWindows = 100, kInterleavedCell = 0.3, kPickedCell = 1;

class WindowMaxPlan final : public Plan {
public:
    explicit WindowMaxPlan(const WindowMax& geometry) : geometry_(geometry) {
        copy_geometry(geometry_);
        choose_kernel();
        estimate_work(geometry);
        scratch_bytes_ = size_t(slot_bytes_) * size_t(schedule_.threads());
    }

    Failure run(void* const data[], void* scratch) const override {
        void* const indices = geometry_.index_dtype == DType::undefined ? nullptr : data[geometry_.indices];
        schedule_.run([&](int64_t first, int64_t last, int slot) {
            kernel_(rows_, data[geometry_.source], data[geometry_.result], indices,
                    static_cast<char*>(scratch) + slot * slot_bytes_, first, last);
        });
        return {};
    }

    std::string variant() const override { return variant_; }

private:
    void copy_geometry(const WindowMax& geometry);
    void merge_planes();
    void choose_kernel();
    bool interleave_planes() const;
    bool one_window_each() const;
    bool fits_tiles() const;
    int64_t windows_within(int64_t columns) const;
    int64_t most_columns(int64_t windows) const;
    void cut_into_tiles();
    void estimate_work(const WindowMax& geometry);

    const WindowMax geometry_;
    WindowMaxRows rows_;
    const char* variant_ = nullptr;
    decltype(ACLTWIN_KERNEL(window_max_tiles)) kernel_ = nullptr;
    double nanoseconds_per_tap_ = kVectorTap;
    int64_t plane_cells_ = 0, slot_bytes_ = 0;
    int64_t tasks_ = 1;
    Schedule schedule_;
};

void WindowMaxPlan::copy_geometry(const WindowMax& geometry) {
    rows_.dtype = geometry.dtype;
    rows_.index_dtype = geometry.index_dtype;
    for (int i = 0; i < 3; ++i) {
        WindowAxis& axis = rows_.axes[i];
        axis = {geometry.source_dims[kD + i], geometry.kernel[i], geometry.stride[i], geometry.padding[i],
                geometry.dilation[i]};
        const std::vector<int64_t>&begin = geometry.begin[i], &end = geometry.end[i];
        if (begin.empty()) continue;
        axis = {axis.size, 1, 1, 0, 1, begin.data(), end.data()};
        for (size_t o = 0; o < begin.size(); ++o) axis.kernel = std::max(axis.kernel, end[o] - begin[o]);
    }
    for (int axis = kN; axis <= kH; ++axis) {
        const int loop = axis == kH ? int(WindowMaxRows::kH) : axis;
        rows_.loops.extent[loop] = geometry.result_dims[axis];
        if (axis <= kC) rows_.loops.step[WindowMaxRows::kSource][loop] = geometry.source_strides[axis];
        rows_.loops.step[WindowMaxRows::kResult][loop] = geometry.result_strides[axis];
        rows_.loops.step[WindowMaxRows::kIndices][loop] = geometry.index_strides[axis];
    }
    rows_.depth_stride = geometry.source_strides[kD];
    rows_.height_stride = geometry.source_strides[kH];
    plane_cells_ = saturating_product(rows_.axes[0].size, rows_.axes[1].size, rows_.axes[2].size);
    rows_.windows = geometry.result_dims[kW];
    rows_.source_pitch = geometry.source_dims[kW] == 1 ? 1 : geometry.source_strides[kW];
    rows_.result_pitch = rows_.windows == 1 ? 1 : geometry.result_strides[kW];
    rows_.index_pitch = rows_.windows == 1 ? 1 : geometry.index_strides[kW];
    if (rows_.loops.extent[kC] == 1 || geometry.source_strides[kC] != 1 || geometry.source_strides[kW] == 1)
        return merge_planes();
    // Channels last: a cell of a row is all its channels.
    rows_.channels = rows_.loops.extent[kC];
    rows_.loops.extent[kC] = 1;
    rows_.result_channel = geometry.result_strides[kC];
    rows_.index_channel = geometry.index_strides[kC];
    if (geometry.source_dims[kW] == 1) rows_.source_pitch = rows_.channels;
    if (rows_.windows == 1) rows_.result_pitch = rows_.index_pitch = rows_.channels;
}

// Those of all n, where one step leads from each to the next.
void WindowMaxPlan::merge_planes() {
    auto& loops = rows_.loops;
    for (const auto& step : loops.step)
        if (!is_product(step[WindowMaxRows::kN], step[WindowMaxRows::kC], loops.extent[kC])) return;
    loops.extent[kC] = saturating_product(loops.extent[kN], loops.extent[kC]);
    loops.extent[kN] = 1;
}

void WindowMaxPlan::choose_kernel() {
    rows_.tile_windows = rows_.windows;
    rows_.tile_channels = rows_.channels;
    rows_.loops.extent[WindowMaxRows::kWindowTiles] = rows_.loops.extent[WindowMaxRows::kChannelTiles] = 1;
    tasks_ = steps_of(rows_.loops.extent);
    rows_.one_window = one_window_each();
    if (!fits_tiles() || ablated("window_max: tiles")) {
        variant_ = "plain";
        kernel_ = ACLTWIN_KERNEL(window_max_plain);
        nanoseconds_per_tap_ = kPlainTap;
    } else if (interleave_planes()) {
        variant_ = "planes";
        kernel_ = ACLTWIN_KERNEL(window_max_planes);
        rows_.tile_columns = most_columns(rows_.windows);
        slot_bytes_ = plane_cells_ * WindowMaxRows::kPlanes * int64_t(size_of(rows_.dtype));
        tasks_ = saturating_product(rows_.loops.extent[kN], divide_up(rows_.loops.extent[kC], WindowMaxRows::kPlanes));
    } else {
        variant_ = rows_.one_window ? "windows" : "tiles";
        kernel_ = ACLTWIN_KERNEL(window_max_tiles);
        cut_into_tiles();
    }
}

bool WindowMaxPlan::interleave_planes() const {
    const WindowAxis& w = rows_.axes[2];
    if (ablated("window_max: interleaved planes")) return false;
    if (rows_.channels > 1 || rows_.loops.extent[kC] < WindowMaxRows::kPlanes / 2) return false;
    if (w.size > kShortRow || plane_cells_ > kMostInterleavedCells) return false;
    const double rows = double(rows_.loops.extent[kD]) * double(rows_.loops.extent[WindowMaxRows::kH]);
    const double cell = rows_.source_pitch == 1 ? kInterleavedCell : kPickedCell;
    if (rows * kRowOfWindows < double(plane_cells_) * cell) return false;
    constexpr int64_t kMost = WindowMaxRows::kTile / WindowMaxRows::kPlanes;
    return rows_.windows <= kMost && most_columns(rows_.windows) <= kMost;
}

bool WindowMaxPlan::one_window_each() const {
    const WindowAxis &d = rows_.axes[0], &h = rows_.axes[1], &w = rows_.axes[2];
    return rows_.channels >= kOwnChannels && d.kernel <= WindowMaxRows::kTile / 16 &&
           saturating_product(h.kernel, w.kernel) >= kOwnCells &&
           saturating_product(rows_.windows, w.kernel) <= 2 * w.size;
}

// Floats, whose vectors have indices beside them, and no window too wide.
bool WindowMaxPlan::fits_tiles() const {
    const WindowAxis& w = rows_.axes[2];
    const bool is_float = rows_.dtype == DType::float32 || rows_.dtype == DType::float16 ||
                          rows_.dtype == DType::bfloat16 || rows_.dtype == DType::float64;
    return is_float && plane_cells_ <= kMostCountedCells &&
           (rows_.one_window || saturating_product(w.kernel - 1, w.dilation) < WindowMaxRows::kTile / 2);
}

int64_t WindowMaxPlan::most_columns(int64_t windows) const {
    const WindowAxis& w = rows_.axes[2];
    if (w.begin == nullptr) return w.cells_of(0, windows);
    int64_t most = 0;
    for (int64_t o = 0; o + windows <= rows_.windows; ++o) most = std::max(most, w.cells_of(o, windows));
    return most;
}

// As many neighbouring windows as have no more columns, nor are themselves more.
int64_t WindowMaxPlan::windows_within(int64_t columns) const {
    const WindowAxis& w = rows_.axes[2];
    if (w.begin == nullptr) return std::min(rows_.windows, (columns - w.cells_of(0, 1)) / w.stride + 1);
    int64_t windows = std::min(rows_.windows, columns);
    while (windows > 1 && most_columns(windows) > columns) windows = divide_up(windows, 2);
    return windows;
}

void WindowMaxPlan::cut_into_tiles() {
    constexpr int64_t kTile = WindowMaxRows::kTile;
    const WindowAxis& w = rows_.axes[2];
    const int64_t columns = (w.kernel - 1) * w.dilation + 1;
    // Many channels are cut into as many as leave room for a few windows.
    const int64_t few_windows = columns + 3 * std::min(w.stride, kTile);
    const int64_t most_channels = rows_.one_window ? kTile / rows_.axes[0].kernel : kTile / few_windows;
    rows_.tile_channels = std::clamp<int64_t>(most_channels / 16 * 16, 1, rows_.channels);
    if (most_channels < 16 && columns <= kTile / rows_.channels) rows_.tile_channels = rows_.channels;
    const int64_t most = rows_.one_window ? 1 : windows_within(kTile / rows_.tile_channels);
    rows_.tile_windows = divide_up(rows_.windows, divide_up(rows_.windows, most));
    rows_.tile_columns = rows_.one_window ? 1 : most_columns(rows_.tile_windows);
    const auto cut = [&](int loop, int64_t size, int64_t tile, int64_t source, int64_t result, int64_t index) {
        rows_.loops.extent[loop] = divide_up(size, tile);
        rows_.loops.step[WindowMaxRows::kSource][loop] = source * tile;
        rows_.loops.step[WindowMaxRows::kResult][loop] = result * tile;
        rows_.loops.step[WindowMaxRows::kIndices][loop] = index * tile;
    };
    cut(WindowMaxRows::kWindowTiles, rows_.windows, rows_.tile_windows, 0, rows_.result_pitch, rows_.index_pitch);
    cut(WindowMaxRows::kChannelTiles, rows_.channels, rows_.tile_channels, 1, rows_.result_channel,
        rows_.index_channel);
    tasks_ = steps_of(rows_.loops.extent);
    if (rows_.channels > 1 || w.stride != kSharedStride || w.begin != nullptr ||
        ablated("window_max: rows that share a tile"))
        return;
    rows_.row_windows = divide_up((rows_.tile_windows - 1) * w.stride + columns, w.stride);
    rows_.tile_rows = std::max<int64_t>(1, kSharedColumns / (rows_.row_windows * w.stride));
}

void WindowMaxPlan::estimate_work(const WindowMax& geometry) {
    double windows = 1, taps = 1;
    for (int64_t dim : geometry.result_dims) windows *= double(dim);
    for (const WindowAxis& axis : rows_.axes) taps *= double(std::min(axis.kernel, axis.size));
    schedule_ = Schedule(tasks_, windows * (kWindow + taps * nanoseconds_per_tap_));
}

}  // namespace

std::unique_ptr<Plan> plan_window_max(const WindowMax& geometry) {
    for (int64_t extent : geometry.result_dims)
        if (extent == 0) return nullptr;
    return std::make_unique<WindowMaxPlan>(geometry);
}

}  // namespace acltwin
