// Where code is: in which file of the process, and how far from its beginning. `acltwin check` finds functions and
// lines for that; here only those are known that the loader knows.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace acltwin::check {

// What is unknown is empty. Frames of an interpreter have a file and a line, others a library and an offset.
struct Frame {
    std::string function, file;
    int line = 0;
    std::string library;
    uint64_t offset = 0;  // of the call, as the library's file counts
};

// The frames of return addresses, innermost first.
std::vector<Frame> frames_of(const std::vector<uintptr_t>& return_addresses);

// "main (pool.py:41)", "run (in libpool.so+0x1234)", "libpool.so+0x1234".
std::string described(const Frame& frame);

}  // namespace acltwin::check
