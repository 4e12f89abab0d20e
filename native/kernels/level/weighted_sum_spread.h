// From a row of columns to a row of cells: weighted sums along W. Tables and strips are passed by value: the compiler
// must fear that what is written lies in what a reference refers to.
#pragma once

#include "kernels/level/positions.h"
#include "kernels/level/transpose.h"
#include "kernels/level/weighted_sum_rows.h"

namespace acltwin::ACLTWIN_LEVEL {

// The table along W, with weights of the type of the sums.
template <class S>
struct ColumnWeights {
    explicit ColumnWeights(const AxisWeights& axis)
        : first(axis.first), offset(axis.offset), weight(static_cast<const S*>(axis.weight)) {}
    const int64_t *first, *offset;
    const S* weight;

    ACLTWIN_INLINE int64_t count(int64_t cell) const { return offset[cell + 1] - offset[cell]; }
    ACLTWIN_INLINE const S* weights(int64_t cell) const { return weight != nullptr ? weight + offset[cell] : nullptr; }
};

// The sum of n terms, `step` elements apart, in groups, as load(pointer) gives them; weight null: all are 1.
template <class R, class S, class Load>
ACLTWIN_INLINE auto sum_terms(const R* terms, int64_t step, const S* weight, int64_t n, const Load& load_term) {
    const auto term = [&](int64_t k) {
        const auto value = load_term(terms + k * step);
        return weight != nullptr ? value * weight[k] : value;
    };
    const auto group = [&](int64_t k, int64_t end) {
        auto sum = term(k);
        while (++k < end) sum += term(k);
        return sum;
    };
    auto total = group(0, min64(n, kTapsPerGroup));
    for (int64_t k = kTapsPerGroup; k < n; k += kTapsPerGroup) total += group(k, min64(n, k + kTapsPerGroup));
    return total;
}

// Cells of at least a vector of channels. The row starts at the strip's first column and channel; put(cell, channel,
// sums) takes the vectors.
template <class R, class S, class Put>
void spread_channels(ColumnWeights<S> table, Strip strip, const R* row, int64_t pitch, const Put& put) {
    constexpr int kLanes = kLanesOf<R>;
    typedef typename Sum<R>::Vector V;
    const int64_t channels = strip.channels;
    for (int64_t i = 0; i < strip.cells; ++i) {
        const int64_t cell = strip.first_cell + i, n = table.count(cell);
        const R* const terms = row + (table.first[cell] - strip.first_column) * pitch;
        const S* const weight = table.weights(cell);
        const auto each = [&](const auto& sum) {
            for (int64_t c = 0; c < channels; c += kLanes) {
                const int64_t channel = min64(c, channels - kLanes);
                put(i, channel, sum(terms + channel));
            }
        };
        const auto load_vector = [](const R* p) { return load(p); };
        const auto fixed = [&](auto count, auto weighted) {
            constexpr int kCount = count;
            V w[kCount];
            if constexpr (weighted)
                for (int k = 0; k < kCount; ++k) w[k] = weight[k] - V{};
            each([&](const R* p) {
                const auto term = [&](int k) { return weighted ? load(p + k * pitch) * w[k] : load(p + k * pitch); };
                V sum = term(0);
                for (int k = 1; k < kCount; ++k) sum += term(k);
                return sum;
            });
        };
        const auto few = [&](auto count) {
            if (weight != nullptr) return fixed(count, std::true_type());
            fixed(count, std::false_type());
        };
        switch (kSpecialised || n <= 1 ? n : -1) {
            case 0: each([](const R*) { return V{}; }); break;
            case 1: few(std::integral_constant<int, 1>()); break;
            case 2: few(std::integral_constant<int, 2>()); break;
            case 3: few(std::integral_constant<int, 3>()); break;
            case 4: few(std::integral_constant<int, 4>()); break;
            default: each([&](const R* p) { return sum_terms(p, pitch, weight, n, load_vector); });
        }
    }
}

// Any cells of fewer channels, one element at a time.
template <class R, class S, class Put>
void spread_walk(ColumnWeights<S> table, Strip strip, const R* row, int64_t pitch, const Put& put) {
    const auto load_one = [](const R* p) { return widen(*p); };
    for (int64_t i = 0; i < strip.cells; ++i) {
        const int64_t cell = strip.first_cell + i, n = table.count(cell);
        const R* const terms = row + (table.first[cell] - strip.first_column) * pitch;
        for (int64_t c = 0; c < strip.channels; ++c)
            put(i, i * strip.channels + c,
                n == 0 ? S(0) : sum_terms(terms + c, pitch, table.weights(cell), n, load_one));
    }
}

// Blocks of a table. row[0] is the first element of the whole row; put(i, sums) takes vectors of the strip's elements,
// the last of which may be incomplete.
template <bool kWeighted, bool kOneBase, class R, class Put>
void spread_blocks(BlockTable table, Strip strip, const R* row, const Put& put) {
    constexpr int kLanes = kLanesOf<R>, kWords = int(sizeof(Int) / 4);
    typedef typename Sum<R>::Vector V;
    const int64_t elements = strip.cells * strip.channels;
    const int32_t* block = table.words + strip.first_cell * strip.channels / kLanes * table.stride;
    for (int64_t i = 0; i < elements; i += kLanes, block += table.stride) {
        const int32_t* const lanes = block + table.head;
        const int taps = block[BlockTable::kTaps], full = block[BlockTable::kFull];
        const V common = kOneBase ? load(row + block[BlockTable::kBases]) : V{};
        const auto term = [&](int k) {
            const V columns = kOneBase ? common : load(row + block[BlockTable::kBases + k]);
            const int32_t* const words = lanes + k * 2 * kWords;
            const V picked = bit_cast<V>(lookup(bit_cast<Word>(columns), load(words)));
            return kWeighted ? picked * load_as<V>(words + kWords) : picked;
        };
        const auto term_of_some = [&](int k) {  // -0.0, which changes no sum, where there is none
            return bit_cast<V>(load(lanes + k * 2 * kWords) < 0 ? bit_cast<Word>(-V{}) : bit_cast<Word>(term(k)));
        };
        V sum;
        if (full == 2 && taps == 2) {
            sum = term(0) + term(1);
        } else if (full == 4 && taps == 4) {
            sum = term(0) + term(1) + term(2) + term(3);
        } else {
            const auto any_term = [&](int k) { return k < full ? term(k) : term_of_some(k); };
            const auto group = [&](int k, int end) {
                V part = any_term(k);
                while (++k < end) part += any_term(k);
                return part;
            };
            sum = taps == 0 ? V{} : group(0, taps < kTapsPerGroup ? taps : kTapsPerGroup);
            for (int k = kTapsPerGroup; k < taps; k += kTapsPerGroup)
                sum += group(k, taps < k + kTapsPerGroup ? taps : k + kTapsPerGroup);
        }
        put(i, sum);
    }
}

// Each cell takes the two columns around its place, the last one alone. row[0] is the first element of the whole row.
template <class R, class Put>
void spread_places(const Positions& positions, Strip strip, const R* row, const Put& put) {
    constexpr int kLanes = kLanesOf<R>, kAtOnce = 256;
    typedef typename Sum<R>::Vector V;
    typedef typename Sum<R>::Scalar S;
    alignas(64) int32_t columns[kAtOnce];
    alignas(64) S parts[kAtOnce];
    const int64_t last = positions.last;
    const auto weigh = [](auto first, auto second, auto part) { return first * (S(1) - part) + second * part; };
    for (int64_t done = 0; done < strip.cells; done += kAtOnce) {
        const int64_t n = min64(kAtOnce, (strip.cells - done + kLanes - 1) / kLanes * kLanes);
        find_positions(positions, strip.first_cell + done, n, columns, parts);
        for (int64_t i = 0; i < n; i += kLanes) {
            const int32_t* const at = columns + i;
            V sum = {};
            if constexpr (sizeof(S) == 4) {
                const int64_t base = at[0], left = last + 1 - base;
                const int span = at[kLanes - 1] - at[0] + 2;
                const Int lanes = load(at) - at[0];
                const auto weigh_lanes = [&](auto... vectors) {
                    put(done + i, weigh(bit_cast<V>(lookup(vectors..., lanes)),
                                        bit_cast<V>(lookup(vectors..., lanes + 1)), load(parts + i)));
                };
                const auto load_words = [&](int64_t from) { return bit_cast<Word>(load(row + from)); };
                if (span <= kLanes && left >= kLanes) {
                    weigh_lanes(load_words(base));
                    continue;
                }
                if (span <= 2 * kLanes && left >= 2 * kLanes) {
                    weigh_lanes(load_words(base), load_words(base + kLanes));
                    continue;
                }
            }
            if (at[kLanes - 1] < last) {
                V next = {};
                for (int k = 0; k < kLanes; ++k) {
                    sum[k] = widen(row[at[k]]);
                    next[k] = widen(row[at[k] + 1]);
                }
                sum = weigh(sum, next, load(parts + i));
            } else {
                for (int k = 0; k < kLanes; ++k) {
                    const S first = widen(row[at[k]]);
                    sum[k] = at[k] < last ? weigh(first, widen(row[at[k] + 1]), parts[i + k]) : first;
                }
            }
            put(done + i, sum);
        }
    }
}

// Each of the row's columns is added to the cell that it shows, in order, or shared by that one and the next.
template <class R, class Put>
void spread_shown(const Positions& positions, bool shared, Strip strip, const R* row, int64_t columns, const Put& put) {
    constexpr int kLanes = kLanesOf<R>;
    constexpr int64_t kAtOnce = 256, kMargin = kLanes;
    typedef typename Sum<R>::Scalar S;
    alignas(64) int32_t cells[kAtOnce];
    alignas(64) S parts[kAtOnce], sums[kMargin + kCellsShown + kMargin] = {};
    const auto find = [&](int64_t first, int64_t n) {
        if (shared) return find_positions(positions, first, n, cells, parts);
        if (positions.wide) return find_positions<double>(positions, first, n, cells, nullptr);
        find_positions<float>(positions, first, n, cells, nullptr);
    };
    const auto first_that_shows = [&](int64_t cell) {  // or one beyond
        int64_t low = 0, high = columns;
        while (low < high) {
            const int64_t middle = low + (high - low) / 2;
            find(middle, 1);
            (cells[0] < cell ? low : high) = cells[0] < cell ? middle + 1 : middle;
        }
        return low;
    };
    const int64_t begin = strip.first_cell, end = first_that_shows(begin + strip.cells);
    for (int64_t column = first_that_shows(begin - shared), n; column < end; column += n) {
        n = min64(kAtOnce, end - column);
        find(column, n);
        for (int64_t i = 0; i < n; ++i) {
            S* const sum = sums + kMargin + cells[i] - begin;
            const S value = widen(row[column + i]);
            if (!shared || cells[i] == positions.last) {
                *sum += value;
                continue;
            }
            if (parts[i] != 1) *sum += value * (1 - parts[i]);  // a weight of 0 is none
            if (parts[i] != 0) sum[1] += value * parts[i];
        }
    }
    for (int64_t i = 0; i < strip.cells; i += kLanes) put(i, load(sums + kMargin + i));
}

// ---- as many rows at once as a vector has lanes ----

// `columns` elements of rows that are `pitch` elements apart, so that the rows' elements become neighbours. Reads up to
// a vector beyond a row.
template <class S>
void rows_to_lanes(const S* rows, int64_t pitch, int64_t columns, S* lanes) {
    constexpr int kLanes = kLanesOf<S>;
    for (int64_t x = 0; x < columns; x += kLanes) {
        typename Sum<S>::Vector square[kLanes];
        for (int i = 0; i < kLanes; ++i) square[i] = load(rows + i * pitch + x);
        transpose_lanes(square);
        for (int i = 0; i < kLanes; ++i) store(lanes + (x + i) * kLanes, square[i]);
    }
}

// The cells of the strip: put(first, squares, n) takes the sums of n neighbouring elements of all rows, as one vector
// per row.
template <class S, class Divide, class Put>
void spread_lanes(ColumnWeights<S> table, Strip strip, const S* lanes, const Divide& divide, const Put& put) {
    constexpr int kLanes = kLanesOf<S>;
    typedef typename Sum<S>::Vector V;
    V square[kLanes];
    int filled = 0;
    int64_t done = 0;
    const auto flush = [&] {
        for (int i = filled; i < kLanes; ++i) square[i] = V{};
        transpose_lanes(square);
        put(done, square, filled);
        done += filled;
        filled = 0;
    };
    const int64_t channels = strip.channels, step = channels * kLanes;
    for (int64_t i = 0; i < strip.cells; ++i) {
        const int64_t cell = strip.first_cell + i, n = table.count(cell);
        const S* terms = lanes + (table.first[cell] - strip.first_column) * step;
        const S* const weight = table.weights(cell);
        for (int64_t c = 0; c < channels; ++c, terms += kLanes) {
            V sum = {};
            const auto term = [&](int k) {
                return weight != nullptr ? load(terms + k * step) * weight[k] : load(terms + k * step);
            };
            if (n == 2)
                sum = term(0) + term(1);
            else if (n == 3)
                sum = term(0) + term(1) + term(2);
            else if (n > 0)
                sum = sum_terms(terms, step, weight, n, [](const S* p) { return load(p); });
            square[filled++] = divide(cell, sum);
            if (filled == kLanes) flush();
        }
    }
    if (filled > 0) flush();
}

}  // namespace acltwin::ACLTWIN_LEVEL
