// Where the pieces of a result go: into the result itself, or through a buffer, from where they are copied or unpacked,
// or leave in non-temporal lines.
#pragma once

#include "kernels/level/non_temporal_writer.h"
#include "kernels/level/source.h"

namespace acltwin::ACLTWIN_LEVEL {

enum class Output { direct, non_temporal, copy, unpack };

template <class E>
class Sink {
public:
    // Cells are `pitch` elements apart in the result, their channels `channel` elements: neighbours, unless it unpacks.
    // The buffer serves to copy and to unpack, the stage (see NonTemporalWriter) for non-temporal stores.
    Sink(Output output, int64_t pitch, int64_t channel, E* buffer, void* stage = nullptr)
        : output_(output), pitch_(pitch), channel_(channel), buffer_(buffer), writer_(stage) {}
    ~Sink() {
        if (output_ == Output::non_temporal) writer_.finish();
    }
    Sink(const Sink&) = delete;
    Sink& operator=(const Sink&) = delete;

    bool direct() const { return output_ == Output::direct; }
    bool non_temporal() const { return output_ == Output::non_temporal; }

    // Where to write the piece that belongs at `dst`, cell by cell; `put` follows.
    ACLTWIN_INLINE E* place(E* dst) {
        if (output_ == Output::direct) return dst;
        return output_ == Output::non_temporal ? writer_.seek(dst) : buffer_;
    }

    ACLTWIN_INLINE void put(E* dst, int64_t cells, int64_t channels) {
        switch (output_) {
            case Output::direct: return;
            case Output::non_temporal: return writer_.advance(cells * channels * int64_t(sizeof(E)));
            case Output::copy: return copy_together(dst, cells * channels);
            case Output::unpack: return unpack_cells(cells, channels, buffer_, dst, pitch_, channel_);
        }
    }

    void put_zeros(E* dst, int64_t cells, int64_t channels) {
        const size_t bytes = size_t(cells * channels) * sizeof(E);
        if (output_ == Output::non_temporal) return writer_.put_zeros(dst, int64_t(bytes));
        if (output_ != Output::unpack) {
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

    const Output output_;
    const int64_t pitch_, channel_;
    E* const buffer_;
    NonTemporalWriter writer_;
};

}  // namespace acltwin::ACLTWIN_LEVEL
