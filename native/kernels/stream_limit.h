// How fast memory is: the same traffic as a kernel, but nothing computed. The benchmark states every time as a share of
// this one, measured in the same run.
#pragma once

#include <cstddef>
#include <cstdint>

#include "core/export.h"
#include "kernels/dispatch.h"

namespace acltwin {

constexpr int64_t kLineBytes = 64;

// Reads `source` linearly and writes zeros to `target` with stores that bypass the cache, both evenly spread over the
// time, on `threads` threads. Only whole lines count: up to one line at each end of a buffer is left alone.
// Returns the exclusive or of all 32-bit words read, so that no compiler can drop the reading.
ACLTWIN_API uint32_t stream_limit(const void* source, size_t source_bytes, void* target, size_t target_bytes,
                                  int threads);

// One thread's part. `target` is aligned to a line.
ACLTWIN_DECLARE_KERNEL(uint32_t stream_lines(const char* source, int64_t source_lines, char* target,
                                             int64_t target_lines))

}  // namespace acltwin
