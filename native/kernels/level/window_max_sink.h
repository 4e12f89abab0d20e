// Where a tile's results go: by way of a buffer that is streamed, copied or taken apart.
#pragma once

#include "kernels/level/stream_writer.h"
#include "kernels/level/window_max.h"

namespace acltwin::ACLTWIN_LEVEL {

template <class E>
class TileSink {
public:
    TileSink(int64_t pitch, int64_t channel, bool stream) : pitch_(pitch), channel_(channel), stream_(stream) {}

    // A place for the results of a tile that belongs at `dst`, one window's channels after the other; `put` follows.
    // What is written a vector past them does no harm.
    E* place(E* dst, int64_t channels) { return stream_ && dense(channels) ? writer_.seek(dst) : buffer(); }

    void put(E* dst, int64_t windows, int64_t channels) {
        const E* from = buffer();
        if (dense(channels)) {
            if (stream_) return writer_.advance(windows * channels * int64_t(sizeof(E)));
            memcpy(dst, from, size_t(windows * channels) * sizeof(E));
            return;
        }
        for (int64_t w = 0; w < windows; ++w, dst += pitch_, from += channels)
            for (int64_t c = 0; c < channels; ++c) dst[c * channel_] = from[c];
    }

    void finish() {
        if (stream_) writer_.finish();
    }

private:
    bool dense(int64_t channels) const { return pitch_ == channels && (channel_ == 1 || channels == 1); }
    E* buffer() { return reinterpret_cast<E*>(stage_); }

    const int64_t pitch_, channel_;
    const bool stream_;
    alignas(64) char stage_[StreamWriter::kStageExtra + (WindowMaxRows::kTile + kLanes) * sizeof(E)];
    StreamWriter writer_{stage_};
};

}  // namespace acltwin::ACLTWIN_LEVEL
