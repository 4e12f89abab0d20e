#include "kernels/level/sink.h"
#include "kernels/level/types.h"
#include "kernels/level/weighted_sum_planes.h"
#include "kernels/level/weighted_sum_spread.h"

namespace acltwin::ACLTWIN_LEVEL {
namespace {

// What a thread works in, on its stack.
template <class T>
struct WorkBuffers {
    typedef typename Sum<T>::Scalar S;
    static constexpr int64_t kWork = kWorkBytes / sizeof(S), kMargin = kMarginBytes / sizeof(S);

    alignas(64) S totals_memory[kMargin + kWork + kMargin];
    alignas(64) S other_memory[kMargin + kWork + kMargin];  // the ring, or lanes of rows
    alignas(64) T cells[kWork + kMargin];

    S* totals() { return totals_memory + kMargin; }
    S* other() { return other_memory + kMargin; }
};

// How sums are divided before they are rounded: not at all, all by the same divisor, or each by its own.
struct Undivided {
    template <class V>
    ACLTWIN_INLINE V operator()(int64_t, V sum) const {
        return sum;
    }
};
template <class S>
struct DividedBy {
    S divisor;
    template <class V>
    ACLTWIN_INLINE V operator()(int64_t, V sum) const {
        return sum / divisor;
    }
};
template <class S>
struct DividedByEach {
    S divisor;
    const S* each;
    ACLTWIN_INLINE S operator()(int64_t i, S sum) const { return sum / (divisor * each[i]); }
    template <class V>
    ACLTWIN_INLINE V operator()(int64_t i, V sum) const {
        return sum / (divisor * load(each + i));
    }
};

template <class T>
class Weigher {
    typedef typename Sum<T>::Scalar S;
    typedef typename Sum<T>::Vector V;
    static constexpr int kLanes = kLanesOf<T>;

public:
    Weigher(const WeightedRows& p, const T* source, T* result)
        : p_(p), source_(source), result_(result), columns_(p.axis[2]), weighted_rows_(weights(0) || weights(1)) {}

    void run(int64_t first, int64_t last) {
        first_ = first;
        if (p_.columns_first) {
            Walk<5, 2> walk(p_.loops, first);
            for (; first < last; ++first, walk.advance()) columns_first(walk, first);
            return;
        }
        for (const int64_t steps = p_.steps(); first < last; ++first) {
            const int64_t row = first / p_.strip_count * p_.rows_at_once;
            Walk<5, 2> walk(p_.loops, row);
            for (int64_t n = min64(p_.rows_at_once, steps - row); n > 0;)
                n -= rows_first(walk, p_.strips[first % p_.strip_count], n);
        }
    }

private:
    const S* weights(int axis) const { return static_cast<const S*>(p_.axis[axis].weight); }
    S divisor(int axis, int64_t cell) const {
        const S* const divisors = static_cast<const S*>(p_.axis[axis].divisor);
        return divisors != nullptr ? divisors[cell] : S(1);
    }
    static S weight(const S* weights, int64_t at) { return weights != nullptr ? weights[at] : S(1); }

    // Where a row's result starts, and by what its sums are divided.
    struct Row {
        T* result;
        S divisor;
    };
    Row row_at(const Walk<5, 2>& walk, const Strip& strip) const {
        return {result_ + walk.offset(p_.kResult) + strip.first_cell * p_.result_pitch + strip.first_channel,
                divisor(0, walk.at(p_.kDepths)) * divisor(1, walk.at(p_.kHeights))};
    }
    const T* source_at(const Walk<5, 2>& walk, const Strip& strip, int64_t column) const {
        return source_ + walk.offset(p_.kSource) + column * p_.source_pitch + strip.first_channel;
    }

