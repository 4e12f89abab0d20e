// Where the pieces of a result go: into the result itself, or by way of a buffer that is streamed, copied or unpacked.
#pragma once

#include "kernels/loops/source.h"
#include "kernels/loops/stream_writer.h"

namespace acltwin::ACLTWIN_LEVEL {

enum class Way { direct, stream, copy, unpack };

template <class E>
class Sink {
public:
    // Cells are `pitch` elements apart in the result, their channels `channel` elements: neighbours, unless it unpacks.
    // The buffer serves to copy and to unpack, the stage (see StreamWriter) to stream.
    Sink(Way way, int64_t pitch, int64_t channel, E* buffer, void* stage = nullptr)
        : way_(way), pitch_(pitch), channel_(channel), buffer_(buffer), writer_(stage) {}
    ~Sink() {
        if (way_ == Way::stream) writer_.finish();
    }
    Sink(const Sink&) = delete;
    Sink& operator=(const Sink&) = delete;

    bool direct() const { return way_ == Way::direct; }
    bool streams() const { return way_ == Way::stream; }

    // Where to write the piece that belongs at `dst`, cell by cell; `put` follows.
    ACLTWIN_INLINE E* place(E* dst) {
        if (way_ == Way::direct) return dst;
        return way_ == Way::stream ? writer_.seek(dst) : buffer_;
    }

    ACLTWIN_INLINE void put(E* dst, int64_t cells, int64_t channels) {
        switch (way_) {
            case Way::direct: return;
            case Way::stream: return writer_.advance(cells * channels * int64_t(sizeof(E)));
            case Way::copy: return copy_together(dst, cells * channels);
            case Way::unpack: return unpack_cells(cells, channels, buffer_, dst, pitch_, channel_);
        }
    }

    void put_zeros(E* dst, int64_t cells, int64_t channels) {
        const size_t bytes = size_t(cells * channels) * sizeof(E);
        if (way_ == Way::stream) return writer_.put_zeros(dst, int64_t(bytes));
        if (way_ != Way::unpack) {
            memset(dst, 0, bytes);
            return;
        }
        const E zero = {};
        copy_elements(cells, channels, &zero, {0, 0}, dst, {pitch_, channel_}, as_it_is<E>);
    }

private:
    ACLTWIN_INLINE void copy_together(E* dst, int64_t n) const {
        if (n <= kLanesOf<E>) return copy_partial(dst, buffer_, n);
        memcpy(dst, buffer_, size_t(n) * sizeof(E));
    }

    const Way way_;
    const int64_t pitch_, channel_;
    E* const buffer_;
    StreamWriter writer_;
};

}  // namespace acltwin::ACLTWIN_LEVEL
