// Device memory is not host memory: addresses that host code cannot follow, and the finding when it does.
//
// A program gets addresses of a reservation that nobody can read or write. The data lie elsewhere, where only copies
// and kernels look (MemoryBlock::data_at). Addresses are never given twice, so a stale one is recognised for good.
#pragma once

namespace acltwin::check {

// At each call: a handler of SIGSEGV that somebody has installed since comes after ours, and gets what is not ours.
void stay_in_front();
bool is_in_front();  // as far as this is known

}  // namespace acltwin::check
