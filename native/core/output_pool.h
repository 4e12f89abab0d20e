// Memory for results. A fresh block of a hundred megabytes costs more in page faults than the kernel that fills it, so
// blocks of dead results are kept for the next ones, up to a bound.
#pragma once

#include <cstddef>

#include "core/export.h"

namespace acltwin {

struct Block {
    void* data = nullptr;  // 64-byte aligned; null when the system has no memory left
    size_t capacity = 0;
};

ACLTWIN_API Block acquire_output(size_t bytes);
ACLTWIN_API void release_output(Block block);

// How many bytes of unused blocks are kept: ACLTWIN_OUTPUT_POOL_MIB, 1024 by default; 0 keeps none.
ACLTWIN_API void set_output_pool_limit(size_t bytes);
ACLTWIN_API size_t output_pool_limit();
ACLTWIN_API size_t output_pool_kept();  // bytes kept right now
ACLTWIN_API bool empty_output_pool();   // false when nothing was kept

// The pointer that `allocate` returns. When the system has no memory, what is kept here may be what it lacks.
template <class Allocate>
auto allocate_or_empty_pool(const Allocate& allocate) {
    auto* const memory = allocate();
    return memory == nullptr && empty_output_pool() ? allocate() : memory;
}

// 64-byte aligned memory for as long as a call takes; std::free ends it. Throws std::bad_alloc.
ACLTWIN_API void* allocate_working_memory(size_t bytes);

}  // namespace acltwin
