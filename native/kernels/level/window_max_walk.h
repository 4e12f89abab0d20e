// Walks through the tiles of rows of windows.
#pragma once

#include "kernels/level/simd.h"
#include "kernels/level/window_max.h"

namespace acltwin::ACLTWIN_LEVEL {

class TileWalk {
public:
    TileWalk(const WindowMaxRows& p, int64_t task) : p_(p) {
        channel_tile_ = task % p.channel_tiles;
        task /= p.channel_tiles;
        window_tile_ = task % p.window_tiles;
        task /= p.window_tiles;
        for (int i = 3; i >= 0; --i) {
            index_[i] = task % p.extent[i];
            task /= p.extent[i];
        }
    }

    void advance() {
        if (++channel_tile_ < p_.channel_tiles) return;
        channel_tile_ = 0;
        if (++window_tile_ < p_.window_tiles) return;
        window_tile_ = 0;
        for (int i = 3; i >= 0; --i) {
            if (++index_[i] < p_.extent[i]) return;
            index_[i] = 0;
        }
    }

    // Windows along D and H.
    int64_t d() const { return index_[2]; }
    int64_t h() const { return index_[3]; }

    int64_t first_window() const { return window_tile_ * p_.tile_windows; }
    int64_t windows() const { return min64(p_.tile_windows, p_.windows - first_window()); }
    int64_t channels() const { return min64(p_.tile_channels, p_.channels - first_channel()); }

    // Offsets of the tile's first channel in its plane of the source, and of its first window in the results.
    int64_t plane() const {
        return index_[0] * p_.source_strides[0] + index_[1] * p_.source_strides[1] + first_channel();
    }
    int64_t result() const { return offset(p_.result_strides, p_.result_pitch, p_.result_channel); }
    int64_t indices() const { return offset(p_.index_strides, p_.index_pitch, p_.index_channel); }

private:
    int64_t first_channel() const { return channel_tile_ * p_.tile_channels; }

    int64_t offset(const int64_t (&strides)[4], int64_t pitch, int64_t channel) const {
        int64_t sum = first_window() * pitch + first_channel() * channel;
        for (int i = 0; i < 4; ++i) sum += index_[i] * strides[i];
        return sum;
    }

    const WindowMaxRows& p_;
    int64_t index_[4], window_tile_, channel_tile_;
};

}  // namespace acltwin::ACLTWIN_LEVEL
