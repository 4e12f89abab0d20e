// Copies of rows of bytes: both ends are looked up and checked, then the copy runs now or in its turn on a stream.
#pragma once

#include "acl/acl_rt.h"
#include "runtime/interpreter.h"
#include "runtime/memory.h"
#include "runtime/stream.h"

namespace acltwin {

// Rows of `width` bytes; a plain copy is one row.
struct Copy {
    char* destination;
    size_t destination_pitch;
    char* source;  // only read
    size_t source_pitch;
    size_t width, height;
    bool is_guarded = false;  // an end is pinned memory, which check mode may keep from host code

    size_t destination_bytes() const { return (height - 1) * destination_pitch + width; }
    size_t source_bytes() const { return (height - 1) * source_pitch + width; }
    void run() const;
};

Copy rows(void* dst, size_t dpitch, const void* src, size_t spitch, size_t width, size_t height);
Copy one_row(void* dst, const void* src, size_t count);

enum class Side { host, device, either };

struct Sides {
    Side destination = Side::either, source = Side::either;
};

// A copy whose ends were found.
struct FoundCopy {
    Copy asked;                // with the caller's addresses
    Copy data;                 // where the data are
    Held held;                 // the blocks of both ends
    bool is_ordinary = false;  // an end is memory of the caller's own, which has no block
    HostUser user;             // whose that is

    Failure run_now() const;
};

Failure check_addresses(const void* dst, const void* src);
Failure check_count(size_t count, size_t most, const char* most_name);

Failure find_copy(const Copy& copy, const Sides& sides, const Lock& lock, FoundCopy* found);
Failure run_copy(const FoundCopy& copy);
// `function` is named if the copy fails in its stream.
Failure queue_copy(const char* function, FoundCopy copy, aclrtStream stream);

}  // namespace acltwin
