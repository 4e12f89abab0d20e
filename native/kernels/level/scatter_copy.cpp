#include "kernels/level/scatter_copy.h"

#include <type_traits>

#include "kernels/level/scatter_copy_batch.h"
#include "kernels/loops/indices.h"

namespace acltwin::ACLTWIN_LEVEL {
namespace {

// Cells whose elements can be written at once, and the place of the first one's first element.
template <class E>
struct OpenCells {
    int64_t begin, count;
    E* place;
};

// Puts elements until one does not go there; returns how many. A function of its own: the loop needs the registers.
template <class E, class I>
ACLTWIN_NOINLINE int64_t put_run(const I* indices, const E* values, int64_t n, const OpenCells<E>& open) {
    E* const place = open.place;
    return each_index<8>(indices, 1, n, uint64_t(open.begin), uint64_t(open.count),
                         [=](int64_t i, uint64_t cell) { place[cell] = values[i]; });
}
template <class E, class I>
ACLTWIN_NOINLINE int64_t put_lanes(const I* indices, const E* values, int64_t n, const OpenCells<E>& open,
                                   int64_t lanes, int64_t lane) {
    E* const place = open.place;
    return each_index<8>(indices, 1, n, uint64_t(open.begin), uint64_t(open.count),
                         [=, &lane](int64_t i, uint64_t cell) {
                             place[cell * uint64_t(lanes) + uint64_t(lane)] = values[i];
                             lane = lane + 1 < lanes ? lane + 1 : 0;
                         });
}

// The elements of one part of a block on their way to its cells, which are zeroed before they are needed, as many as
// the second-level cache holds.
template <class E>
class PartCopy {
    static constexpr int64_t kFew = 8, kMany = 256;
    static constexpr int64_t kZeroAhead = 262144 / int64_t(sizeof(E));

public:
    PartCopy(const ScatterCopyPlanes& p, const Part& part, E* block)
        : p_(p), part_(part), block_(block), open_{part.begin, 0, block + part.begin * p.lanes} {}

    // False if an element's cell is outside the plane, or in a part that does not read this element.
    template <class I>
    bool put(const Batch<E, I>& batch) {
        for (int64_t i = 0; i < batch.count;) {
            i += put_open(batch.indices + i, batch.values + i, batch.first + i, batch.count - i);
            const int64_t n = min64(slowly_, batch.count - i);
            if (n > 0 && !put_any(batch.indices + i, batch.values + i, batch.first + i, n)) return false;
            i += n;
        }
        return true;
    }

    // Opens the cells up to `end`.
    void reach(int64_t end) {
        const int64_t zeroed = open_.begin + open_.count;
        if (end <= zeroed) return;
        memset(block_ + zeroed * p_.lanes, 0, size_t((end - zeroed) * p_.lanes) * sizeof(E));
        open_.count = end - open_.begin;
    }

private:
    template <class I>
    int64_t put_open(const I* indices, const E* values, int64_t first, int64_t n) {
        return p_.lanes > 1 ? put_lanes(indices, values, n, open_, p_.lanes, lane_of(first))
                            : put_run(indices, values, n, open_);
    }

    // Any cells, at most kMany of them: opens as many as they need, and more. First a list of those in this part,
    // without branches that nobody can predict.
    template <class I>
    ACLTWIN_NOINLINE bool put_any(const I* indices, const E* values, int64_t first, int64_t n) {
        const bool reads_all = p_.elements_around >= p_.elements;
        int64_t numbers[kMany], kept = 0, reached = 0;
        E kept_values[kMany];
        for (int64_t k = 0; k < n; ++k) {
            const int64_t cell = read_once(indices + k);
            if (cell < 0 || cell >= p_.plane) return false;
            const bool here = part_.has(cell);
            if (!reads_all && !here && part_.owns(first + k) && !part_at(p_, cell).reads(first + k)) return false;
            numbers[kept] = cell * p_.lanes + lane_of(first + k);
            kept_values[kept] = values[k];
            kept += here;
            reached = max64(reached, here ? cell + 1 : 0);
        }
        const int64_t zeroed = open_.begin + open_.count;
        if (reached > zeroed) reach(min64(part_.end, max64(reached, zeroed + kZeroAhead / p_.lanes)));
        for (int64_t k = 0; k < kept; ++k) block_[numbers[k]] = kept_values[k];
        slowly_ = kept < n ? kMany : kFew;  // more of them are to be expected
        return true;
    }

    int64_t lane_of(int64_t element) const { return p_.lanes > 1 ? element % p_.lanes : 0; }  // a division takes long

    const ScatterCopyPlanes& p_;
    const Part part_;
    E* const block_;
    OpenCells<E> open_;
    int64_t slowly_ = kFew;  // elements that are put one by one before it tries the quick way again
};

}  // namespace

bool scatter_copy_dense(const ScatterCopyPlanes& p, const void* source, const void* indices, void* result,
                        int64_t first, int64_t last) {
    return with_types(p, source, indices, result, [&](const auto* from, const auto* where, auto* to) {
        return each_part(p, from, where, to, first, last, [&](auto& batches, auto* block, Part part) {
            PartCopy<std::remove_pointer_t<decltype(block)>> copy(p, part, block);
            while (batches.next())
                if (!copy.put(batches.batch)) return false;
            copy.reach(part.end);
            return true;
        });
    });
}

}  // namespace acltwin::ACLTWIN_LEVEL
