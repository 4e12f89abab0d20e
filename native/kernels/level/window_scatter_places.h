// Where gradients go: a vector of indices at a time becomes places among cells or sums, and is tested on the way.
#pragma once

#include "kernels/level/window_scatter_meetings.h"
#include "kernels/level/window_scatter_rows.h"

namespace acltwin::ACLTWIN_LEVEL {

constexpr int64_t kPiece = 256;  // gradients of a row of windows that are handled at a time
constexpr uint32_t kElsewhere = UINT32_MAX;

// Whose places are looked for.
enum class Places {
    cells,   // in the result
    ring,    // sums in a ring of slices
    bands,   // in a ring of slices that have fewer rows than those of the result
    border,  // sums, if there are others that belong to another box
};

// What a row of windows reaches, in numbers of cells: `rows` of them in each of so many `slices`. The places of their
// sums, from that of the first on, are `shift` closer from slice to slice, and begin anew after `ring`.
struct Reach {
    uint32_t first, slices, rows;
    uint32_t slice;  // from one to the next
    uint32_t place, shift, ring;
    uint32_t pitch;                                        // elements from place to place
    uint32_t own_first, own_cells, own_slice, own_slices;  // of this box: cells of every slice, and slices
};

// The places of n indices, which are a vector at least, and their channels. False if one is out of reach.
template <Places kPlaces, int kSlices, class I>
ACLTWIN_NOINLINE bool find_places(const Reach& reach, const I* indices, int64_t ahead, const uint32_t* channels,
                                  int64_t n, uint32_t* places) {
    const Reach r = reach;
    const uint32_t slices = kSlices > 0 ? kSlices : r.slices;
    Int outside = {};
    Long seen = {};
    const auto find = [&](int64_t i) {
        __builtin_prefetch(indices + i + ahead);
        const Word cell = load_indices(indices + i, seen) - r.first;
        Word in_slice = cell, before = {};  // minus the number of slices
        for (uint32_t z = 1; z < slices; ++z) {
            in_slice = smaller(in_slice, in_slice - r.slice);
            if (kPlaces >= Places::bands) before += bit_cast<Word>(bit_cast<Int>(cell) >= int32_t(z * r.slice));
        }
        outside |= in_slice >= r.rows;
        Word place = cell;
        if (kPlaces >= Places::bands) place += before * r.shift;
        if (kPlaces >= Places::ring) {
            place += r.place;
            place = smaller(place, place - r.ring);
        }
        place = place * r.pitch + load_as<Word>(channels + i);
        if (kPlaces == Places::border) {
            const Int own = (in_slice - r.own_first < r.own_cells) & (-before - r.own_slice < r.own_slices);
            place = own ? place : Word{} + kElsewhere;
        }
        memcpy(places + i, &place, sizeof place);
    };
    int64_t i = 0;
    for (; i + kLanes <= n; i += kLanes) find(i);
    if (i < n) find(n - kLanes);
    return !any_lane(outside | bit_cast<Int>(seen >> 32 != 0));
}

template <Places kPlaces, class I>
bool find_places(const Reach& reach, const I* indices, int64_t ahead, const uint32_t* channels, int64_t n,
                 uint32_t* places) {
    switch (reach.slices) {
        case 1: return find_places<kPlaces, 1>(reach, indices, ahead, channels, n, places);
        case 2: return find_places<kPlaces, 2>(reach, indices, ahead, channels, n, places);
        case 3: return find_places<kPlaces, 3>(reach, indices, ahead, channels, n, places);
        default: return find_places<kPlaces, 0>(reach, indices, ahead, channels, n, places);
    }
}
template <class I>
bool find_places(Places kind, const Reach& reach, const I* indices, int64_t ahead, const uint32_t* channels, int64_t n,
                 uint32_t* places) {
    switch (kind) {
        case Places::cells: return find_places<Places::cells>(reach, indices, ahead, channels, n, places);
        case Places::ring: return find_places<Places::ring>(reach, indices, ahead, channels, n, places);
        case Places::bands: return find_places<Places::bands>(reach, indices, ahead, channels, n, places);
        default: return find_places<Places::border, 0>(reach, indices, ahead, channels, n, places);
    }
}

// The same for a piece that may be shorter than a vector.
template <class I>
ACLTWIN_INLINE bool find_piece(Places kind, const Reach& reach, const I* indices, int64_t ahead,
                               const uint32_t* channels, int64_t n, uint32_t* places) {
    I few[kLanes];
    if (n < kLanes) {  // the rest of the vector is as the last one
        copy_once(indices, n, few);
        for (int64_t i = n; i < kLanes; ++i) few[i] = few[n - 1];
        indices = few;
    }
    return find_places(kind, reach, indices, ahead, channels, max64(n, kLanes), places);
}

// Calls put(i) for i < n, some in a row.
template <class Put>
ACLTWIN_INLINE void each(int64_t n, const Put& put) {
    constexpr int kUnroll = 8;
    int64_t i = 0;
    for (; i + kUnroll <= n; i += kUnroll)
        for (int k = 0; k < kUnroll; ++k) put(i + k);
    for (; i < n; ++i) put(i);
}

template <class Value>
ACLTWIN_NOINLINE void add_values(const uint32_t* places, const Value* values, int64_t n, Value* sums) {
    each(n, [=](int64_t i) { add_to(sums + places[i], values + i); });
}

// Into zeros, of 16 bits. False if gradients meet too often, or one is a NaN.
template <class T>
ACLTWIN_NOINLINE bool store_values(const uint32_t* places, const T* values, int64_t n, T* cells,
                                   Meetings<T>& meetings) {
    constexpr int kShorts = 2 * kLanes;
    alignas(64) T sums[kPiece];  // with +0: -0 becomes +0
    Shorts nan = {};
    for (int64_t i = 0; i < n; i += kShorts) {
        T rest[kShorts] = {};
        if (i + kShorts > n) memcpy(rest, values + i, size_t(n - i) * sizeof(T));
        Shorts bits = load_as<Shorts>(i + kShorts > n ? rest : values + i);
        const Shorts magnitude = bits & 0x7fff;
        nan |= bit_cast<Shorts>(magnitude > kInfinity<T>);
        bits &= bit_cast<Shorts>(magnitude != 0);
        memcpy(sums + i, &bits, sizeof bits);
    }
    bool good = !any_lane(bit_cast<Int>(nan) != 0);
    each(n, [=, &sums, &meetings, &good](int64_t i) {
        T* const cell = cells + places[i];
        if (__builtin_expect(cell->bits != 0, false))
            good = good && meetings.add(cell, sums[i]);
        else
            *cell = sums[i];
    });
    return good;
}

}  // namespace acltwin::ACLTWIN_LEVEL
