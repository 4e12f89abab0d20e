// Weighted sums, bit for bit against a scalar twin that follows the documented order of additions: every level this CPU
// has; many tables, shapes, strides, element types and thread counts, between pages that nobody may touch.
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <random>
#include <string>

#include "caches.h"
#include "core/thread_pool.h"
#include "guarded_pages.h"
#include "interval_sum_twin.h"
#include "kernels/weighted_sum.h"
#include "ops/weight_table.h"
#include "seed.h"

using namespace acltwin;

namespace {

std::mt19937_64 generator;
int64_t uniform(int64_t low, int64_t high) { return std::uniform_int_distribution<int64_t>(low, high)(generator); }
template <class Range>
auto any_of(const Range& range) {
    return *(std::begin(range) + uniform(0, int64_t(std::size(range)) - 1));
}

// ---- the twin ----

template <class S>
class GroupedSum {  // of terms in order, in groups of eight
public:
    void add(S term) {
        if (terms_ % 8 == 0) close();
        group_ = terms_ % 8 == 0 ? term : group_ + term;
        ++terms_;
    }
    S total() {
        close();
        return total_;
    }

private:
    void close() {
        if (terms_ == 0) return;
        total_ = terms_ <= 8 ? group_ : total_ + group_;
    }
    S total_ = 0, group_ = 0;
    int64_t terms_ = 0;
};

template <class T>
class Twin {
    typedef typename Element<T>::Sum S;

public:
    Twin(const WeightedSum& g, const T* source) : g_(g), source_(source) {
        const auto most = [&](int i) {
            int64_t count = 0;
            for (int64_t cell = 0; cell < g.table[i].cells(); ++cell) count = std::max(count, g.table[i].count(cell));
            return count;
        };
        columns_first_ = g.result_dims[3] > g.source_dims[3] && g.result_dims[4] >= g.source_dims[4] && most(1) <= 16 &&
                         most(2) <= 16;
    }

    T cell(const int64_t (&index)[5]) const {
        const auto value = [&](int64_t d, int64_t h, int64_t w) {
            const int64_t at[] = {index[0], index[1], d, h, w};
            int64_t offset = 0;
            for (int i = 0; i < 5; ++i) offset += at[i] * g_.source_strides[i];
            return S(Element<T>::widen(source_[offset]));
        };
        const auto along = [&](int i, const auto& term) {
            GroupedSum<S> sum;
            each(i, index[2 + i], [&](int64_t at, S weight) { sum.add(term(at) * weight); });
            return sum.total();
        };
        const auto rows_at = [&](int64_t w) {
            GroupedSum<S> sum;
            each(0, index[2], [&](int64_t d, S wd) {
                each(1, index[3], [&](int64_t h, S wh) { sum.add(value(d, h, w) * (wd * wh)); });
            });
            return sum.total();
        };
        const auto columns_at = [&](int64_t h) {
            return along(2, [&](int64_t w) { return along(0, [&](int64_t d) { return value(d, h, w); }); });
        };
        S sum = columns_first_ ? along(1, columns_at) : along(2, rows_at);
        const auto divisor = [&](int i) {
            const auto& all = g_.table[i].divisor;
            return all.empty() ? S(1) : S(all[size_t(index[2 + i])]);
        };
        for (const auto& table : g_.table)
            if (!table.divisor.empty()) return Element<T>::narrow(sum / (divisor(0) * divisor(1) * divisor(2)) + S(0));
        return Element<T>::narrow(sum + S(0));
    }

private:
    template <class Visit>
    void each(int i, int64_t cell, const Visit& visit) const {
        const WeightTable& table = g_.table[i];
        for (int64_t k = 0; k < table.count(cell); ++k)
            visit(table.first[size_t(cell)] + k,
                  table.weight.empty() ? S(1) : S(table.weight[size_t(table.offset[size_t(cell)] + k)]));
    }

    const WeightedSum& g_;
    const T* source_;
    bool columns_first_;
};

// ---- one case ----

// Exactly the elements that a view reaches.
template <class T>
struct View {
    int64_t low = 0, size = 1;
    GuardedPages pages;

