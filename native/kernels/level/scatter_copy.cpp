#include <type_traits>

#include "kernels/level/indices.h"
#include "kernels/level/scatter_copy_band.h"
#include "kernels/level/scatter_copy_batch.h"
#include "kernels/scatter_copy_task.h"

namespace acltwin::ACLTWIN_LEVEL {
namespace {

// Cells whose elements can be written at once, of all planes, and where they are.
template <class E>
struct OpenCells {
    int64_t begin, count;
    E* place;          // of the elements of the first cell; with a ring the place of element 0
    int64_t at, mask;  // with a ring: the number of the first cell's first element
};

// Puts elements until one does not go there; returns how many. A function of its own: the loop needs the registers.
template <bool kRing, class E, class I>
ACLTWIN_NOINLINE int64_t put_run(const I* indices, const E* values, int64_t n, const OpenCells<E>& open) {
    E* const place = open.place;
    const uint64_t at = uint64_t(open.at), mask = uint64_t(open.mask);
    return each_index<8>(indices, 1, n, uint64_t(open.begin), uint64_t(open.count),
                         [=](int64_t i, uint64_t cell) { place[kRing ? (cell + at) & mask : cell] = values[i]; });
}
template <class E, class I>
ACLTWIN_NOINLINE int64_t put_planes(const I* indices, const E* values, int64_t n, const OpenCells<E>& open,
                                    int64_t planes, int64_t plane) {
    E* const place = open.place;
    const uint64_t at = uint64_t(open.at), mask = uint64_t(open.mask);
    return each_index<8>(indices, 1, n, uint64_t(open.begin), uint64_t(open.count),
                         [=, &plane](int64_t i, uint64_t cell) {
                             place[(cell * uint64_t(planes) + uint64_t(plane) + at) & mask] = values[i];
                             plane = plane + 1 < planes ? plane + 1 : 0;
                         });
}

// The elements of one part of a block on their way into the band.
template <class E>
class PartCopy {
    static constexpr int64_t kFew = 8, kMany = 256;

public:
    PartCopy(const ScatterCopyPlanes& p, const Part& part, Band<E>& band) : p_(p), part_(part), band_(band) { look(); }

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

private:
    template <class I>
    int64_t put_open(const I* indices, const E* values, int64_t first, int64_t n) {
        if (p_.planes_together > 1) return put_planes(indices, values, n, open_, p_.planes_together, plane_of(first));
        return p_.ring_elements > 0 ? put_run<true>(indices, values, n, open_)
                                    : put_run<false>(indices, values, n, open_);
    }

    // Any cells, at most kMany of them: opens the band as far as they need it. First a list of those in this part,
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
            numbers[kept] = cell * p_.planes_together + plane_of(first + k) + band_.origin();
            kept_values[kept] = values[k];
            kept += here;
            reached = max64(reached, here ? cell + 1 : 0);
        }
        const bool late = kept > 0 && put_list(numbers, kept_values, kept, reached);
        slowly_ = late || kept < n ? kMany : kFew;  // more of them are to be expected
        return true;
    }

    // True if some of them came too late for the band.
    bool put_list(const int64_t* numbers, const E* values, int64_t n, int64_t end_cell) {
        if (band_.reach(end_cell * p_.planes_together + band_.origin())) look();
        int64_t first = numbers[0];
        for (int64_t k = 1; k < n; ++k) first = min64(first, numbers[k]);
        const bool late = first < band_.open_begin();
        if (late) band_.settle();
        for (int64_t k = 0; k < n; ++k) *band_.any_place(numbers[k]) = values[k];
        return late;
    }

    int64_t plane_of(int64_t element) const {
        return p_.planes_together > 1 ? element % p_.planes_together : 0;
    }  // a division takes long

    void look() {
        const bool apart = p_.planes_together == 1;
        const int64_t begin = band_.open_begin() - band_.origin(), end = band_.open_end() - band_.origin();
        open_.begin = apart ? begin : (begin + p_.planes_together - 1) / p_.planes_together;
        open_.count = max64(0, (apart ? end : end / p_.planes_together) - open_.begin);
        open_.at = open_.begin * p_.planes_together + band_.origin();
        open_.mask = band_.mask();
        open_.place = band_.place(apart && p_.ring_elements == 0 ? open_.at : 0);
    }

    const ScatterCopyPlanes& p_;
    const Part part_;
    Band<E>& band_;
    OpenCells<E> open_;
    int64_t slowly_ = kFew;  // elements that are put one by one before it tries the quick way again
};

}  // namespace

bool scatter_copy_dense(const ScatterCopyPlanes& p, const void* source, const void* indices, void* result, void* ring,
                        int64_t first, int64_t last) {
    return with_types(p, source, indices, result, [&](const auto* from, const auto* where, auto* to) {
        typedef std::remove_pointer_t<decltype(to)> E;
        Band<E> band(ring, p.ring_elements);
        const bool good = each_part(p, from, where, to, first, last, [&](auto& batches, auto* block, Part part) {
            band.open(block, part.begin * p.planes_together, part.end * p.planes_together);
            PartCopy<E> copy(p, part, band);
            while (batches.next())
                if (!copy.put(batches.batch)) return false;
            band.close();
            return true;
        });
        non_temporal_fence();
        return good;
    });
}

}  // namespace acltwin::ACLTWIN_LEVEL
