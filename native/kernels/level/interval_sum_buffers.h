// What a thread works in while it sums intervals: small enough for its stack and, where it matters, for its first
// cache.
#pragma once

#include "kernels/interval_sum_task.h"
#include "kernels/level/non_temporal_writer.h"

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
    alignas(64) char stage[NonTemporalWriter::kStageExtra + (2 * kStagePiece + kMargin) * sizeof(T)];

    // Rows that become columns of the result, instead of packed ones.
    static constexpr int64_t kTileRows = 16, kTilePitch = 2 * kPiece + kMargin;
    static_assert(kTileRows * kTilePitch <= kRowsPerGroup * kPackedPitch, "a tile takes the place of packed rows");

    S* totals() { return totals_memory + kMargin; }
    T* packed(int row) { return packed_memory + row * kPackedPitch + kMargin; }
    T* tile(int64_t row) { return packed_memory + row * kTilePitch; }

    // The last piece is longer rather than shorter than the others: the last block must not reach out of it.
    static int64_t end_of_piece(int64_t first, int64_t part_end, int64_t piece) {
        return part_end - first < 2 * piece ? part_end : first + piece;
    }

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
