// What a thread works in while it sums intervals: small enough for its stack and, where it matters, for its first
// cache.
#pragma once

#include "kernels/level/interval_sum.h"
#include "kernels/loops/stream_writer.h"

namespace acltwin::ACLTWIN_LEVEL {

template <class T>
struct Buffers {
    typedef typename Sum<T>::Scalar S;

    // A row is worked on in pieces of less than 2 * kPiece elements of the result, or 2 * kStagePiece if nothing but
    // the stage must hold them. The margins are what kernels touch around the columns and cells they are given.
    static constexpr int64_t kPiece = 512 / sizeof(S), kStagePiece = 1024 / sizeof(T);
    static constexpr int64_t kMargin = 64;
    // Uniform folds and blocks take at most four columns for each cell of a full block.
    static constexpr int64_t kColumns = 4 * 2 * kPiece + kMargin;

    alignas(64) S totals_memory[kMargin + kColumns + kMargin];
    static constexpr int64_t kPackedPitch = kMargin + kColumns + kMargin;
    alignas(64) T packed_memory[kRowsPerGroup * kPackedPitch];
    alignas(64) S sums[2 * kPiece + kMargin];
    alignas(64) T cells[2 * kPiece + kMargin];
    alignas(64) char stage[StreamWriter::kStageExtra + (2 * kStagePiece + kMargin) * sizeof(T)];

    S* totals() { return totals_memory + kMargin; }
    T* packed(int row) { return packed_memory + row * kPackedPitch + kMargin; }

    static constexpr int64_t kPackedOffsets[kRowsPerGroup] = {0,
                                                              kPackedPitch,
                                                              2 * kPackedPitch,
                                                              3 * kPackedPitch,
                                                              4 * kPackedPitch,
                                                              5 * kPackedPitch,
                                                              6 * kPackedPitch,
                                                              7 * kPackedPitch};
};

}  // namespace acltwin::ACLTWIN_LEVEL
