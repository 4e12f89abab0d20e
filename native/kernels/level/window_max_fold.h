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

// Some rows of a window, each with the index of its column 0.
template <class T>
struct WindowRowGroup {
    static constexpr int kMost = 32;
    int count = 0;
    const T* row[kMost];
    int32_t index[kMost];

    void add(const T* first, int64_t first_index) {
        row[count] = first;
        index[count++] = int32_t(first_index);
    }
    void shift(int64_t elements, int64_t columns) {
        for (int r = 0; r < count; ++r) {
            row[r] += elements;
            index[r] += int32_t(columns);
        }
    }
};

template <int kVectors, class T, class Load>
ACLTWIN_INLINE void add_rows(const WindowRowGroup<T>& group, int first, int64_t at, const Load& load_row,
                             Best (&best)[kVectors]) {
    for (int r = first; r < group.count; ++r) {
        const T* row = group.row[r] + at;
        const Int index = Int{} + group.index[r];
        for (int v = 0; v < kVectors; ++v) best[v] = best_of_rows(best[v], {load_row(row + v * kLanes), index});
    }
}

template <int kVectors, class T, class Load>
ACLTWIN_INLINE void first_row(const WindowRowGroup<T>& group, int64_t at, const Load& load_row,
                              Best (&best)[kVectors]) {
    for (int v = 0; v < kVectors; ++v) best[v] = {load_row(group.row[0] + at + v * kLanes), Int{} + group.index[0]};
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

// Folds a group of rows; `column` is what to add to a row's index. If this is not the window's first group, the maxima
// of the earlier ones are there already (folding a row twice changes nothing). Returns where the maximum is NaN.
template <int kVectors, class T, class Load>
ACLTWIN_INLINE Int fold_columns(const WindowRowGroup<T>& group, bool first_group, const int32_t* column, int64_t at,
                                const Maxima& maxima, const Load& load_row) {
    float* const values = maxima.values + at;
    int32_t* const indices = maxima.indices + at;
    Best best[kVectors];
    if (first_group)
        first_row(group, at, load_row, best);
    else
        for (int v = 0; v < kVectors * kLanes; v += kLanes)
            best[v / kLanes] = {load(values + v), load(indices + v) - load(column + at + v)};
    add_rows(group, first_group ? 1 : 0, at, load_row, best);
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
bool fold_rows(const WindowRowGroup<T>& group, bool first_group, const int32_t* column, int64_t n,
               const Maxima& maxima) {
    Int nan = {};
    if (n < kLanes) {
        nan = fold_columns<1>(group, first_group, column, 0, maxima, [&](const T* p) { return load_partial(p, n); });
        for (int64_t i = n; i < kLanes; ++i) nan[i] = 0;
    } else {
        each_block(n, [&](auto vectors, int64_t at) {
            nan |= fold_columns<decltype(vectors)::count>(group, first_group, column, at, maxima,
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
