// The source's elements and their indices, a batch at a time: rows in place if they are runs of memory, else packed.
#pragma once

#include "kernels/level/source.h"
#include "kernels/level/types.h"
#include "kernels/scatter_copy_task.h"

namespace acltwin::ACLTWIN_LEVEL {

// A part of a block: its cells [begin, end), its own share of the elements, and those among which it looks for what
// goes into its cells.
struct Part {
    int64_t begin, end;
    int64_t first_own, end_own;
    int64_t first_element, end_element;

    ACLTWIN_INLINE bool has(int64_t cell) const { return cell >= begin && cell < end; }
    ACLTWIN_INLINE bool owns(int64_t element) const { return element >= first_own && element < end_own; }
    ACLTWIN_INLINE bool reads(int64_t element) const { return element >= first_element && element < end_element; }
};

// A plane and its elements are cut at the same share.
ACLTWIN_INLINE Part part_of(const ScatterCopyPlanes& p, int64_t part) {
    const int64_t parts = p.blocks.extent[2];
    if (parts == 1) return {0, p.plane, 0, p.elements, 0, p.elements};
    const int64_t cells = p.plane / parts, elements = p.elements / parts;
    const bool last = part == parts - 1;
    const int64_t first_own = part * elements, end_own = last ? p.elements : first_own + elements;
    return {part * cells,
            last ? p.plane : (part + 1) * cells,
            first_own,
            end_own,
            max64(0, first_own - p.elements_around),
            p.elements - end_own > p.elements_around ? end_own + p.elements_around : p.elements};
}
ACLTWIN_INLINE Part part_at(const ScatterCopyPlanes& p, int64_t cell) {
    const int64_t parts = p.blocks.extent[2];
    return part_of(p, min64(parts - 1, cell / (p.plane / parts)));
}

template <class E, class I>
struct Batch {
    const E* values;
    const I* indices;
    int64_t first, count;  // the number of the first element in its block, and how many there are
};

template <class E, class I>
class Batches {
public:
    Batches(const ScatterCopyPlanes& p, const E* source, const I* indices, const Part& part)
        : p_(p), source_(source), indices_(indices), end_(part.end_element), walk_(p.cells, part.first_element) {
        batch.first = part.first_element;
    }

    // Makes the next elements the batch; false if there are none left.
    bool next() {
        batch.first += batch.count;
        const int64_t left = end_ - batch.first;
        if (in_place_) {
            batch = {source_ + walk_.offset(0), indices_ + walk_.offset(1), batch.first, min64(left, walk_.left())};
            if (batch.count < left) walk_.advance(batch.count);
        } else {
            batch.count = min64(left, ScatterCopyPlanes::kMostBatch);
            pack(batch.count);
        }
        return batch.count > 0;
    }

    Batch<E, I> batch = {};

private:
    void pack(int64_t n) {
        for (int64_t i = 0, run; i < n; i += run, walk_.advance(run)) {
            run = min64(n - i, walk_.left());
            const E* source = source_ + walk_.offset(0);
            const I* where = indices_ + walk_.offset(1);
            copy_elements(run, 1, source, {p_.cells.step[0][3], 0}, packed_values_ + i, {1, 0}, as_it_is<E>);
            copy_elements(run, 1, where, {p_.cells.step[1][3], 0}, packed_indices_ + i, {1, 0}, as_it_is<I>);
        }
        batch.values = packed_values_;
        batch.indices = packed_indices_;
    }

    const ScatterCopyPlanes& p_;
    const E* source_;
    const I* indices_;
    const bool in_place_ = p_.cells.step[0][3] == 1 && p_.cells.step[1][3] == 1 &&
                           (p_.cells.extent[3] >= ScatterCopyPlanes::kLongRow || p_.cells.extent[3] == p_.elements);
    int64_t end_;
    Walk<4, 2> walk_;
    E packed_values_[ScatterCopyPlanes::kMostBatch];
    I packed_indices_[ScatterCopyPlanes::kMostBatch];
};

// Calls body(batches, block of the result, part) for tasks first to last - 1, until it returns false.
template <class E, class I, class Body>
ACLTWIN_INLINE bool each_part(const ScatterCopyPlanes& p, const E* source, const I* indices, E* result, int64_t first,
                              int64_t last, const Body& body) {
    Walk<3, 3> walk(p.blocks, first);
    for (; first < last; ++first, walk.advance()) {
        const Part part = part_of(p, walk.at(2));
        Batches<E, I> batches(p, source + walk.offset(0), indices + walk.offset(1), part);
        if (!body(batches, result + walk.offset(2), part)) return false;
    }
    return true;
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
