// Where a tile's results go: by way of a buffer, because what is written a vector past them must do no harm.
#pragma once

#include "kernels/level/simd.h"
#include "kernels/level/window_max.h"

namespace acltwin::ACLTWIN_LEVEL {

template <class E>
class TileSink {
public:
    TileSink(int64_t pitch, int64_t channel) : pitch_(pitch), channel_(channel) {}

    // A place for the results of a tile, one window's channels after the other; `put` follows.
    E* place() { return buffer_; }

    void put(E* dst, int64_t windows, int64_t channels) const {
        if (pitch_ == channels && (channel_ == 1 || channels == 1)) {
            memcpy(dst, buffer_, size_t(windows * channels) * sizeof(E));
            return;
        }
        const E* from = buffer_;
        for (int64_t w = 0; w < windows; ++w, dst += pitch_, from += channels)
            for (int64_t c = 0; c < channels; ++c) dst[c * channel_] = from[c];
    }

private:
    const int64_t pitch_, channel_;
    alignas(64) E buffer_[WindowMaxRows::kTile + kLanes];
};

}  // namespace acltwin::ACLTWIN_LEVEL
