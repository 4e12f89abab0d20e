// Finds positions, a vector of cells at a time.
#pragma once

#include "kernels/level/simd.h"
#include "kernels/positions.h"

namespace acltwin::ACLTWIN_LEVEL {

// As many columns, and places rounded to float32, as a vector of places has lanes.
template <class S>
struct PlaceVectors {
    typedef Int Columns;
    typedef Float Floats;
};
template <>
struct PlaceVectors<double> {
    typedef int32_t Columns __attribute__((vector_size(kLanes * 2)));
    typedef float Floats __attribute__((vector_size(kLanes * 2)));
};

// column[i] is what cell first + i shows, and part[i], unless it is null, how far it lies from there, 0 to 1 before the
// last column. Whole vectors are written.
template <class S, bool kFused>
ACLTWIN_NOINLINE void find_positions(const Positions& p, int64_t first, int64_t n, int32_t* column, S* part) {
    typedef typename Sum<S>::Vector V;
    constexpr int kLanes = kLanesOf<S>;
    typedef typename PlaceVectors<S>::Columns Columns;
    const S step = S(p.step), half = S(p.half), shift = S(p.shift);
    const Columns last = Columns{} + int32_t(p.last);
    Columns number = {};
    for (int k = 0; k < kLanes; ++k) number[k] = int32_t(first) + k;
    for (int64_t i = 0; i < n; i += kLanes, number += kLanes) {
        const V centre = __builtin_convertvector(number, V) + half;
        V place;
        if constexpr (kFused)
            place = multiply_add(V{} + step, centre, V{} + shift);
        else
            place = centre * step + shift;
        place = larger(place, V{});
        const auto value = __builtin_convertvector(place, typename PlaceVectors<S>::Floats);
        Columns at = __builtin_convertvector(value, Columns);
        at = at < last ? at : last;
        memcpy(column + i, &at, sizeof at);
        if (part == nullptr) continue;
        V rest = place - __builtin_convertvector(at, V);
        if constexpr (sizeof(S) == 8) rest = rest > 1 ? V{} + 1 : larger(rest, V{});  // rounded to float32, and beyond
        store(part + i, rest);
    }
}
template <class S>
void find_positions(const Positions& p, int64_t first, int64_t n, int32_t* column, S* part) {
    (p.fused ? find_positions<S, true> : find_positions<S, false>)(p, first, n, column, part);
}

}  // namespace acltwin::ACLTWIN_LEVEL
