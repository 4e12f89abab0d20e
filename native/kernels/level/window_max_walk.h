// The tiles of rows of windows, one after the other.
#pragma once

#include "kernels/level/simd.h"
#include "kernels/window_max_task.h"

namespace acltwin::ACLTWIN_LEVEL {

// Some neighbouring rows of windows. Offsets are those of the tile's first channel in its plane of the source, and of
// its first window in the results.
struct Tile {
    int64_t d, h, rows, first_window, windows, channels;
    int64_t plane, result, indices;
};

// Calls body(tile) for tasks first to last - 1.
template <class Body>
ACLTWIN_INLINE void each_tile(const WindowMaxRows& p, int64_t first, int64_t last, const Body& body) {
    Walk<6, 3> walk(p.loops, first);
    for (int64_t rows; first < last; first += rows, walk.advance(rows)) {
        rows = min64(min64(last - first, p.tile_rows), walk.left());
        const int64_t window = walk.at(p.kWindowTiles) * p.tile_windows;
        const int64_t channel = walk.at(p.kChannelTiles) * p.tile_channels;
        body(Tile{walk.at(p.kD), walk.at(p.kH), rows, window, min64(p.tile_windows, p.windows - window),
                  min64(p.tile_channels, p.channels - channel), walk.offset(p.kSource), walk.offset(p.kResult),
                  walk.offset(p.kIndices)});
    }
}

}  // namespace acltwin::ACLTWIN_LEVEL
