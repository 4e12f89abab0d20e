#include "kernels/stream_limit.h"

#include <algorithm>
#include <atomic>

#include "core/thread_pool.h"

namespace acltwin {

uint32_t stream_limit(const void* source, size_t source_bytes, void* target, size_t target_bytes, int threads) {
    const auto* from = static_cast<const char*>(source);
    auto* to = static_cast<char*>(target);
    const size_t head = std::min(target_bytes, size_t(-reinterpret_cast<uintptr_t>(target) % kLineBytes));
    const int64_t source_lines = int64_t(source_bytes) / kLineBytes;
    const int64_t target_lines = int64_t(target_bytes - head) / kLineBytes;

    // Parts of a megabyte: a thread that is held up leaves the rest to the others, as the kernels' parts do.
    const int64_t chunks = std::max(source_lines, target_lines) * kLineBytes / (1 << 20) + 1;
    std::atomic<uint32_t> checksum{0};
    parallel(chunks, threads, [&](int64_t chunk, int) {
        const int64_t source_begin = source_lines * chunk / chunks, source_end = source_lines * (chunk + 1) / chunks;
        const int64_t target_begin = target_lines * chunk / chunks, target_end = target_lines * (chunk + 1) / chunks;
        checksum ^= ACLTWIN_KERNEL(stream_lines)(from + source_begin * kLineBytes, source_end - source_begin,
                                                 to + head + target_begin * kLineBytes, target_end - target_begin);
    });
    return checksum;
}

}  // namespace acltwin
