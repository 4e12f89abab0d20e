// Which bytes of a block have been written: one bit for each.
#pragma once

#include <cstddef>
#include <map>
#include <vector>

#include "runtime/check/byte_set.h"

namespace acltwin::check {

class Shadow {
public:
    explicit Shadow(size_t bytes = 0) : bytes_(bytes) {}

    // Bytes beyond the end are nobody's: writing them changes nothing, and they are never missing.
    void write(const ByteSet& set);
    void forget(Interval run);                         // as if nobody had written it
    uint64_t missing(const ByteSet& set) const;        // how many of these bytes nobody has written
    uint64_t first_missing(const ByteSet& set) const;  // needs one that is missing
    // What was written in `from`, beginning at `begin`, is written here at `to`; the rest of the range is not.
    void copy(const Shadow& from, uint64_t begin, uint64_t to, uint64_t length);

private:
    // Reserved addresses are many, and few of them are mapped: bits are kept for parts that are written in part.
    static constexpr uint64_t kChunk = uint64_t(1) << 24;
    struct Chunk {
        bool all = false;            // every byte is written, there are no bits
        std::vector<uint64_t> bits;  // empty: all or none
    };

    uint64_t size_of_chunk(uint64_t chunk) const { return std::min<uint64_t>(kChunk, bytes_ - chunk * kChunk); }
    bool is_complete() const { return complete_ * kChunk >= bytes_; }
    bool written(uint64_t byte) const;
    void set_run(Interval run, bool value);
    void set_in_chunk(uint64_t chunk, Interval run, bool value);
    uint64_t missing_in(Interval run) const;

    size_t bytes_;
    std::map<uint64_t, Chunk> chunks_;  // those that are not there are not written
    uint64_t complete_ = 0;             // chunks of which all is written
};

}  // namespace acltwin::check
