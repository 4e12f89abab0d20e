// Addresses of code as people know them: function, file and line.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace acltwin::check {

// What is unknown is empty; a frame without a function has a library and an offset.
struct Frame {
    std::string function, file;
    int line = 0;
    std::string library;
    uint64_t offset = 0;
};

// The frames of return addresses, innermost first; a function that was inlined into another gives one more. Asks
// addr2line or llvm-symbolizer, whichever the system has, and remembers the answers. Guarded by the runtime's lock.
std::vector<Frame> frames_of(const std::vector<uintptr_t>& return_addresses);

// What comes after the last slash.
std::string file_name(const std::string& path);

// "main (pool.cpp:41)", "run (in libpool.so)", "libpool.so+0x1234".
std::string described(const Frame& frame);

}  // namespace acltwin::check
