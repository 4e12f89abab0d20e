// The source's elements and their indices, a batch at a time: elements in place if they are one run of memory, else
// packed. Indices are always a copy: they are checked first and used then, and nobody may change them in between.
#pragma once

#include "kernels/level/scatter_copy.h"
#include "kernels/level/types.h"

namespace acltwin::ACLTWIN_LEVEL {

template <class E, class I>
class Batches {
public:
    Batches(const ScatterCopyPlanes& p, const E* source, const I* indices)
        : p_(p), source_(source), indices_(indices) {}

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
        const int64_t last = p_.source_dims[3];
        for (int64_t i = 0; i < n;) {
            const int64_t run = min64(n - i, last - at_[3]);
            for (int64_t k = 0; k < run; ++k) {
                packed_values_[i + k] = source_[offset(p_.source_strides) + k * p_.source_strides[3]];
                indices[i + k] = read_once(indices_ + offset(p_.index_strides) + k * p_.index_strides[3]);
            }
            i += run;
            at_[3] += run;
            for (int axis = 3; axis > 0 && at_[axis] == p_.source_dims[axis]; --axis) {
                at_[axis] = 0;
                ++at_[axis - 1];
            }
        }
        values = packed_values_;
    }

    int64_t offset(const int64_t (&strides)[4]) const {
        return at_[0] * strides[0] + at_[1] * strides[1] + at_[2] * strides[2] + at_[3] * strides[3];
    }

    const ScatterCopyPlanes& p_;
    const E* source_;
    const I* indices_;
    int64_t done_ = 0, at_[4] = {};
    E packed_values_[ScatterCopyPlanes::kMostBatch];
};

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

// Calls body(E(), I()) for the plan's element size and index type.
template <class Body>
ACLTWIN_INLINE bool with_types(const ScatterCopyPlanes& p, const Body& body) {
    return with_element_size(p.element_size, [&](auto element) {
        return with_index_type(p.index_dtype, [&](auto index) { return body(element, index); });
    });
}

}  // namespace acltwin::ACLTWIN_LEVEL
