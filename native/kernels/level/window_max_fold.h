// The maximum of rows, column by column, and of columns, window by window: vectors of values beside vectors of indices.
//
// Rows come in the order of their indices, so in a column the first maximum is the one that a later one does not
// exceed. Columns do not: of two equal maxima the one with the smaller index wins, of two NaN the one with the larger
// index.
#pragma once

#include "kernels/level/simd.h"
#include "kernels/window_max_task.h"

namespace acltwin::ACLTWIN_LEVEL {

// Vectors of values and of their indices have the same lanes, so that a comparison of the ones selects the others.
// Those beside float64 are float64 as well, which counts the cells of a plane exactly.
template <class Value>
using ValuesOf = typename Sum<Value>::Vector;
template <class Value>
using IndexOf = std::conditional_t<sizeof(Value) == 8, double, int32_t>;
template <class Value>
using IndicesOf = std::conditional_t<sizeof(Value) == 8, Double, Int>;

typedef int32_t HalfInt __attribute__((vector_size(kLanes * 2)));
template <class I>
ACLTWIN_INLINE void store_indices(I* p, HalfInt v) {
    typedef I Wide __attribute__((vector_size(kLanes / 2 * sizeof(I))));
    const Wide wide = __builtin_convertvector(v, Wide);
    memcpy(p, &wide, sizeof wide);
}
ACLTWIN_INLINE void store_indices(int32_t* p, Int v) { store(p, v); }
ACLTWIN_INLINE void store_indices(int64_t* p, Int v) {
    HalfInt halves[2];
    memcpy(halves, &v, sizeof v);
    for (int i = 0; i < 2; ++i) store_indices(p + i * kLanes / 2, halves[i]);
}
template <class I>
ACLTWIN_INLINE void store_indices(I* p, Double v) {
    store_indices(p, __builtin_convertvector(v, HalfInt));
}

template <class Value>
struct Best {
    ValuesOf<Value> value;
    IndicesOf<Value> index;
};

template <class Mask, class Value>
ACLTWIN_INLINE Best<Value> choose(Mask take, Best<Value> b, Best<Value> a) {
    return {take ? b.value : a.value, take ? b.index : a.index};
}

// Of a and a later row's b: its index is larger.
template <bool kNaN, class Value>
ACLTWIN_INLINE Best<Value> best_of_rows(Best<Value> a, Best<Value> b) {
    auto more = b.value > a.value;
    if constexpr (kNaN) return choose(more | (b.value != b.value), b, a);
    const auto index = bit_cast<IndicesOf<Value>>(more & bit_cast<decltype(more)>(b.index));
    return {larger(b.value, a.value), larger(index, a.index)};
}

// Of a and b in any order.
template <bool kNaN, class Value>
ACLTWIN_INLINE Best<Value> best_of_columns(Best<Value> a, Best<Value> b) {
    auto take = (b.value > a.value) | ((b.value == a.value) & (b.index < a.index));
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

// Covers n >= kVector columns with calls of block(number of vectors, first column). The last one starts further left
// instead of being shorter: columns may be covered twice.
template <int kVector, class Block>
ACLTWIN_INLINE void each_block(int64_t n, const Block& block) {
    int64_t at = 0;
    for (; at + 4 * kVector <= n; at += 4 * kVector) block(std::integral_constant<int, 4>(), at);
    for (; at + 2 * kVector <= n; at += 2 * kVector) block(std::integral_constant<int, 2>(), at);
    for (; at < n; at += kVector) block(std::integral_constant<int, 1>(), min64(at, n - kVector));
}

// The maxima of columns, and their indices.
template <class Value>
struct Maxima {
    Value* values;
    IndexOf<Value>* indices;
};

// A vector of elements that are `pitch` apart.
template <class T, int... kLane>
ACLTWIN_INLINE auto load_apart(const T* p, int64_t pitch, std::integer_sequence<int, kLane...>) {
    if constexpr (sizeof(T) >= 4)
        return ValuesOf<T>{p[kLane * pitch]...};
    else
        return widen(Short{p[kLane * pitch].bits...}, T());
}

// Folds rows: load_row(row, i) loads a vector of columns from the i-th on, and `column` is what to add to a row's
// index. Returns where a value may be NaN, and does not care about them, or exactly where the maximum is NaN.
template <bool kNaN, int kVectors, class T, class Value, class Load>
ACLTWIN_INLINE Int fold_columns(const WindowRows<T>& rows, const IndexOf<Value>* column, int64_t at,
                                Maxima<Value> maxima, const Load& load_row) {
    constexpr int kVector = kLanesOf<Value>;
    const auto load_best = [&](uint64_t offset, uint32_t index, int v) {
        return Best<Value>{load_row(rows.first + int64_t(offset), at + v * kVector),
                           IndicesOf<Value>{} + IndexOf<Value>(int32_t(index))};
    };
    Best<Value> best[kVectors];
    ValuesOf<Value> sum[kVectors];  // a NaN stays there, and infinities of both signs become one
    for (int v = 0; v < kVectors; ++v) {
        best[v] = load_best(0, rows.index, v);
        sum[v] = best[v].value;
    }
    uint64_t slice = 0, row = rows.row_offset;
    uint32_t slice_index = rows.index, index = slice_index + rows.row_index;
    for (int64_t i = 0, j = 1; i < rows.slices; ++i, j = 0) {
        for (; j < rows.rows; ++j, row += rows.row_offset, index += rows.row_index)
            for (int v = 0; v < kVectors; ++v) {
                const Best<Value> next = load_best(row, index, v);
                best[v] = best_of_rows<kNaN>(best[v], next);
                if constexpr (!kNaN) sum[v] += next.value;
            }
        row = slice += rows.slice_offset;
        index = slice_index += rows.slice_index;
    }
    Int nan = {};
    for (int v = 0; v < kVectors; ++v) {
        const int64_t lane = at + v * kVector;
        if constexpr (kNaN) sum[v] = best[v].value;
        nan |= bit_cast<Int>(sum[v] != sum[v]);
        store(maxima.values + lane, best[v].value);
        store(maxima.indices + lane, best[v].index + load(column + lane));
    }
    return nan;
}

template <bool kNaN, class T, class Value, class Load>
Int fold_blocks(const WindowRows<T>& rows, const IndexOf<Value>* column, int64_t n, Maxima<Value> maxima,
                const Load& load_row) {
    Int nan = {};
    each_block<kLanesOf<T>>(
        n, [&](auto vectors, int64_t at) { nan |= fold_columns<kNaN, vectors>(rows, column, at, maxima, load_row); });
    return nan;
}

// n columns, `pitch` elements apart; touches up to a vector of the maxima past them. Returns whether some maximum is
// NaN.
template <bool kNaN, class T, class Value>
bool fold_rows(const WindowRows<T>& rows, int64_t pitch, const IndexOf<Value>* column, int64_t n,
               Maxima<Value> maxima) {
    constexpr int kVector = kLanesOf<T>;
    if (n < kVector) {
        const Int nan = fold_columns<kNaN, 1>(rows, column, 0, maxima, [&](const T* row, int64_t) {
            if (pitch == 1) return load_partial(row, n);
            T lanes[kVector] = {};
            for (int64_t i = 0; i < n; ++i) lanes[i] = row[i * pitch];
            return load(lanes);
        });
        return any_lane(nan);
    }
    const auto load_next = [](const T* row, int64_t at) { return load(row + at); };
    const auto load_strided = [=](const T* row, int64_t at) {
        return load_apart(row + at * pitch, pitch, LanesOf<ValuesOf<T>>());
    };
    return any_lane(pitch == 1 ? fold_blocks<kNaN>(rows, column, n, maxima, load_next)
                               : fold_blocks<kNaN>(rows, column, n, maxima, load_strided));
}
template <class T, class Value>
ACLTWIN_INLINE bool fold_rows(const WindowRows<T>& rows, int64_t pitch, const IndexOf<Value>* column, int64_t n,
                              Maxima<Value> maxima) {
    return fold_rows<false>(rows, pitch, column, n, maxima) && fold_rows<true>(rows, pitch, column, n, maxima);
}

// ---- columns ----

// Where the maxima of a vector of neighbouring windows lie: each one right after the other, every second one, or at
// positions from a table.
struct NextColumns {
    template <class Value>
    ACLTWIN_INLINE Best<Value> operator()(Maxima<Value> m, int64_t at) const {
        return {load(m.values + at), load(m.indices + at)};
    }
};

struct SecondColumns {
    template <class Value>
    ACLTWIN_INLINE Best<Value> operator()(Maxima<Value> m, int64_t at) const {
        constexpr int kVector = kLanesOf<Value>;
        return {every_second<0>(load(m.values + 2 * at), load(m.values + 2 * at + kVector)),
                every_second<0>(load(m.indices + 2 * at), load(m.indices + 2 * at + kVector))};
    }
};

struct TableColumns {
    const int32_t* position;
    template <class Value>
    ACLTWIN_INLINE Best<Value> operator()(Maxima<Value> m, int64_t at) const {
        return pick(m, position + at, LanesOf<ValuesOf<Value>>());
    }

private:
    template <class Value, int... kLane>
    static ACLTWIN_INLINE Best<Value> pick(Maxima<Value> m, const int32_t* at, std::integer_sequence<int, kLane...>) {
        return {ValuesOf<Value>{m.values[at[kLane]]...}, IndicesOf<Value>{m.indices[at[kLane]]...}};
    }
};

// n windows of `taps` columns, `step` elements apart. Touches up to a vector of the results past them.
template <bool kNaN, class Value, class Columns, class T, class I>
void fold_windows(Maxima<Value> maxima, Columns columns, int64_t n, int64_t taps, int64_t step, T* values, I* indices) {
    for (int64_t at = 0; at < n; at += kLanesOf<Value>) {
        Best<Value> best = columns(maxima, at);
        Maxima<Value> next = maxima;
        for (int64_t tap = 1; tap < taps; ++tap) {
            next = {next.values + step, next.indices + step};
            best = best_of_columns<kNaN>(best, columns(next, at));
        }
        store(values + at, best.value);
        store_indices(indices + at, best.index);
    }
}

// The same for windows that begin at `positions` and have `last` columns after their first one, `step` elements apart.
// A vector goes through as many as the longest window has: of a shorter one the last column again, which changes
// nothing.
template <bool kNaN, class Value, class T, class I>
void fold_varied_windows(Maxima<Value> maxima, const int32_t* positions, const int32_t* last, int64_t n, int64_t taps,
                         int64_t step, T* values, I* indices) {
    for (int64_t at = 0; at < n; at += kLanesOf<Value>) {
        const Int position = load(positions + at), after = load(last + at);
        Best<Value> best = TableColumns{positions}(maxima, at);
        for (int32_t tap = 1; tap < taps; ++tap) {
            int32_t here[kLanes];
            store(here, position + smaller(Int{} + tap, after) * int32_t(step));
            best = best_of_columns<kNaN>(best, TableColumns{here}(maxima, 0));
        }
        store(values + at, best.value);
        store_indices(indices + at, best.index);
    }
}

}  // namespace acltwin::ACLTWIN_LEVEL
