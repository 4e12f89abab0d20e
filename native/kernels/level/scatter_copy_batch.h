// The source's elements and their indices, a batch at a time: elements in place if they are one run of memory, else
// packed. Indices are always a copy: they are checked first and used then, and nobody may change them in between.
#pragma once

#include "kernels/level/scatter_copy.h"
#include "kernels/loops/types.h"

namespace acltwin::ACLTWIN_LEVEL {

template <class E, class I>
class Batches {
public:
    Batches(const ScatterCopyPlanes& p, const E* source, const I* indices)
        : p_(p), source_(source), indices_(indices), walk_(p.cells, 0) {}

    // The next elements; 0 if there are none left.
    int64_t next() {
        const int64_t n = min64(ScatterCopyPlanes::kMostBatch, p_.elements - done_);
        if (p_.dense) {
            values = source_ + done_;
            copy_once(indices_ + done_, n, indices);
        } else {
            pack(n);
        }
        first_lane = done_ % p_.lanes;
        done_ += n;
        return n;
    }

    const E* values = nullptr;
    I indices[ScatterCopyPlanes::kMostBatch];
    int64_t first_lane = 0;  // of the first element

private:
    void pack(int64_t n) {
        for (int64_t i = 0, run; i < n; i += run, walk_.advance(run)) {
            run = min64(n - i, walk_.left());
            const E* source = source_ + walk_.offset(0);
            const I* where = indices_ + walk_.offset(1);
            for (int64_t k = 0; k < run; ++k) {
                packed_values_[i + k] = source[k * p_.cells.step[0][3]];
                indices[i + k] = read_once(where + k * p_.cells.step[1][3]);
            }
        }
        values = packed_values_;
    }

    const ScatterCopyPlanes& p_;
    const E* source_;
    const I* indices_;
    Walk<4, 2> walk_;
    int64_t done_ = 0;
    E packed_values_[ScatterCopyPlanes::kMostBatch];
};

// A part of a block: its cells [first, end).
struct Part {
    int64_t first, end;
};

// Calls body(batches, block of the result, part) for tasks first to last - 1, until it returns false.
template <class E, class I, class Body>
ACLTWIN_INLINE bool each_part(const ScatterCopyPlanes& p, const E* source, const I* indices, E* result, int64_t first,
                              int64_t last, const Body& body) {
    const int64_t parts = p.blocks.extent[2], cells = p.plane / parts;
    Walk<3, 3> walk(p.blocks, first);
    for (; first < last; ++first, walk.advance()) {
        Batches<E, I> batches(p, source + walk.offset(0), indices + walk.offset(1));
        const int64_t part = walk.at(2), end = part == parts - 1 ? p.plane : (part + 1) * cells;
        if (!body(batches, result + walk.offset(2), Part{part * cells, end})) return false;
    }
    return true;
}

struct IndexRange {
    int64_t low, high;
};

template <class I>
ACLTWIN_INLINE IndexRange range_of(const I* indices, int64_t n) {
    I low = indices[0], high = indices[0];
    for (int64_t i = 1; i < n; ++i) {
        low = indices[i] < low ? indices[i] : low;
        high = indices[i] > high ? indices[i] : high;
    }
    return {low, high};
}

// Calls body with pointers of the plan's types.
template <class Body>
ACLTWIN_INLINE bool with_types(const ScatterCopyPlanes& p, const void* source, const void* indices, void* result,
                               const Body& body) {
    return with_element_size(p.element_size, [&](auto element) {
        return with_index_type(p.index_dtype, [&](auto index) {
            typedef decltype(element) E;
            return body(static_cast<const E*>(source), static_cast<const decltype(index)*>(indices),
                        static_cast<E*>(result));
        });
    });
}

}  // namespace acltwin::ACLTWIN_LEVEL
