// The maximum of rows, column by column, and of columns, window by window: vectors of values beside vectors of indices.
//
// Rows come in the order of their indices, so in a column the first maximum is the one that a later one does not
// exceed. Columns do not: of two equal maxima the one with the smaller index wins, of two NaN the one with the larger
// index.
#pragma once

#include "kernels/level/simd.h"
#include "kernels/level/window_max.h"

namespace acltwin::ACLTWIN_LEVEL {

ACLTWIN_INLINE Int load(const int32_t* p) {
    Int v;
    memcpy(&v, p, sizeof v);
    return v;
}
ACLTWIN_INLINE void store(int32_t* p, Int v) { memcpy(p, &v, sizeof v); }

ACLTWIN_INLINE void store(int64_t* p, Int v) {
    typedef int32_t Half32 __attribute__((vector_size(kLanes * 2)));
    typedef int64_t Long __attribute__((vector_size(kLanes * 4)));
    Half32 halves[2];
    memcpy(halves, &v, sizeof v);
    for (int i = 0; i < 2; ++i) {
        const Long wide = __builtin_convertvector(halves[i], Long);
        memcpy(p + i * kLanes / 2, &wide, sizeof wide);
    }
}

struct Best {
    Float value;
    Int index;
};

ACLTWIN_INLINE Best choose(Int take, Best b, Best a) { return {take ? b.value : a.value, take ? b.index : a.index}; }

// Of a and a later row's b.
ACLTWIN_INLINE Best best_of_rows(Best a, Best b) { return choose((b.value > a.value) | (b.value != b.value), b, a); }

// Of a and b in any order.
template <bool kNaN>
ACLTWIN_INLINE Best best_of_columns(Best a, Best b) {
    Int take = (b.value > a.value) | ((b.value == a.value) & (b.index < a.index));
    if constexpr (kNaN) take |= (b.value != b.value) & ((a.value == a.value) | (b.index > a.index));
    return choose(take, b, a);
}

// ---- rows ----

// The rows of some neighbouring windows, in the order of their indices: `slices` times `rows` of them, at least one. A
// step that leads out of the plane may be any number: it is not taken.
template <class T>
struct WindowRows {
    const T* first;  // of the first row, its first column
    uint32_t index;  // of the same
    int64_t slices = 1, rows = 1;
    uint64_t slice_offset = 0, row_offset = 0;  // from one to the next: in elements
    uint32_t slice_index = 0, row_index = 0;    // and in cells

