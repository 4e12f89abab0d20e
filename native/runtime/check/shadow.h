// Which bytes of a block have been written: one bit for each.
#pragma once

#include <cstddef>
#include <vector>

#include "runtime/check/byte_set.h"

namespace acltwin::check {

class Shadow {
public:
    explicit Shadow(size_t bytes = 0) : bytes_(bytes) {}

    // Bytes beyond the end are nobody's: writing them changes nothing, and they are never missing.
    void write(const ByteSet& set);
    uint64_t missing(const ByteSet& set) const;        // how many of these bytes nobody has written
    uint64_t first_missing(const ByteSet& set) const;  // needs one that is missing
    // What was written in `from`, beginning at `begin`, is written here at `to`; the rest of the range is not.
    void copy(const Shadow& from, uint64_t begin, uint64_t to, uint64_t length);

private:
    bool written(uint64_t byte) const { return all_ || (!bits_.empty() && (bits_[byte / 64] >> byte % 64 & 1) != 0); }
    void need_bits();
    void set_run(Interval run, bool value);
    uint64_t missing_in(Interval run) const;

    size_t bytes_;
    bool all_ = false;            // every byte is written, there are no bits
    std::vector<uint64_t> bits_;  // empty: all or none
};

}  // namespace acltwin::check