    // Calls body(divide) with what divides the sums of a row; `each` are divisors of its elements, null: 1.
    template <class Body>
    ACLTWIN_INLINE void with_divisor(S row_divisor, const S* each, const Body& body) const {
        if (!p_.divided) return body(Undivided());
        if (each == nullptr) return body(DividedBy<S>{row_divisor});
        body(DividedByEach<S>{row_divisor, each});
    }
    const S* cell_divisors() const { return static_cast<const S*>(p_.axis[2].divisor); }
    const S* element_divisors(const Strip& strip) const {
        const S* const all = static_cast<const S*>(p_.element_divisor);
        return all != nullptr ? all + strip.first_cell * p_.channels : nullptr;
    }

    // ---- rows ----

    // Adds a group to the totals of some columns of the strip.
    void add_group(const Terms<T>& terms, bool weighted, bool first, const Strip& strip, int64_t columns, S* totals) {
        const int64_t channels = strip.channels, pitch = p_.source_pitch;
        if (pitch == channels) return add_terms(terms, weighted, first, 0, columns * channels, totals);
        if (channels == 1) return add_scattered_terms(terms, first, 0, pitch, columns, totals);
        for (int64_t x = 0; x < columns; ++x)
            add_terms(terms, weighted, first, x * pitch, channels, totals + x * channels);
    }

    // The rows of a box, for some columns of the strip.
    void sum_rows(const T* volume, int64_t d, int64_t h, const Strip& strip, int64_t columns, S* totals) {
        const AxisWeights &depth = p_.axis[0], &height = p_.axis[1];
        bool first = true;
        Terms<T> terms;
        for (int64_t k = depth.offset[d]; k < depth.offset[d + 1]; ++k)
            for (int64_t j = height.offset[h]; j < height.offset[h + 1]; ++j) {
                if (terms.count == kTapsPerGroup) {
                    add_group(terms, weighted_rows_, first, strip, columns, totals);
                    terms.count = 0;
                    first = false;
                }
                terms.add(volume + (depth.first[d] + k - depth.offset[d]) * p_.depth_stride +
                              (height.first[h] + j - height.offset[h]) * p_.height_stride,
                          weight(weights(0), k) * weight(weights(1), j));
            }
        if (terms.count > 0) return add_group(terms, weighted_rows_, first, strip, columns, totals);
        memset(totals, 0, size_t(columns * strip.channels) * sizeof(S));
    }

    // ---- rows first ----

    static constexpr int64_t kRowPitch = WorkBuffers<T>::kWork / kLanes;  // of transposed rows

    // One row, or as many as are transposed together; returns how many.
    int64_t rows_first(Walk<5, 2>& walk, const Strip& strip, int64_t most) {
        const int n = p_.spread == Spread::transposed ? int(most) : 1;
        Row rows[kLanes];
        const T* volumes[kLanes];
        int64_t d[kLanes], h[kLanes];
        for (int i = 0; i < n; ++i, walk.advance()) {
            rows[i] = row_at(walk, strip);
            volumes[i] = source_at(walk, strip, strip.first_column);
            d[i] = walk.at(p_.kDepths);
            h[i] = walk.at(p_.kHeights);
        }
        const auto sum = [&](int i, int64_t column, int64_t columns, S* totals) {
            sum_rows(volumes[i] + column * p_.source_pitch, d[i], h[i], strip, columns, totals);
        };
        if (p_.spread == Spread::transposed)
            transposed(strip, rows, n, sum);
        else if (p_.in_place && is_one(0, d[0]) && is_one(1, h[0]))
            spread_row(strip, rows[0], volumes[0] + at(0, d[0]) * p_.depth_stride + at(1, h[0]) * p_.height_stride,
                       p_.source_pitch);
        else if (p_.spread == Spread::channels)
            channels(strip, rows[0], sum);
        else
            one_row(strip, rows[0], sum);
        return n;
    }