    void shift(int64_t elements, int64_t columns) {
        first += elements;
        index += uint32_t(columns);
    }
};

// Calls body(offset, index) for the rows, but for so many of the first ones: none or one.
template <class T, class Body>
ACLTWIN_INLINE void each_row(const WindowRows<T>& w, int64_t but, const Body& body) {
    uint64_t slice = 0;
    uint32_t slice_index = w.index;
    for (int64_t i = 0; i < w.slices; ++i, but = 0) {
        uint64_t row = slice + uint64_t(but) * w.row_offset;
        uint32_t index = slice_index + uint32_t(but) * w.row_index;
        for (int64_t j = but; j < w.rows; ++j, row += w.row_offset, index += w.row_index) body(int64_t(row), index);
        slice += w.slice_offset;
        slice_index += w.slice_index;
    }
}

template <int kCount>
struct Vectors {
    static constexpr int count = kCount;
};

// Covers n >= kLanes columns with calls of block(Vectors<k>(), first column). The last one starts further left instead
// of being shorter: columns may be covered twice.
template <class Block>
ACLTWIN_INLINE void each_block(int64_t n, const Block& block) {
    int64_t at = 0;
    for (; at + 4 * kLanes <= n; at += 4 * kLanes) block(Vectors<4>(), at);
    for (; at + 2 * kLanes <= n; at += 2 * kLanes) block(Vectors<2>(), at);
    for (; at < n; at += kLanes) block(Vectors<1>(), min64(at, n - kLanes));
}

// The maxima of columns, and their indices.
struct Maxima {
    float* values;
    int32_t* indices;
};

// Folds rows; `column` is what to add to a row's index. If these are not the windows' first rows, the maxima of the
// earlier ones are there already (folding a column twice changes nothing). Returns where the maximum is NaN.
template <int kVectors, class T, class Load>
ACLTWIN_INLINE Int fold_columns(const WindowRows<T>& rows, bool first_rows, const int32_t* column, int64_t at,
                                const Maxima& maxima, const Load& load_row) {
    float* const values = maxima.values + at;
    int32_t* const indices = maxima.indices + at;
    const T* const first = rows.first + at;
    const auto index_of = [](uint32_t index) { return Int{} + int32_t(index); };
    Best best[kVectors];
    for (int v = 0; v < kVectors; ++v) {
        const int64_t lane = v * kLanes;
        if (first_rows)
            best[v] = {load_row(first + lane), index_of(rows.index)};
        else
            best[v] = {load(values + lane), load(indices + lane) - load(column + at + lane)};
    }
    each_row(rows, first_rows ? 1 : 0, [&](int64_t offset, uint32_t index) {
        for (int v = 0; v < kVectors; ++v)
            best[v] = best_of_rows(best[v], {load_row(first + offset + v * kLanes), index_of(index)});
    });
    Int nan = {};
    for (int v = 0; v < kVectors * kLanes; v += kLanes) {
        nan |= best[v / kLanes].value != best[v / kLanes].value;
        store(values + v, best[v / kLanes].value);
        store(indices + v, best[v / kLanes].index + load(column + at + v));
    }
    return nan;
}

// n columns; touches up to a vector of the maxima past them. Returns whether some maximum is NaN.
template <class T>
bool fold_rows(const WindowRows<T>& rows, bool first_rows, const int32_t* column, int64_t n, const Maxima& maxima) {
    Int nan = {};
    if (n < kLanes) {
        nan = fold_columns<1>(rows, first_rows, column, 0, maxima, [&](const T* p) { return load_partial(p, n); });
        for (int64_t i = n; i < kLanes; ++i) nan[i] = 0;
    } else {
        each_block(n, [&](auto vectors, int64_t at) {
            nan |= fold_columns<decltype(vectors)::count>(rows, first_rows, column, at, maxima,
                                                          [](const T* p) { return load(p); });
        });
    }
    return any_lane(nan);
}

// ---- columns ----

// Where the maxima of a vector of neighbouring windows lie: each one right after the other, every second one, or at
// positions from a table.
struct NextColumns {
    ACLTWIN_INLINE Best operator()(const Maxima& m, int64_t at) const {
        return {load(m.values + at), load(m.indices + at)};
    }
};

struct SecondColumns {
    ACLTWIN_INLINE Best operator()(const Maxima& m, int64_t at) const {
        return {every_second<0>(load(m.values + 2 * at), load(m.values + 2 * at + kLanes)),
                every_second<0>(load(m.indices + 2 * at), load(m.indices + 2 * at + kLanes))};
    }
};

struct TableColumns {
    const int32_t* position;
    ACLTWIN_INLINE Best operator()(const Maxima& m, int64_t at) const { return pick(m, position + at, LanesOf<Int>()); }

private:
    template <int... kLane>
    static ACLTWIN_INLINE Best pick(const Maxima& m, const int32_t* at, std::integer_sequence<int, kLane...>) {
        return {Float{m.values[at[kLane]]...}, Int{m.indices[at[kLane]]...}};
    }
};

// n windows of `taps` columns, `step` elements apart. Touches up to a vector of the results past them.
template <bool kNaN, class Columns, class T, class I>
void fold_windows(const Maxima& maxima, const Columns& columns, int64_t n, int64_t taps, int64_t step, T* values,
                  I* indices) {
    for (int64_t at = 0; at < n; at += kLanes) {
        Best best = columns(maxima, at);
        Maxima next = maxima;
        for (int64_t tap = 1; tap < taps; ++tap) {
            next = {next.values + step, next.indices + step};
            best = best_of_columns<kNaN>(best, columns(next, at));
        }
        store(values + at, best.value);
        store(indices + at, best.index);
    }
}

}  // namespace acltwin::ACLTWIN_LEVEL
