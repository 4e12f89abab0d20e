// Where the pieces of a result go: into the result itself, or by way of a buffer that is streamed, copied or unpacked.
#pragma once

#include "kernels/level/interval_sum_buffers.h"
#include "kernels/level/interval_sum_pack.h"

namespace acltwin::ACLTWIN_LEVEL {

template <class T>
class Sink {
public:
    // `needs_slack`: the kernels write a few elements past a piece, which only a buffer can bear.
    Sink(const IntervalRows& rows, bool needs_slack, Buffers<T>& buffers)
        : rows_(rows), way_(way(rows, needs_slack)), cells_(buffers.cells), writer_(buffers.stage) {}
    ~Sink() {
        if (way_ == Way::stream) writer_.finish();
    }
    Sink(const Sink&) = delete;
    Sink& operator=(const Sink&) = delete;

    bool direct() const { return way_ == Way::direct; }
    // Pieces must have less than twice so many elements.
    int64_t piece() const { return way_ == Way::stream ? Buffers<T>::kStagePiece : Buffers<T>::kPiece; }

    // Where to write the piece that belongs at `dst`; `put` follows.
    ACLTWIN_INLINE T* place(T* dst) {
        if (way_ == Way::direct) return dst;
        return way_ == Way::stream ? writer_.seek(dst) : cells_;
    }

    ACLTWIN_INLINE void put(T* dst, int64_t elements) {
        switch (way_) {
            case Way::direct: return;
            case Way::stream: return writer_.advance(elements * int64_t(sizeof(T)));
            case Way::copy: memcpy(dst, cells_, size_t(elements) * sizeof(T)); return;
            case Way::unpack:
                return unpack_row(cells_, elements / rows_.channels, rows_.channels, dst, rows_.result_pitch);
        }
    }

    void put_zeros(T* dst, int64_t elements) {
        if (way_ == Way::stream) return writer_.put_zeros(dst, elements * int64_t(sizeof(T)));
        if (way_ != Way::unpack) {
            memset(dst, 0, size_t(elements) * sizeof(T));
            return;
        }
        for (int64_t i = 0; i < elements / rows_.channels; ++i)
            for (int64_t c = 0; c < rows_.channels; ++c) dst[i * rows_.result_pitch + c] = T{};
    }

private:
    enum class Way { direct, stream, copy, unpack };

    static Way way(const IntervalRows& rows, bool needs_slack) {
        if (rows.stream) return Way::stream;
        if (rows.channels >= kLanesOf<T>) return Way::direct;
        if (rows.result_pitch != rows.channels) return Way::unpack;
        return needs_slack ? Way::copy : Way::direct;
    }

    const IntervalRows& rows_;
    const Way way_;
    T* const cells_;
    StreamWriter writer_;
};

}  // namespace acltwin::ACLTWIN_LEVEL