    // Whether a cell takes one cell as it is, and which.
    bool is_one(int axis, int64_t cell) const {
        return p_.axis[axis].count(cell) == 1 && weight(weights(axis), p_.axis[axis].offset[cell]) == 1;
    }
    // Whether a cell is what the one before it is: the same terms, with the same weights and divisor.
    bool repeats(int axis, int64_t cell) const {
        const AxisWeights& table = p_.axis[axis];
        const int64_t n = table.count(cell);
        if (n != table.count(cell - 1) || table.first[cell] != table.first[cell - 1]) return false;
        if (divisor(axis, cell) != divisor(axis, cell - 1)) return false;
        for (int64_t k = table.offset[cell]; k < table.offset[cell + 1]; ++k)
            if (weight(weights(axis), k) != weight(weights(axis), k - n)) return false;
        return true;
    }
    int64_t at(int axis, int64_t cell) const { return p_.axis[axis].first[cell]; }

    bool dense_result(const Strip& strip) const { return p_.result_pitch == strip.channels; }

    // Where to write a piece of a row, so that vectors find it dense; `put_row` follows.
    T* place_row(const Strip& strip, const Row& row, int number = 0) {
        return dense_result(strip) ? row.result : buffers_.cells + number * (WorkBuffers<T>::kWork / kLanes);
    }
    void put_row(const Strip& strip, const Row& row, const T* cells) {
        if (!dense_result(strip)) unpack_cells(strip.cells, strip.channels, cells, row.result, p_.result_pitch);
    }

    template <class SumRows>
    void one_row(const Strip& strip, const Row& row, const SumRows& sum) {
        sum(0, 0, strip.columns, buffers_.totals());
        spread_row(strip, row, buffers_.totals(), strip.channels);
    }

    template <class SumRows>
    void transposed(const Strip& strip, const Row* rows, int n, const SumRows& sum) {
        S* const lanes = buffers_.other();
        S divisors[kLanes];
        T* out[kLanes];
        for (int i = 0; i < kLanes; ++i) {
            divisors[i] = i < n ? rows[i].divisor : S(1);
            out[i] = i < n ? place_row(strip, rows[i], i) : nullptr;
        }
        const auto to_lanes = [&](int64_t column, int64_t columns) {
            for (int i = 0; i < n; ++i) sum(i, column, columns, buffers_.totals() + i * kRowPitch);
            rows_to_lanes(buffers_.totals(), kRowPitch, columns * strip.channels, lanes);
        };
        const S* const each = cell_divisors();
        const V row_divisors = load(divisors);
        const auto divide = [&](int64_t cell, V sums) {
            if (!p_.divided) return sums;
            return each != nullptr ? sums / (row_divisors * each[cell]) : sums / row_divisors;
        };
        const auto put = [&](int64_t at, const V* square, int64_t filled) {
            for (int i = 0; i < n; ++i) {
                if (filled == kLanes)
                    store_sums(out[i] + at, square[i]);
                else
                    store_partial(out[i] + at, from_zero(square[i]), filled);
            }
        };
        const int64_t most = (kRowPitch - WorkBuffers<T>::kMargin) / strip.channels;
        if (strip.columns <= most) {
            to_lanes(0, strip.columns);
            spread_lanes(columns_, strip, lanes, divide, put);
        } else {
            long_cell(strip, most / kTapsPerGroup * kTapsPerGroup, lanes, to_lanes, divide, put);
        }
        for (int i = 0; i < n; ++i) put_row(strip, rows[i], out[i]);
    }

    // A strip of one cell, whose columns do not fit into the buffers.
    template <class ToLanes, class Divide, class Put>
    void long_cell(const Strip& strip, int64_t step, const S* lanes, const ToLanes& to_lanes, const Divide& divide,
                   const Put& put) {
        V square[kLanes] = {};
        const S* weight = columns_.weights(strip.first_cell);
        for (int64_t column = 0; column < strip.columns; column += step) {
            const int64_t n = min64(step, strip.columns - column);
            to_lanes(column, n);
            for (int64_t c = 0; c < strip.channels; ++c) {
                const auto load_vector = [](const S* p) { return load(p); };
                const auto group = [&](int64_t k) {
                    return sum_terms(lanes + (k * strip.channels + c) * kLanes, strip.channels * kLanes,
                                     weight != nullptr ? weight + column + k : nullptr, min64(kTapsPerGroup, n - k),
                                     load_vector);
                };
                int64_t k = 0;
                if (column == 0) {
                    square[c] = group(0);
                    k = kTapsPerGroup;
                }
                for (; k < n; k += kTapsPerGroup) square[c] += group(k);
            }
        }
        for (int64_t c = 0; c < strip.channels; ++c) square[c] = divide(strip.first_cell, square[c]);
        transpose_lanes(square);
        put(0, square, strip.channels);
    }

