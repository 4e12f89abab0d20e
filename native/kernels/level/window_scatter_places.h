// Where gradients go: a vector of indices at a time becomes places among cells or sums, and is tested on the way.
#pragma once

#include "kernels/level/window_scatter_rows.h"

namespace acltwin::ACLTWIN_LEVEL {

constexpr int64_t kPiece = 256;  // gradients of a row of windows that are handled at a time
constexpr uint32_t kElsewhere = UINT32_MAX;

// Whose places are looked for.
enum class Places {
    cells,    // in the result
    windows,  // the same, if windows do not overlap: of cells in the index's own window
    ring,     // sums in a ring of slices
    bands,    // in a ring of slices that have fewer rows than those of the result
    border,   // sums, if there are others that belong to another box
};

// What a row of windows reaches, in numbers of cells: `rows` of them in each of so many `slices`. The places of their
// sums, from that of the first on, are `shift` closer from slice to slice, and begin anew after `ring`.
struct Reach {
    uint32_t first, slices, rows;
    uint32_t slice, row;              // from one to the next
    uint32_t window = 0, column = 0;  // width of a window, and where the first one of a piece begins
    uint32_t place, shift, ring;
    uint32_t pitch;                                        // elements from place to place
    uint32_t own_first, own_cells, own_slice, own_slices;  // of this box: cells of every slice, and slices
};

// What to add for each gradient of a piece: its channel, and where its window begins after the piece's first one.
struct Offsets {
    alignas(64) uint32_t channel[kPiece], window[kPiece];
};

// The places of n indices, which are a vector at least. False if one is out of reach.
template <Places kPlaces, int kSlices, class I>
ACLTWIN_NOINLINE bool find_places(const Reach& reach, const I* indices, int64_t ahead, const Offsets& offsets,
                                  int64_t n, uint32_t* places) {
    const Reach r = reach;
    const uint32_t slices = kSlices > 0 ? kSlices : r.slices;
    Int outside = {};
    Long seen = {};
    const auto find = [&](int64_t i) {
        __builtin_prefetch(indices + i + ahead);
        const Word cell = load_indices(indices + i, seen) - r.first;
        Word in_slice = cell, before = {};  // minus the number of slices
        if (kPlaces == Places::windows) in_slice -= load_as<Word>(offsets.window + i) + r.column;
        for (uint32_t z = 1; z < slices; ++z) {
            in_slice = smaller(in_slice, in_slice - r.slice);
            if (kPlaces >= Places::bands) before += bit_cast<Word>(bit_cast<Int>(cell) >= int32_t(z * r.slice));
        }
        if (kPlaces == Places::windows) {
            for (uint32_t row = r.row; row < r.rows; row += r.row) in_slice = smaller(in_slice, in_slice - r.row);
            outside |= in_slice >= r.window;
        } else {
            outside |= in_slice >= r.rows;
        }
        Word place = cell;
        if (kPlaces >= Places::bands) place += before * r.shift;
        if (kPlaces >= Places::ring) {
            place += r.place;
            place = smaller(place, place - r.ring);
        }
        place = place * r.pitch + load_as<Word>(offsets.channel + i);
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
bool find_places(const Reach& reach, const I* indices, int64_t ahead, const Offsets& offsets, int64_t n,
                 uint32_t* places) {
    switch (reach.slices) {
        case 1: return find_places<kPlaces, 1>(reach, indices, ahead, offsets, n, places);
        case 2: return find_places<kPlaces, 2>(reach, indices, ahead, offsets, n, places);
        case 3: return find_places<kPlaces, 3>(reach, indices, ahead, offsets, n, places);
        default: return find_places<kPlaces, 0>(reach, indices, ahead, offsets, n, places);
    }
}
template <class I>
bool find_places(Places kind, const Reach& reach, const I* indices, int64_t ahead, const Offsets& offsets, int64_t n,
                 uint32_t* places) {
    switch (kind) {
        case Places::cells: return find_places<Places::cells>(reach, indices, ahead, offsets, n, places);
        case Places::windows: return find_places<Places::windows>(reach, indices, ahead, offsets, n, places);
        case Places::ring: return find_places<Places::ring>(reach, indices, ahead, offsets, n, places);
        case Places::bands: return find_places<Places::bands>(reach, indices, ahead, offsets, n, places);
        default: return find_places<Places::border, 0>(reach, indices, ahead, offsets, n, places);
    }
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

// What adding a 16-bit gradient to +0 and rounding gives: -0 becomes +0, a signalling NaN quiet.
template <class T>
ACLTWIN_NOINLINE void put_values(const uint32_t* places, const T* values, int64_t n, T* cells) {
    constexpr int kShorts = 2 * kLanes;
    constexpr uint16_t infinity = std::is_same_v<T, Half> ? 0x7c00 : 0x7f80,
                       quiet = std::is_same_v<T, Half> ? 0x200 : 0x40;
    alignas(64) T sums[kPiece];
    const auto add_zero = [&](const T* from, T* to) {
        Shorts bits = load_as<Shorts>(from);
        const Shorts magnitude = bits & 0x7fff;
        bits |= bit_cast<Shorts>(magnitude > infinity) & quiet;
        bits &= bit_cast<Shorts>(magnitude != 0);
        memcpy(to, &bits, sizeof bits);
    };
    int64_t i = 0;
    for (; i + kShorts <= n; i += kShorts) add_zero(values + i, sums + i);
    if (i < n) {
        T rest[kShorts] = {};
        memcpy(rest, values + i, size_t(n - i) * sizeof(T));
        add_zero(rest, rest);
        memcpy(sums + i, rest, size_t(n - i) * sizeof(T));
    }
    each(n, [=, &sums](int64_t k) { cells[places[k]] = sums[k]; });
}

}  // namespace acltwin::ACLTWIN_LEVEL