    View(const int64_t (&dims)[5], const int64_t (&strides)[5], bool at_end)
        : low(reach(dims, strides, true)),
          size(reach(dims, strides, false) - low + 1),
          pages(size_t(size) * sizeof(T), at_end) {}
    static int64_t reach(const int64_t (&dims)[5], const int64_t (&strides)[5], bool lowest) {
        int64_t sum = 0;
        for (int i = 0; i < 5; ++i)
            if ((strides[i] < 0) == lowest) sum += (dims[i] - 1) * strides[i];
        return sum;
    }
    T* begin() { return static_cast<T*>(pages.data()); }
    T* first() { return begin() - low; }
};

struct NamedKernel {
    const char* name;
    WeightedSumKernel kernel;
};

std::vector<NamedKernel> kernels() {
    std::vector<NamedKernel> found;
#if defined(ACLTWIN_ONE_LEVEL)
    found.push_back({"v3", {v3::weighted_sum_lanes, v3::weighted_sum_tasks, v3::weighted_sum_planes}});
#elif defined(__x86_64__)
    if (level_supported(Level::v3))
        found.push_back({"v3", {v3::weighted_sum_lanes, v3::weighted_sum_tasks, v3::weighted_sum_planes}});
    if (level_supported(Level::v2))
        found.push_back({"v2", {v2::weighted_sum_lanes, v2::weighted_sum_tasks, v2::weighted_sum_planes}});
#else
    found.push_back(
        {"baseline", {baseline::weighted_sum_lanes, baseline::weighted_sum_tasks, baseline::weighted_sum_planes}});
#endif
    return found;
}

std::string describe_case(const WeightedSum& g) {
    std::string text = "dtype " + std::string(name_of(g.dtype));
    const auto add = [&](const char* name, const auto& values) {
        text += std::string("\n  ") + name;
        for (auto value : values) text += " " + std::to_string(value);
    };
    add("source dims", g.source_dims);
    add("source strides", g.source_strides);
    add("result dims", g.result_dims);
    add("result strides", g.result_strides);
    for (const WeightTable& table : g.table) {
        add("first", table.first);
        add("offset", table.offset);
        add("weight", table.weight);
        add("divisor", table.divisor);
    }
    return text;
}

int64_t cases = 0;

template <class T>
void fill(T* memory, int64_t size, bool special) {
    typedef typename Element<T>::Sum S;
    for (int64_t i = 0; i < size; ++i) {
        S value = S(int64_t(generator() % 4001) - 2000) / S(1024) * (generator() % 8 ? S(1) : S(300));
        if (special && generator() % 16 == 0) {
            const S values[] = {S(INFINITY), -S(INFINITY), S(NAN), S(0), -S(0), S(1e-7), S(6e4)};
            value = any_of(values);
        }
        memory[i] = Element<T>::narrow(value);
    }
}

template <class T>
void check_case_of(const WeightedSum& g, int threads) {
    const bool at_end = uniform(0, 1) == 0;
    View<T> source(g.source_dims, g.source_strides, at_end), got(g.result_dims, g.result_strides, at_end);
    fill(source.begin(), source.size, uniform(0, 2) == 0);
    fill(got.begin(), got.size, false);
    std::vector<T> expected(got.begin(), got.begin() + got.size);
    const std::vector<T> untouched = expected;
    const Twin<T> twin(g, source.first());
    int64_t i[5];
    for (i[0] = 0; i[0] < g.result_dims[0]; ++i[0])
        for (i[1] = 0; i[1] < g.result_dims[1]; ++i[1])
            for (i[2] = 0; i[2] < g.result_dims[2]; ++i[2])
                for (i[3] = 0; i[3] < g.result_dims[3]; ++i[3])
                    for (i[4] = 0; i[4] < g.result_dims[4]; ++i[4]) {
                        int64_t at = -got.low;
                        for (int a = 0; a < 5; ++a) at += i[a] * g.result_strides[a];
                        expected[size_t(at)] = twin.cell(i);
                    }
    set_num_threads(threads);
    for (const NamedKernel& k : kernels()) {
        std::copy(untouched.begin(), untouched.end(), got.begin());
        const auto plan = plan_weighted_sum(g, k.kernel, next_caches());
        GuardedPages scratch(std::max<size_t>(64, plan->scratch_bytes()), true);
        void* const data[] = {source.first(), got.first()};
        if (plan->run(data, scratch.data())) std::abort();
        ++cases;
        for (int64_t at = 0; at < got.size; ++at) {
            if (same(expected[size_t(at)], got.begin()[at])) continue;
            std::fprintf(stderr, "FAILED: kernels %s, %s, %d threads, element %lld: expected %.9g, got %.9g\n%s\n",
                         k.name, plan->variant().c_str(), threads, static_cast<long long>(at),
                         double(Element<T>::widen(expected[size_t(at)])), double(Element<T>::widen(got.begin()[at])),
                         describe_case(g).c_str());
            std::exit(1);
        }
    }
}

void check_case(const WeightedSum& g, int threads = 1) {
    switch (g.dtype) {
        case DType::float32: return check_case_of<float>(g, threads);
        case DType::float16: return check_case_of<ShortFloat<DType::float16>>(g, threads);
        case DType::bfloat16: return check_case_of<ShortFloat<DType::bfloat16>>(g, threads);
        default: return check_case_of<double>(g, threads);
    }
}

// ---- tables ----

constexpr DType kTypes[] = {DType::float32, DType::float16, DType::bfloat16, DType::float64};

enum class Kind { linear, window, average, random };

double random_weight() { return double(uniform(-1000, 1000)) / 777; }

// Cells that start at `step` times their number and have `taps` terms, cut to the source.
WeightTable table_of(int64_t source, int64_t cells, double step, double shift, int64_t taps, Kind kind) {
    WeightTable table;
    table.offset.push_back(0);
    int64_t least = 0;
    for (int64_t i = 0; i < cells; ++i) {
        const int64_t from = int64_t(std::floor(double(i) * step + shift));
        int64_t first = std::clamp<int64_t>(from, 0, source);
        int64_t last = std::clamp<int64_t>(from + taps, first, source);
        if (kind == Kind::random) {
            first = std::max(least, first);
            last = std::min(source, first + uniform(0, taps));
            first = std::min(first, last);
        }
        least = std::max(least, first);
        table.first.push_back(least);
        table.offset.push_back(table.offset.back() + std::max<int64_t>(0, last - least));
        if (kind == Kind::average) table.divisor.push_back(double(std::max<int64_t>(1, last - first)));
    }
    if (kind == Kind::linear || kind == Kind::random)
        for (int64_t i = 0; i < table.offset.back(); ++i) table.weight.push_back(random_weight());
    return table;
}

WeightTable identity(int64_t cells) { return table_of(cells, cells, 1, 0, 1, Kind::window); }

WeightTable any_table(int64_t source, int64_t cells) {
    if (source == cells && uniform(0, 2) == 0) return identity(cells);
    const double step = double(source) / double(cells);
    const int64_t taps = any_of(std::vector<int64_t>{1, 2, 2, 3, 4, 4, 5, 9, 16, 17, 30});
    const double shift = any_of(std::vector<double>{0, -0.5, 0.3, -1.5, -3});
    return table_of(source, cells, step * any_of(std::vector<double>{1, 1, 1, 0.9, 1.2, 3}), shift, taps,
                    any_of(std::vector<Kind>{Kind::linear, Kind::linear, Kind::window, Kind::average, Kind::random}));
}

// ---- geometries ----

void set_strides(const int64_t (&dims)[5], const int (&order)[5], int64_t (&strides)[5]) {
    int64_t stride = 1;
    for (int i = 4; i >= 0; --i) {
        strides[order[i]] = stride;
        stride *= dims[order[i]];
    }
    for (int i = 0; i < 5; ++i)
        if (dims[i] == 1) strides[i] = 1;  // as read_axes says
}

constexpr int kPlain[] = {0, 1, 2, 3, 4}, kChannelsLast[] = {0, 2, 3, 4, 1};

WeightedSum geometry(DType dtype, int64_t n, int64_t c, const int64_t (&source)[3], const int64_t (&cells)[3],
                     const int (&source_order)[5], const int (&result_order)[5]) {
    WeightedSum g;
    g.dtype = dtype;
    g.source_dims[0] = g.result_dims[0] = n;
    g.source_dims[1] = g.result_dims[1] = c;
    for (int i = 0; i < 3; ++i) {
        g.source_dims[2 + i] = source[i];
        g.result_dims[2 + i] = cells[i];
        g.table[i] = any_table(source[i], cells[i]);
    }
    set_strides(g.source_dims, source_order, g.source_strides);
    set_strides(g.result_dims, result_order, g.result_strides);
    return g;
}

void every_width() {
    for (DType dtype : kTypes)
        for (int64_t width : {1, 2, 3, 4, 5, 7, 8, 9, 15, 16, 17, 31, 33, 63, 64, 65, 100, 129, 300, 700})
            for (double factor : {1.0, 2.0, 1.5, 3.7, 0.5, 0.27})
                check_case(
                    geometry(dtype, 1, 2, {1, 3, width},
                             {1, any_of(std::vector<int64_t>{2, 3, 7}), int64_t(std::ceil(double(width) * factor))},
                             kPlain, kPlain));
}

void every_channel_count() {
    for (DType dtype : kTypes)
        for (int64_t channels : {2, 3, 4, 5, 7, 8, 9, 12, 15, 16, 17, 31, 33, 130, 300, 520, 1100, 4100})
            for (double factor : {2.0, 1.5, 0.5}) {
                const int64_t width = channels > 200 ? 3 : any_of(std::vector<int64_t>{1, 2, 9, 40});
                check_case(geometry(dtype, 2, channels, {1, 3, width},
                                    {1, any_of(std::vector<int64_t>{2, 5}), int64_t(std::ceil(double(width) * factor))},
                                    kChannelsLast, kChannelsLast));
            }
}

// Side by side, with a last block that is not full.
void every_small_plane() {
    constexpr int orders[][5] = {{0, 1, 2, 3, 4}, {1, 0, 2, 4, 3}, {0, 1, 4, 3, 2}, {2, 0, 1, 3, 4}};
    for (DType dtype : kTypes)
        for (int64_t channels : {2, 3, 4, 5, 8, 11})
            for (int64_t width : {1, 2, 3, 7, 8, 9, 17, 28})
                for (double factor : {1.0, 2.0, 0.4}) {
                    const auto scaled = [&](int64_t n) { return int64_t(std::ceil(double(n) * factor)); };
                    const int64_t height = uniform(1, 5), depth = uniform(1, 3);
                    check_case(geometry(dtype, 4, channels, {depth, height, width},
                                        {scaled(depth), scaled(height), scaled(width)}, orders[uniform(0, 3)],
                                        orders[uniform(0, 3)]),
                               int(uniform(1, 3)));
                }
}

// Every cell of H and W takes the only one there is.
void copies_of_one() {
    for (DType dtype : kTypes)
        for (int64_t width : {2, 5, 40, 300})
            for (const auto* order : {&kPlain, &kChannelsLast}) {
                WeightedSum g = geometry(dtype, 2, 5, {3, 1, 1}, {4, 7, width}, *order, *order);
                for (int i : {1, 2}) g.table[i] = table_of(1, g.result_dims[2 + i], 0, 0, 1, Kind::window);
                check_case(g, int(uniform(1, 3)));
            }
}

// A cell with more columns than a buffer has.
void long_cells() {
    for (DType dtype : kTypes)
        for (int64_t channels : {1, 3, 20, 600})
            for (const auto* order : {&kPlain, &kChannelsLast}) {
                WeightedSum g = geometry(dtype, 1, channels, {1, 2, 1500}, {1, 1, 2}, *order, kPlain);
                for (Kind kind : {Kind::linear, Kind::average}) {
                    g.table[2] = table_of(1500, 2, 3, 0, 1490, kind);
                    check_case(g);
                    set_strides(g.result_dims, *order, g.result_strides);
                }
            }
}

// Anything goes: order of axes, gaps, directions, repetition (source only), tables without a rule.
void random_geometries(int count) {
    for (int n = 0; n < count; ++n) {
        const int64_t widest = uniform(0, 3) == 0 ? 150 : 20;
        const auto extent = [&] { return uniform(0, 1) == 0 ? 1 : uniform(1, 6); };
        WeightedSum g = geometry(any_of(kTypes), uniform(1, 3), uniform(0, 1) == 0 ? uniform(1, 3) : uniform(1, 20),
                                 {extent(), extent() * 2, uniform(1, widest)},
                                 {extent(), extent() * 2, uniform(1, widest)}, kPlain, kPlain);
        for (bool is_source : {true, false}) {
            int order[] = {0, 1, 2, 3, 4};
            if (uniform(0, 2) == 0) std::copy(kChannelsLast, kChannelsLast + 5, order);
            if (uniform(0, 2) == 0) std::shuffle(order, order + 5, generator);
            auto& dims = is_source ? g.source_dims : g.result_dims;
            auto& strides = is_source ? g.source_strides : g.result_strides;
            int64_t padded[5];
            for (int a = 0; a < 5; ++a) padded[a] = dims[a] + (uniform(0, 4) == 0 ? uniform(1, 3) : 0);
            set_strides(padded, order, strides);
            for (int a = 0; a < 5; ++a) {
                if (uniform(0, 7) == 0) strides[a] = -strides[a];
                if (is_source && uniform(0, 15) == 0) strides[a] = 0;
                if (dims[a] == 1) strides[a] = 1;
            }
        }
        check_case(g, int(uniform(1, 3)));
    }
}

// ---- without a table along W ----

struct Place {
    double at;      // of float or double
    int64_t shown;  // the cell below
};
template <class S>
Place place_of(const Positions& p, int64_t cell) {
    const S centre = S(cell) + S(p.half), step = S(p.step);
    const S place = std::max(p.fused ? std::fma(step, centre, S(p.shift)) : step * centre + S(p.shift), S(0));
    return {double(place), std::min(int64_t(float(place)), p.last)};
}
Place place_of(const Positions& p, int64_t cell) {
    return p.wide ? place_of<double>(p, cell) : place_of<float>(p, cell);
}

WeightTable table_of_places(const Positions& p, int64_t cells) {
    WeightTable table;
    table.offset.push_back(0);
    for (int64_t i = 0; i < cells; ++i) {
        const Place place = place_of(p, i);
        const double part = std::clamp(place.at - double(place.shown), 0.0, 1.0);
        const bool two = place.shown < p.last;
        table.first.push_back(place.shown);
        if (two) table.weight.push_back(p.wide ? 1 - part : double(1 - float(part)));
        table.weight.push_back(two ? part : 1);
        table.offset.push_back(table.offset.back() + (two ? 2 : 1));
    }
    return table;
}

WeightTable table_of_shown(const Positions& p, int64_t columns) {
    WeightTable table;
    table.offset.push_back(0);
    int64_t column = 0;
    for (int64_t cell = 0; cell <= p.last; ++cell) {
        table.first.push_back(column);
        while (column < columns && place_of(p, column).shown <= cell) ++column;
        table.offset.push_back(column);
    }
    return table;
}

void rows_without_tables() {
    for (DType dtype : kTypes)
        for (int64_t width : {1, 2, 3, 8, 9, 17, 40, 300, 3000})
            for (double factor : {2.0, 1.5, 1.7, 1.0, 0.75, 0.5, 0.3, 6.0})
                for (int rule = 0; rule < 8; ++rule) {
                    const int64_t cells = std::max<int64_t>(1, int64_t(double(width) * factor));
                    const bool shown = rule >= 4;
                    const int64_t channels = width == 1 || cells == 1 ? 1 : 3;  // never together
                    WeightedSum g = geometry(dtype, 2, channels, {1, 1, shown ? cells : width},
                                             {1, 1, shown ? width : cells}, kPlain, kPlain);
                    g.table[0] = g.table[1] = identity(1);
                    g.along = shown ? WeightedSum::Along::shown : WeightedSum::Along::places;
                    Positions& p = g.positions;
                    g.shared = rule >= 6;
                    p.wide = g.shared || !shown ? dtype == DType::float64 : rule == 5;
                    p.step = double(width) / double(cells) * (rule == 3 ? 0.9 : 1);
                    if (!p.wide) p.step = double(float(p.step));
                    p.half = rule == 0 || rule == 4 ? 0 : 0.5;
                    p.shift = rule == 4 || rule == 5 ? 0 : -p.half;
                    p.fused = rule == 2 || rule == 6;
                    p.last = width - 1;
                    g.table[2] = !shown     ? table_of_places(p, cells)
                                 : g.shared ? transposed(table_of_places(p, cells), width)
                                            : table_of_shown(p, cells);
                    int64_t most = 0;
                    for (int64_t i = 0; i < g.result_dims[4]; ++i) most = std::max(most, g.table[2].count(i));
                    if (most > 8) continue;  // groups of eight are tables' own
                    check_case(g, int(uniform(1, 3)));
                }
}

// Large enough for several threads.
void large_cases() {
    for (DType dtype : kTypes)
        for (const auto* order : {&kPlain, &kChannelsLast})
            for (int threads : {1, 2, 5}) {
                check_case(geometry(dtype, 2, 6, {2, 30, 101}, {3, 61, 202}, *order, *order), threads);
                check_case(geometry(dtype, 1, 19, {1, 60, 202}, {1, 31, 101}, *order, *order), threads);
            }
}

}  // namespace

int main() {
    generator.seed(printed_seed());
    every_width();
    every_channel_count();
    every_small_plane();
    copies_of_one();
    long_cells();
    rows_without_tables();
    random_geometries(4000);
    large_cases();
    std::printf("weighted sums: ok, %lld cases\n", static_cast<long long>(cases));
}
