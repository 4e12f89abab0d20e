// Sums in memory: for rows too short for whole vectors, boxes of very many rows, and intervals that must be walked
// through.
#pragma once

#include "kernels/level/interval_sum_walk.h"

namespace acltwin::ACLTWIN_LEVEL::interval {

// Sums of n neighbouring elements of one group of rows: the first group fills `totals`, the others are added to it.
// Touches a vector of `totals` past its end.
template <bool kFirst, int kRows, class T>
void add_group(const RowList<T>& group, int64_t n, typename Sum<T>::Scalar* totals) {
    constexpr int kLanes = kLanesOf<T>;
    const RowSum<kRows, T> rows(group);
    typename Sum<T>::Vector sum[1];
    int64_t i = 0;
    for (; i + kLanes <= n; i += kLanes) {
        rows.sum(i, sum);
        store(totals + i, kFirst ? sum[0] : load(totals + i) + sum[0]);
    }
    if (i == n) return;
    const auto element = [&](int r) { return load_partial(group.first + group.offsets[r] + i, n - i); };
    sum[0] = element(0);
    for (int r = 1; r < kRows; ++r) sum[0] += element(r);
    store(totals + i, kFirst ? sum[0] : load(totals + i) + sum[0]);
}

template <class T>
void add_group(const RowList<T>& group, int64_t n, bool first, typename Sum<T>::Scalar* totals) {
    with_row_count(group.count, [&](auto rows) {
        constexpr int kRows = decltype(rows)::count;
        if constexpr (kRows > 0) {
            if (first)
                add_group<true, kRows>(group, n, totals);
            else
                add_group<false, kRows>(group, n, totals);
        }
    });
}

// The columns of an interval: `channels` neighbouring totals make up a column. V is a scalar for one channel, a vector
// for as many channels as it has lanes or fewer.
template <class V, class S>
ACLTWIN_INLINE V add_columns(const S* totals, int64_t columns, int64_t channels, V sum) {
    for (int64_t i = 0; i < columns; ++i) {
        V column;
        memcpy(&column, totals + i * channels, sizeof column);
        sum += column;
    }
    return sum;
}

// What the lanes beyond the channels hold is overwritten by the next cell.
template <class V, class S>
void fold_runs(const S* totals, const int64_t* begin, CellRange range, int64_t channels, S* cells) {
    const int64_t origin = begin[range.first];
    for (int64_t i = range.first; i < range.last; ++i, cells += channels) {
        const int64_t columns = begin[i + 1] - begin[i];
        const V sum =
            columns == 0 ? V{} : add_columns(totals + (begin[i] - origin) * channels, columns, channels, -V{});
        memcpy(cells, &sum, sizeof sum);
    }
}

// The one rounding: n sums to elements.
template <class T>
void narrow_sums(const typename Sum<T>::Scalar* sums, int64_t n, T* out) {
    int64_t i = 0;
    for (; i + kLanesOf<T> <= n; i += kLanesOf<T>) store(out + i, load(sums + i));
    if (i < n) store_partial(out + i, load(sums + i), n - i);
}

}  // namespace acltwin::ACLTWIN_LEVEL::interval
