// Device memory is not host memory: addresses that host code cannot follow, and the finding when it does.
//
// A program gets addresses of a reservation that nobody can read or write. The data lie elsewhere, where only copies
// and kernels look (MemoryBlock::data_at). Addresses are never given twice, so a stale one is recognised for good.
#pragma once

#include <cstddef>

namespace acltwin::check {

// As many addresses, 64-byte aligned; null when host code is not kept away, because nobody asked for it or the system
// refuses.
char* reserve_addresses(size_t bytes);

// Begins to listen for faults; again after a fork, whose child has not inherited the thread that tells of them.
void guard_host();

}  // namespace acltwin::check