    template <class SumRows>
    void channels(const Strip& strip, const Row& row, const SumRows& sum) {
        const int64_t most = WorkBuffers<T>::kWork / strip.channels;
        if (strip.columns > most) return long_channels(strip, row, most / kTapsPerGroup * kTapsPerGroup, sum);
        sum(0, 0, strip.columns, buffers_.totals());
        spread_row(strip, row, buffers_.totals(), strip.channels);
    }

    template <class SumRows>
    void long_channels(const Strip& strip, const Row& row, int64_t step, const SumRows& sum) {
        S* const cell = buffers_.other();
        const S* const weight = columns_.weights(strip.first_cell);
        for (int64_t column = 0; column < strip.columns; column += step) {
            const int64_t n = min64(step, strip.columns - column);
            sum(0, column, n, buffers_.totals());
            for (int64_t k = 0; k < n; k += kTapsPerGroup) {
                Terms<S> terms;
                for (int64_t i = k; i < min64(n, k + kTapsPerGroup); ++i)
                    terms.add(buffers_.totals() + i * strip.channels, weight_at(weight, column + i));
                add_terms(terms, weight != nullptr, column + k == 0, 0, strip.channels, cell);
            }
        }
        const S divided = row.divisor * divisor(2, strip.first_cell);
        each_vector<kLanes>(
            strip.channels, [&](int64_t i) { return p_.divided ? load(cell + i) / divided : load(cell + i); },
            [&](int64_t i, V sums) { store_sums(row.result + i, sums); });
    }
    static S weight_at(const S* weights, int64_t at) { return weight(weights, at); }

    // From a row of the strip's columns to the result.
    template <class R>
    void spread_row(const Strip& strip, const Row& row, const R* totals, int64_t pitch) {
        if (p_.spread == Spread::channels) {
            T* const result = row.result;
            const int64_t result_pitch = p_.result_pitch;
            const bool divided = p_.divided;
            return spread_channels(columns_, strip, totals, pitch, [&](int64_t i, int64_t channel, V sums) {
                if (divided) sums /= row.divisor * divisor(2, strip.first_cell + i);
                store_sums(result + i * result_pitch + channel, sums);
            });
        }
        T* const out = place_row(strip, row);
        const int64_t elements = strip.cells * strip.channels;
        if (p_.spread == Spread::walk) {
            spread_walk(columns_, strip, totals, pitch, [&](int64_t cell, int64_t i, S sum) {
                if (p_.divided) sum /= row.divisor * divisor(2, strip.first_cell + cell);
                out[i] = narrow<T>(sum + S(0));
            });
            return put_row(strip, row, out);
        }
        with_divisor(row.divisor, element_divisors(strip), [&](const auto& divide) {
            const auto put = [&](int64_t i, V sums) {
                if (i + kLanes <= elements)
                    store_sums(out + i, divide(i, sums));
                else
                    store_partial(out + i, from_zero(divide(i, sums)), elements - i);
            };
            if (p_.spread == Spread::places) return spread_places(p_.positions, strip, totals, put);
            if (p_.spread == Spread::shown)
                return spread_shown(p_.positions, p_.shared, strip, totals, p_.columns, put);
            if (!p_.same_cells) return spread_by_blocks(strip, totals, put);
            const V all = widen(totals[0]) - V{};
            for (int64_t i = 0; i < elements; i += kLanes) put(i, all);
        });
        put_row(strip, row, out);
    }

