// How large the caches are: what fits into them is handled otherwise than what does not.
#pragma once

#include <cstdint>

namespace acltwin {

struct CacheSizes {
    int64_t core = 1 << 20;     // of one core's own second level
    int64_t shared = 32 << 20;  // of the last level, as far as one program can hope for it

    // A result that large is gone from the cache before anybody reads it: it may as well be written around it.
    int64_t gone() const { return shared / 2; }
    // 32-bit sums that a core keeps at hand beside what it reads and writes.
    int64_t sums() const { return core * 3 / 32; }
};

// From what a system reports, zero where it reports nothing: virtual machines report none, or those of a whole socket.
CacheSizes sane_cache_sizes(int64_t second_level, int64_t third_level);

// Of this machine; read once.
const CacheSizes& cache_sizes();

// Bytes of a size as Linux writes it under /sys: "32768K", "1M", "512"; 0 if it is nothing of the kind.
int64_t parse_cache_size(const char* text);

}  // namespace acltwin
