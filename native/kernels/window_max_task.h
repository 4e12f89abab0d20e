// What a plan of window maxima tells its kernels. Strides count elements.
#pragma once

#include "core/tensor.h"
#include "kernels/loops/walk.h"

namespace acltwin {

// The windows along one axis: window o has the cells o * stride - padding + tap * dilation, taps 0 to kernel - 1, as
// far as they lie in [0, size); or those from begin[o] to end[o], at most `kernel`.
struct WindowAxis {
    int64_t size = 1, kernel = 1, stride = 1, padding = 0, dilation = 1;
    const int64_t *begin = nullptr, *end = nullptr;

    int64_t start(int64_t window) const { return begin != nullptr ? begin[window] : window * stride - padding; }
    int64_t first_tap(int64_t window) const {
        const int64_t before = -start(window);
        return before <= 0 ? 0 : taps_within(before - 1) + 1;
    }
    int64_t end_tap(int64_t window) const {
        if (begin != nullptr) return end[window] - begin[window];
        const int64_t after = size - 1 - start(window);
        if (after < 0) return 0;
        const int64_t inside = taps_within(after) + 1;
        return inside < kernel ? inside : kernel;
    }
    // Divisions are slow; a compiler that finds both ways equal leaves nothing but the division.
    int64_t taps_within(int64_t cells) const {
        if (dilation != 1) return cells / dilation;
        asm("" : "+r"(cells));
        return cells;
    }
    int64_t cell(int64_t window, int64_t tap) const { return start(window) + tap * dilation; }
    // From the first cell of the first window to the last one of the last, inside or not.
    int64_t cells_of(int64_t first, int64_t windows) const {
        if (begin != nullptr) return end[first + windows - 1] - begin[first];
        return (windows - 1) * stride + (kernel - 1) * dilation + 1;
    }
};

struct WindowMaxRows {
    static constexpr int64_t kPlanes = 16;
    // A tile is a piece of a row of windows whose columns, times its channels, are at most so many.
    static constexpr int64_t kTile = 2048;

    DType dtype = DType::undefined, index_dtype = DType::int32;
    WindowAxis axes[3];  // D, H, W
    // N, C, D, tiles of windows, tiles of channels, H. The source steps along N, C and channels only; where the
    // windows along D and H lie is a matter of taps.
    enum Loop { kN, kC, kD, kWindowTiles, kChannelTiles, kH };
    enum Operand { kSource, kResult, kIndices };
    Loops<6, 3> loops;
    int64_t depth_stride = 0, height_stride = 0;  // of the source

    // A row: `windows` windows along W. The channels are part of it if they are neighbours in the source.
    int64_t windows = 0, channels = 1;
    int64_t source_pitch = 1, result_pitch = 1, index_pitch = 1;  // from one column or window to the next
    int64_t result_channel = 1, index_channel = 1;                // from one channel to the next
    int64_t tile_windows = 0, tile_channels = 0;                  // the last tile may have fewer
    int64_t tile_columns = 0;                                     // that its windows have at most
    bool one_window = false;  // a tile is one window, whose cells are folded channel by channel
    // So many neighbouring rows are one tile, and as if they were one row: so many windows from one to the next that no
    // column is in two of them.
    int64_t tile_rows = 1, row_windows = 0;
};

// Without indices these are null. These run tasks first to last - 1. A task is one row of a tile; window_max_plain
// needs no buffers: windows of any size, planes of any size. For window_max_planes a task is kPlanes planes of one n
// (the last task of each n may have fewer), all of their cells interleaved in the scratch memory, and a tile is a whole
// row.
ACLTWIN_DECLARE_KERNEL(void window_max_tiles(const WindowMaxRows& rows, const void* source, void* result, void* indices,
                                             void* scratch, int64_t first, int64_t last))
ACLTWIN_DECLARE_KERNEL(void window_max_planes(const WindowMaxRows& rows, const void* source, void* result,
                                              void* indices, void* scratch, int64_t first, int64_t last))
ACLTWIN_DECLARE_KERNEL(void window_max_plain(const WindowMaxRows& rows, const void* source, void* result, void* indices,
                                             void* scratch, int64_t first, int64_t last))

}  // namespace acltwin
