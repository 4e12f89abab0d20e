#include "kernels/level/scatter_copy.h"

#include <type_traits>

#include "kernels/level/scatter_copy_band.h"
#include "kernels/level/scatter_copy_batch.h"

namespace acltwin::ACLTWIN_LEVEL {
namespace {

// Elements whose cells are all in the band.
template <class E, class I>
ACLTWIN_INLINE void put_batch(Band<E>& band, const Batches<E, I>& batch, int64_t n, int64_t lanes) {
    const int64_t origin = band.origin();
    if (lanes == 1) {
        for (int64_t i = 0; i < n; ++i) band.put(int64_t(batch.indices[i]) + origin, batch.values[i]);
        return;
    }
    for (int64_t i = 0, lane = batch.first_lane; i < n; ++i) {
        band.put(int64_t(batch.indices[i]) * lanes + lane + origin, batch.values[i]);
        if (++lane == lanes) lane = 0;
    }
}

// Elements whose cells may be finished already, or belong to another part.
template <class E, class I>
void put_stray_batch(Band<E>& band, const Batches<E, I>& batch, int64_t n, int64_t lanes, const Part& part) {
    for (int64_t i = 0, lane = batch.first_lane; i < n; ++i) {
        const int64_t index = batch.indices[i], at = index * lanes + lane + band.origin();
        if (++lane == lanes) lane = 0;
        if (index < part.first || index >= part.end) continue;
        if (at < band.done())
            band.put_finished(at, batch.values[i]);
        else
            band.put(at, batch.values[i]);
    }
}

template <class E, class I>
bool copy_part(const ScatterCopyPlanes& p, Band<E>& band, Batches<E, I>& batches, const Part& part) {
    for (int64_t n; (n = batches.next()) > 0;) {
        const IndexRange range = range_of(batches.indices, n);
        if (range.low < 0 || range.high >= p.plane) return false;
        if (range.high < part.first || range.low >= part.end) continue;
        band.reach((min64(range.high + 1, part.end)) * p.lanes + band.origin());
        const bool in_part = range.low >= part.first && range.high < part.end;
        const bool in_band = p.ring_elements == 0 || range.low * p.lanes + band.origin() >= band.done();
        if (in_part && in_band) {
            put_batch(band, batches, n, p.lanes);
        } else {
            stream_fence();
            put_stray_batch(band, batches, n, p.lanes, part);
        }
    }
    band.close();
    return true;
}

}  // namespace

bool scatter_copy_dense(const ScatterCopyPlanes& p, const void* source, const void* indices, void* result, void* ring,
                        int64_t first, int64_t last) {
    return with_types(p, source, indices, result, [&](const auto* from, const auto* where, auto* to) {
        Band<std::remove_pointer_t<decltype(to)>> band(ring, p.ring_elements);
        const bool good = each_part(p, from, where, to, first, last, [&](auto& batches, auto* block, Part part) {
            band.open(block, part.first * p.lanes, part.end * p.lanes);
            return copy_part(p, band, batches, part);
        });
        stream_fence();
        return good;
    });
}

}  // namespace acltwin::ACLTWIN_LEVEL
