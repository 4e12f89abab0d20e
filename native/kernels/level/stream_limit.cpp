#include "kernels/stream_limit.h"

#include "kernels/level/simd.h"

namespace acltwin::ACLTWIN_LEVEL {
namespace {

ACLTWIN_INLINE Word read_line(const char* line, Word seen) {
    for (size_t offset = 0; offset < size_t(kLineBytes); offset += sizeof(Word)) {
        Word words;
        memcpy(&words, line + offset, sizeof words);
        seen ^= words;
    }
    return seen;
}

}  // namespace

uint32_t stream_lines(const char* source, int64_t source_lines, char* target, int64_t target_lines) {
    alignas(64) char values[kLineBytes];  // not zeros: there is memory that takes those twice as fast
    for (int64_t i = 0; i < kLineBytes; ++i) values[i] = char(i + 1);
    // Short turns of reading and writing: long bursts of stores that bypass the cache are slower.
    constexpr int64_t kLinesPerTurn = 8;
    const int64_t turns = max64(source_lines, target_lines) / kLinesPerTurn + 1;
    Word seen = {};
    int64_t lines_read = 0, lines_written = 0;
    for (int64_t turn = 1; turn <= turns; ++turn) {
        const double share = double(turn) / double(turns);
        const int64_t read_until = turn == turns ? source_lines : int64_t(double(source_lines) * share);
        const int64_t write_until = turn == turns ? target_lines : int64_t(double(target_lines) * share);
        for (; lines_read < read_until; ++lines_read) seen = read_line(source + lines_read * kLineBytes, seen);
        for (; lines_written < write_until; ++lines_written)
            copy_line_non_temporal(target + lines_written * kLineBytes, values);
    }
    non_temporal_fence();
    uint32_t checksum = 0;
    for (int lane = 0; lane < kLanes; ++lane) checksum ^= seen[lane];
    return checksum;
}

}  // namespace acltwin::ACLTWIN_LEVEL