    template <class R, class Put>
    void spread_by_blocks(const Strip& strip, const R* row, const Put& put) {
        row -= strip.first_column * strip.channels;
        const bool weighted = columns_.weight != nullptr, one_base = p_.blocks.one_base;
        if (weighted && one_base) return spread_blocks<true, true>(p_.blocks, strip, row, put);
        if (weighted) return spread_blocks<true, false>(p_.blocks, strip, row, put);
        if (one_base) return spread_blocks<false, true>(p_.blocks, strip, row, put);
        spread_blocks<false, false>(p_.blocks, strip, row, put);
    }

    // ---- columns first ----

    void columns_first(const Walk<5, 2>& walk, int64_t number) {
        const Strip& strip = p_.strips[walk.at(p_.kStrips)];
        const int64_t h = walk.at(p_.kHeights), d = walk.at(p_.kDepths);
        const AxisWeights& height = p_.axis[1];
        const int64_t first = height.first[h], n = height.count(h);
        const bool continues = number == next_ && h > 0;
        if (!continues) filled_ = 0;
        next_ = number + 1;
        const Row row = row_at(walk, strip);
        const int64_t elements = strip.cells * strip.channels;
        if (dense_result(strip)) {
            const auto copy_from = [&](int loop) {
                memcpy(row.result, row.result - p_.loops.step[p_.kResult][loop], size_t(elements) * sizeof(T));
            };
            if (continues && repeats(1, h)) return copy_from(p_.kHeights);
            const int64_t slice = p_.loops.extent[p_.kStrips] * p_.loops.extent[p_.kHeights];
            if (d > 0 && number - slice >= first_ && repeats(0, d)) return copy_from(p_.kDepths);
        }
        const int64_t pitch = WorkBuffers<T>::kWork / p_.ring_rows;
        const auto ring_row = [&](int64_t row) { return buffers_.other() + (row & (p_.ring_rows - 1)) * pitch; };
        for (filled_ = max64(filled_, first); filled_ < first + n; ++filled_)
            fill_ring(walk, strip, d, filled_, ring_row(filled_));

        Terms<S> terms;
        const S* const weight = weights(1);
        S* const totals = buffers_.totals();
        for (int64_t k = 0; k < n; ++k) {
            if (k == kTapsPerGroup) {
                add_terms(terms, weight != nullptr, true, 0, elements, totals);
                terms.count = 0;
            }
            terms.add(ring_row(first + k), weight_at(weight, height.offset[h] + k));
        }
        static_assert(kMostTaps <= 2 * kTapsPerGroup, "two groups at most");
        if (terms.count == 0) {
            memset(totals, 0, size_t(elements) * sizeof(S));
            terms.add(totals, 1);
        } else if (n > kTapsPerGroup) {
            add_terms(terms, weight != nullptr, false, 0, elements, totals);
            terms.count = 0;
            terms.add(totals, 1);
        }
        finish(strip, row, terms, weight != nullptr && n <= kTapsPerGroup);
    }

    // One row of the source, summed along D and W.
    void fill_ring(const Walk<5, 2>& walk, const Strip& strip, int64_t d, int64_t h, S* ring) {
        const T* const first = source_at(walk, strip, strip.first_column) + h * p_.height_stride;
        if (p_.in_place && is_one(0, d))
            return spread_into_ring(strip, first + at(0, d) * p_.depth_stride, p_.source_pitch, ring);
        const AxisWeights& depth = p_.axis[0];
        S* const totals = buffers_.totals();
        bool is_first = true;
        Terms<T> terms;
        for (int64_t k = 0; k < depth.count(d); ++k) {
            if (terms.count == kTapsPerGroup) {
                add_group(terms, weights(0) != nullptr, is_first, strip, strip.columns, totals);
                terms.count = 0;
                is_first = false;
            }
            terms.add(first + (depth.first[d] + k) * p_.depth_stride, weight_at(weights(0), depth.offset[d] + k));
        }
        if (terms.count > 0)
            add_group(terms, weights(0) != nullptr, is_first, strip, strip.columns, totals);
        else
            memset(totals, 0, size_t(strip.columns * strip.channels) * sizeof(S));
        spread_into_ring(strip, totals, strip.channels, ring);
    }

