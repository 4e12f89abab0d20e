// Where the cells of an axis lie on another one, if that follows from a step: as quickly found as read from a table.
#pragma once

#include <cstdint>

namespace acltwin {

// Cell o lies at the place (o + half) * step + shift, but not below 0; every operation rounds. It shows the cell below.
struct Positions {
    static constexpr int64_t kMost = 1 << 30;  // no cell has a larger number, and none lies further on

    bool wide = false;   // computed in float64, and only what is rounded down in float32
    bool fused = false;  // product and sum round once
    double step = 0, half = 0, shift = 0;
    int64_t last = 0;  // of the cells that are shown

    bool usable(int64_t cells) const {
        return cells < kMost && last < kMost && step * double(cells + 1) < double(kMost);
    }
};

}  // namespace acltwin
