// Writes results with non-temporal stores: pieces of any size and alignment in, whole 64-byte lines out.
//
//   alignas(64) char stage[NonTemporalWriter::kStageExtra + <bytes of the largest piece, slack included>];
//   NonTemporalWriter writer(stage);
//   for (each piece) {
//       T* out = writer.seek(dst);      // a place in the stage that stands for dst; a run of pieces stays one stream
//       ... write n elements to out, in any order; what is written past them is overwritten later ...
//       writer.advance(n * sizeof(T));
//   }
//   writer.put_zeros(dst, bytes);       // a piece that is zero needs no place
//   writer.finish();                    // or the last bytes never arrive
//
// Lines leave in small bursts between the pieces: large bursts stall on the CPU's few write buffers.
// A line that the stream covers only in part is written with plain stores of exactly its bytes, so two threads may
// stream to neighbouring bytes.
#pragma once

#include "kernels/level/simd.h"

namespace acltwin::ACLTWIN_LEVEL {

class NonTemporalWriter {
    static constexpr uint64_t kLine = 64, kBurst = 512;

public:
    static constexpr int64_t kStageExtra = kBurst + kLine;

    explicit NonTemporalWriter(void* stage) : stage_(static_cast<char*>(stage)) {}

    template <class T>
    ACLTWIN_INLINE T* seek(T* dst) {
        const uintptr_t address = reinterpret_cast<uintptr_t>(dst);
        if (address != line_ + end_) {
            flush();
            line_ = address & ~(kLine - 1);
            begin_ = end_ = address - line_;
        }
        return reinterpret_cast<T*>(stage_ + end_);
    }

    ACLTWIN_INLINE void advance(int64_t bytes) {
        end_ += uint64_t(bytes);
        if (end_ >= kBurst) write_lines();
    }

    // A piece of zero bytes, of any size.
    void put_zeros(void* dst, int64_t bytes) {
        char* out = seek(static_cast<char*>(dst));
        const int64_t head = min64(bytes, int64_t((kLine - end_ % kLine) % kLine));
        memset(out, 0, size_t(head));
        end_ += uint64_t(head);
        write_lines();
        if (head == bytes) return;
        // The stage is empty now, and the rest starts with a line.
        alignas(64) const char zeros[kLine] = {};
        const int64_t lines = (bytes - head) / int64_t(kLine);
        for (int64_t i = 0; i < lines; ++i) copy_line_non_temporal(destination() + i * int64_t(kLine), zeros);
        line_ += uint64_t(lines) * kLine;
        end_ = uint64_t(bytes - head) % kLine;
        memset(stage_, 0, end_);
    }

    void finish() {
        flush();
        line_ = begin_ = end_ = 0;
        non_temporal_fence();
    }

private:
    void flush() {
        write_lines();
        if (begin_ < end_) memcpy(destination() + begin_, stage_ + begin_, end_ - begin_);
        begin_ = end_;
    }

    // All lines but the last, unfinished one, which moves to the front of the stage.
    void write_lines() {
        uint64_t at = 0;
        if (begin_ > 0 && end_ >= kLine) {
            memcpy(destination() + begin_, stage_ + begin_, kLine - begin_);
            begin_ = 0;
            at = kLine;
        }
        for (; at + kLine <= end_; at += kLine) copy_line_non_temporal(destination() + at, stage_ + at);
        if (at == 0) return;
        memcpy(stage_, stage_ + at, kLine);
        line_ += at;
        end_ -= at;
    }

    char* destination() const { return reinterpret_cast<char*>(line_); }

    char* stage_;
    uintptr_t line_ = 0;            // the address, a multiple of 64, that the stage's first byte stands for
    uint64_t begin_ = 0, end_ = 0;  // the bytes of the stage that wait to be written
};

}  // namespace acltwin::ACLTWIN_LEVEL