    template <class R>
    void spread_into_ring(const Strip& strip, const R* row, int64_t pitch, S* ring) {
        const int64_t channels = strip.channels;
        if (p_.spread == Spread::channels)
            spread_channels(columns_, strip, row, pitch,
                            [&](int64_t i, int64_t channel, V sums) { store(ring + i * channels + channel, sums); });
        else if (p_.spread == Spread::walk)
            spread_walk(columns_, strip, row, pitch, [&](int64_t, int64_t i, S sum) { ring[i] = sum; });
        else
            spread_by_blocks(strip, row, [&](int64_t i, V sums) { store(ring + i, sums); });
    }

    // From rows of sums to the result.
    void finish(const Strip& strip, const Row& row, const Terms<S>& terms, bool weighted) {
        const int64_t channels = strip.channels, elements = strip.cells * channels;
        const auto put_elements = [&](int64_t from, int64_t n, T* out, S row_divisor, const S* each) {
            with_terms(terms, weighted, from, [&](const auto& sum) {
                with_divisor(row_divisor, each, [&](const auto& divide) {
                    const auto finished = [&](int64_t i) { return from_zero(divide(i, sum(i))); };
                    if (n < kLanes) return store_partial(out, from_zero(divide(0, sum.partial(n))), n);
                    int64_t i = 0;
                    for (; i + 2 * kLanes <= n; i += 2 * kLanes) store_two(out + i, finished(i), finished(i + kLanes));
                    for (; i < n; i += kLanes) store(out + min64(i, n - kLanes), finished(min64(i, n - kLanes)));
                });
            });
        };
        if (p_.spread == Spread::channels && (!dense_result(strip) || (p_.divided && cell_divisors() != nullptr))) {
            for (int64_t i = 0; i < strip.cells; ++i)
                put_elements(i * channels, channels, row.result + i * p_.result_pitch,
                             row.divisor * divisor(2, strip.first_cell + i), nullptr);
            return;
        }
        T* const out = place_row(strip, row);
        put_elements(0, elements, out, row.divisor, p_.spread == Spread::channels ? nullptr : element_divisors(strip));
        put_row(strip, row, out);
    }

    const WeightedRows& p_;
    const T* const source_;
    T* const result_;
    const ColumnWeights<S> columns_;
    const bool weighted_rows_;
    WorkBuffers<T> buffers_;
    int64_t first_ = 0;               // of the tasks
    int64_t next_ = -1, filled_ = 0;  // the ring: which task goes on with it, and the row of the source it lacks
};

}  // namespace

void weighted_sum_tasks(const WeightedRows& rows, DType dtype, const void* source, void* result, int64_t first,
                        int64_t last) {
    with_float_type(dtype, [&](auto element) {
        typedef decltype(element) T;
        Weigher<T>(rows, static_cast<const T*>(source), static_cast<T*>(result)).run(first, last);
    });
}

void weighted_sum_planes(const WeightedPlanes& p, DType dtype, const void* source, void* result, void* buffer,
                         int64_t first, int64_t last) {
    with_float_type(dtype, [&](auto element) {
        typedef decltype(element) T;
        typedef typename Sum<T>::Scalar S;
        constexpr int64_t kLanes = kLanesOf<T>;
        S* const columns = static_cast<S*>(buffer);
        S* const cells = columns + p.source_bytes / int64_t(sizeof(S));
        Weigher<S> weigher(p.rows, columns, cells);
        const int64_t planes = p.batches * p.channels, tasks = p.rows.tasks();
        for (; first < last; ++first) {
            const int64_t plane = first * kLanes, count = min64(kLanes, planes - plane);
            PlaneBlock<const T>(p.source, static_cast<const T*>(source), p.channels, plane, count).pack(columns);
            weigher.run(0, tasks);
            PlaneBlock<T>(p.result, static_cast<T*>(result), p.channels, plane, count).unpack(cells);
        }
    });
}

int weighted_sum_lanes(DType dtype) { return dtype == DType::float64 ? kLanes / 2 : kLanes; }

}  // namespace acltwin::ACLTWIN_LEVEL
