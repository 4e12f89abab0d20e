// The maximum of rows, column by column, and of columns, window by window: vectors of values beside vectors of indices.
//
// Rows come in the order of their indices, so in a column the first maximum is the one that a later one does not
// exceed. Columns do not: of two equal maxima the one with the smaller index wins, of two NaN the one with the larger
// index.
#pragma once

#include "kernels/level/simd.h"
#include "kernels/window_max_task.h"

namespace acltwin::ACLTWIN_LEVEL {

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
    const T* first = nullptr;  // of the first row, its first column
    uint32_t index = 0;        // of the same
    int64_t slices = 1, rows = 1;
    uint64_t slice_offset = 0, row_offset = 0;  // from one to the next: in elements
    uint32_t slice_index = 0, row_index = 0;    // and in cells
};

// Covers n >= kLanes columns with calls of block(number of vectors, first column). The last one starts further left
// instead of being shorter: columns may be covered twice.
template <class Block>
ACLTWIN_INLINE void each_block(int64_t n, const Block& block) {
    int64_t at = 0;
    for (; at + 4 * kLanes <= n; at += 4 * kLanes) block(std::integral_constant<int, 4>(), at);
    for (; at + 2 * kLanes <= n; at += 2 * kLanes) block(std::integral_constant<int, 2>(), at);
    for (; at < n; at += kLanes) block(std::integral_constant<int, 1>(), min64(at, n - kLanes));
}

// The maxima of columns, and their indices.
struct Maxima {
    float* values;
    int32_t* indices;
};

// A vector of elements that are `pitch` apart.
template <class T, int... kLane>
ACLTWIN_INLINE Float load_apart(const T* p, int64_t pitch, std::integer_sequence<int, kLane...>) {
    if constexpr (sizeof(T) == 4)
        return Float{p[kLane * pitch]...};
    else
        return widen(Short{p[kLane * pitch].bits...}, T());
}

// Folds rows: load_row(row, i) loads a vector of columns from the i-th on, and `column` is what to add to a row's
// index. Returns where the maximum is NaN.
template <int kVectors, class T, class Load>
ACLTWIN_INLINE Int fold_columns(const WindowRows<T>& rows, const int32_t* column, int64_t at, Maxima maxima,
                                const Load& load_row) {
    const auto load_best = [&](uint64_t offset, uint32_t index, int v) {
        return Best{load_row(rows.first + int64_t(offset), at + v * kLanes), Int{} + int32_t(index)};
    };
    Best best[kVectors];
    for (int v = 0; v < kVectors; ++v) best[v] = load_best(0, rows.index, v);
    uint64_t slice = 0, row = rows.row_offset;
    uint32_t slice_index = rows.index, index = slice_index + rows.row_index;
    for (int64_t i = 0, j = 1; i < rows.slices; ++i, j = 0) {
        for (; j < rows.rows; ++j, row += rows.row_offset, index += rows.row_index)
            for (int v = 0; v < kVectors; ++v) best[v] = best_of_rows(best[v], load_best(row, index, v));
        row = slice += rows.slice_offset;
        index = slice_index += rows.slice_index;
    }
    Int nan = {};
    for (int v = 0; v < kVectors; ++v) {
        const int64_t lane = at + v * kLanes;
        nan |= best[v].value != best[v].value;
        store(maxima.values + lane, best[v].value);
        store(maxima.indices + lane, best[v].index + load(column + lane));
    }
    return nan;
}

template <class T, class Load>
Int fold_blocks(const WindowRows<T>& rows, const int32_t* column, int64_t n, Maxima maxima, const Load& load_row) {
    Int nan = {};
    each_block(n, [&](auto vectors, int64_t at) { nan |= fold_columns<vectors>(rows, column, at, maxima, load_row); });
    return nan;
}

// n columns, `pitch` elements apart; touches up to a vector of the maxima past them. Returns whether some maximum is
// NaN.
template <class T>
ACLTWIN_INLINE bool fold_rows(const WindowRows<T>& rows, int64_t pitch, const int32_t* column, int64_t n,
                              Maxima maxima) {
    if (n < kLanes) {
        Int nan = fold_columns<1>(rows, column, 0, maxima, [&](const T* row, int64_t) {
            if (pitch == 1) return load_partial(row, n);
            T lanes[kLanes] = {};
            for (int64_t i = 0; i < n; ++i) lanes[i] = row[i * pitch];
            return load(lanes);
        });
        for (int64_t i = n; i < kLanes; ++i) nan[i] = 0;
        return any_lane(nan);
    }
    const auto load_next = [](const T* row, int64_t at) { return load(row + at); };
    const auto load_strided = [=](const T* row, int64_t at) {
        return load_apart(row + at * pitch, pitch, LanesOf<Float>());
    };
    return any_lane(pitch == 1 ? fold_blocks(rows, column, n, maxima, load_next)
                               : fold_blocks(rows, column, n, maxima, load_strided));
}

// ---- columns ----

// Where the maxima of a vector of neighbouring windows lie: each one right after the other, every second one, or at
// positions from a table.
struct NextColumns {
    ACLTWIN_INLINE Best operator()(Maxima m, int64_t at) const { return {load(m.values + at), load(m.indices + at)}; }
};

struct SecondColumns {
    ACLTWIN_INLINE Best operator()(Maxima m, int64_t at) const {
        return {every_second<0>(load(m.values + 2 * at), load(m.values + 2 * at + kLanes)),
                every_second<0>(load(m.indices + 2 * at), load(m.indices + 2 * at + kLanes))};
    }
};

struct TableColumns {
    const int32_t* position;
    ACLTWIN_INLINE Best operator()(Maxima m, int64_t at) const { return pick(m, position + at, LanesOf<Int>()); }

private:
    template <int... kLane>
    static ACLTWIN_INLINE Best pick(Maxima m, const int32_t* at, std::integer_sequence<int, kLane...>) {
        return {Float{m.values[at[kLane]]...}, Int{m.indices[at[kLane]]...}};
    }
};

// n windows of `taps` columns, `step` elements apart. Touches up to a vector of the results past them.
template <bool kNaN, class Columns, class T, class I>
void fold_windows(Maxima maxima, Columns columns, int64_t n, int64_t taps, int64_t step, T* values, I* indices) {
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
