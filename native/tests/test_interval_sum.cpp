// Interval sums, bit for bit against a scalar twin that follows the documented order of additions: every level this CPU
// has; many shapes, strides, element types and thread counts.
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <initializer_list>
#include <random>
#include <string>

#include "caches.h"
#include "core/thread_pool.h"
#include "interval_sum_twin.h"

using namespace acltwin;

namespace {

std::mt19937_64 generator(20240229);
int64_t uniform(int64_t low, int64_t high) { return std::uniform_int_distribution<int64_t>(low, high)(generator); }
template <class Range>
auto any_of(const Range& range) {
    return *(std::begin(range) + uniform(0, int64_t(std::size(range)) - 1));
}

// ---- values ----

template <class T>
void fill(Memory<T>& memory, bool special) {
    typedef typename Element<T>::Sum S;
    for (int64_t i = 0; i < memory.size; ++i) {
        S value = S(int64_t(generator() % 4001) - 2000) / S(1024) * (generator() % 8 ? S(1) : S(300));
        if (special && generator() % 16 == 0) {
            const S values[] = {S(INFINITY), -S(INFINITY), S(NAN), S(0), -S(0), S(1e-7), S(6e4)};
            value = any_of(values);
        }
        memory.begin()[i] = Element<T>::narrow(value);
    }
}

template <class T>
void fill_with_negative_zero(Memory<T>& memory) {
    for (int64_t i = 0; i < memory.size; ++i) memory.begin()[i] = Element<T>::narrow(-typename Element<T>::Sum(0));
}

// ---- one case ----

struct NamedKernel {
    const char* name;
    IntervalSumKernel kernel;
};

std::vector<NamedKernel> kernels() {
    std::vector<NamedKernel> found;
#if defined(__x86_64__)
    if (level_supported(Level::v3)) found.push_back({"v3", {v3::interval_sum_lanes, v3::interval_sum_tasks}});
    if (level_supported(Level::v2)) found.push_back({"v2", {v2::interval_sum_lanes, v2::interval_sum_tasks}});
#else
    found.push_back({"baseline", {baseline::interval_sum_lanes, baseline::interval_sum_tasks}});
#endif
    found.push_back({"of this machine, or others that give the same", {}});
    return found;
}

enum class Values { finite, special, negative_zero };
typedef std::initializer_list<int> ThreadCounts;
int64_t cases = 0;

template <class T>
void check_case_of(const IntervalSum& g, Values values, ThreadCounts thread_counts) {
    Memory<T> source(g.source_dims, g.source_strides), expected(g.result_dims, g.result_strides),
        got(g.result_dims, g.result_strides);
    if (values == Values::negative_zero)
        fill_with_negative_zero(source);
    else
        fill(source, values == Values::special);
    fill(expected, false);
    const std::vector<T> untouched(expected.begin(), expected.begin() + expected.size);

    int64_t i[5];
    for (i[0] = 0; i[0] < g.result_dims[0]; ++i[0])
        for (i[1] = 0; i[1] < g.result_dims[1]; ++i[1])
            for (i[2] = 0; i[2] < g.result_dims[2]; ++i[2])
                for (i[3] = 0; i[3] < g.result_dims[3]; ++i[3])
                    for (i[4] = 0; i[4] < g.result_dims[4]; ++i[4]) {
                        T* cell = expected.first;
                        for (int a = 0; a < 5; ++a) cell += i[a] * g.result_strides[a];
                        *cell = sum_of_box(g, source.first, i);
                    }

    for (int threads : thread_counts) {
        set_num_threads(threads);
        for (const NamedKernel& k : kernels()) {
            std::copy(untouched.begin(), untouched.end(), got.begin());
            const CacheSizes caches = next_caches();
            if (const auto plan =
                    k.kernel.tasks != nullptr ? plan_interval_sum(g, k.kernel, caches) : plan_interval_sum(g, caches)) {
                std::vector<char> scratch(plan->scratch_bytes());
                void* const data[] = {source.first, got.first};
                if (plan->run(data, scratch.data())) std::abort();
            }
            ++cases;
            for (int64_t at = 0; at < got.size; ++at) {
                if (same(expected.begin()[at], got.begin()[at])) continue;
                std::fprintf(stderr, "FAILED: kernels %s, %d threads, element %lld: expected %.9g, got %.9g\n%s\n",
                             k.name, threads, static_cast<long long>(at),
                             double(Element<T>::widen(expected.begin()[at])),
                             double(Element<T>::widen(got.begin()[at])), describe(g).c_str());
                std::exit(1);
            }
        }
    }
}

void check_case(const IntervalSum& g, Values values, ThreadCounts threads = {1}) {
    switch (g.dtype) {
        case DType::float32: return check_case_of<float>(g, values, threads);
        case DType::float16: return check_case_of<ShortFloat<DType::float16>>(g, values, threads);
        case DType::bfloat16: return check_case_of<ShortFloat<DType::bfloat16>>(g, values, threads);
        default: return check_case_of<double>(g, values, threads);
    }
}

// ---- geometries ----

constexpr DType kTypes[] = {DType::float32, DType::float16, DType::bfloat16, DType::float64};

// The intervals of a scale; positions at `source` and beyond are dropped.
std::vector<int64_t> intervals(int64_t cells, int64_t source, double scale) {
    std::vector<int64_t> begin;
    for (int64_t i = 0; i <= cells; ++i)
        begin.push_back(std::min(source, std::max<int64_t>(0, int64_t(std::ceil(double(i) * scale - 0.5)))));
    return begin;
}

std::vector<int64_t> irregular_intervals(int64_t cells, int64_t source) {
    std::vector<int64_t> begin;
    for (int64_t i = 0; i <= cells; ++i) begin.push_back(uniform(0, source));
    std::sort(begin.begin(), begin.end());
    return begin;
}

// Dense strides with the axes nested in the given order, outermost first.
void set_strides(const int64_t (&dims)[5], const int (&order)[5], int64_t (&strides)[5]) {
    int64_t stride = 1;
    for (int i = 4; i >= 0; --i) {
        strides[order[i]] = stride;
        stride *= std::max<int64_t>(1, dims[order[i]]);
    }
}

constexpr int kPlain[] = {0, 1, 2, 3, 4}, kChannelsLast[] = {0, 2, 3, 4, 1}, kSwapped[] = {0, 1, 2, 4, 3};

IntervalSum geometry(DType dtype, int64_t n, int64_t c, const int64_t (&cells)[3], const double (&scales)[3],
                     const int (&source_order)[5], const int (&result_order)[5]) {
    IntervalSum g;
    g.dtype = dtype;
    g.source_dims[0] = g.result_dims[0] = n;
    g.source_dims[1] = g.result_dims[1] = c;
    for (int i = 0; i < 3; ++i) {
        g.result_dims[2 + i] = cells[i];
        g.source_dims[2 + i] = std::max<int64_t>(1, int64_t(double(cells[i]) * scales[i]));
        g.begin[i] = intervals(cells[i], g.source_dims[2 + i], scales[i]);
    }
    set_strides(g.source_dims, source_order, g.source_strides);
    set_strides(g.result_dims, result_order, g.result_strides);
    return g;
}

void every_factor_and_width() {
    for (DType dtype : kTypes)
        for (double factor : {1.0, 2.0, 3.0, 4.0, 1.5, 2.7, 0.5, 0.3, 1.01, 3.9, 5.0, 6.4, 10.0, 0.05})
            for (int64_t width : {1, 2, 3, 4, 5, 7, 8, 9, 15, 16, 17, 31, 33, 63, 64, 65, 100, 127, 128, 129, 300})
                check_case(geometry(dtype, 1, 1, {2, 2, width}, {1.5, any_of(std::vector<double>{1, 2, 2.7}), factor},
                                    kPlain, kPlain),
                           Values(uniform(0, 2)));
}

void every_row_count() {
    for (DType dtype : kTypes)
        for (int rows = 1; rows <= 27; ++rows)
            for (double factor : {1.0, 2.0, 2.7, 3.0, 4.0, 12.0})
                check_case(
                    geometry(dtype, 1, 2, {1, 2, 37}, {rows % 3 ? 1.0 : 3.0, rows % 3 ? rows : rows / 3.0, factor},
                             kPlain, any_of(std::vector<bool>{true, false}) ? kPlain : kSwapped),
                    Values(uniform(0, 2)));
}

void every_channel_count() {
    for (DType dtype : kTypes)
        for (int64_t channels : {1, 2, 3, 4, 5, 7, 8, 9, 12, 15, 16, 17, 31, 32, 33, 130, 300, 1000})
            for (double factor : {1.0, 2.0, 1.5, 2.7, 0.5, 0.3, 4.0, 11.0})
                check_case(
                    geometry(dtype, 2, channels, {2, 3, any_of(std::vector<int64_t>{1, 2, 9, 70})},
                             {any_of(std::vector<double>{0.5, 1, 3.5}), 2, factor}, kChannelsLast, kChannelsLast),
                    Values(uniform(0, 2)));
}

// Rows along H, whose cells are apart in the result.
void every_width_along_h() {
    for (DType dtype : kTypes)
        for (double factor : {1.0, 2.0, 3.0, 1.5, 0.5})
            for (int64_t width : {1, 2, 3, 5, 15, 16, 17, 33})
                check_case(geometry(dtype, 1, 2, {2, any_of(std::vector<int64_t>{16, 19, 150}), width},
                                    {any_of(std::vector<double>{0.5, 1, 1.5}), factor,
                                     any_of(std::vector<double>{0.5, 1, 2, 2.7})},
                                    kSwapped, kPlain),
                           Values(uniform(0, 2)));
}

void long_intervals() {
    for (DType dtype : kTypes)
        for (int64_t channels : {1, 3, 20})
            for (int64_t width : {1, 2, 5})
                for (const auto* order : {&kPlain, &kChannelsLast, &kSwapped})
                    check_case(geometry(dtype, 1, channels, {1, 2, width}, {2, 3, 3000}, *order, kPlain),
                               Values::finite);
}

// Anything goes: order of axes, gaps, directions, repetition (source only), intervals without a rule.
void random_geometries(int count) {
    for (int i = 0; i < count; ++i) {
        IntervalSum g;
        g.dtype = any_of(kTypes);
        const int64_t widest = uniform(0, 3) == 0 ? 200 : 20;
        for (int a = 0; a < 5; ++a) {
            g.result_dims[a] = uniform(uniform(0, 15) == 0 ? 0 : 1, a == 4 || (a == 1 && widest == 20) ? widest : 4);
            g.source_dims[a] = a < 2 ? g.result_dims[a] : uniform(0, 2) == 0 ? 1 : uniform(1, a == 4 ? 3 * widest : 12);
        }
        for (int s = 0; s < 3; ++s) {
            const int64_t cells = g.result_dims[2 + s], source = g.source_dims[2 + s];
            if (uniform(0, 3) == 0)
                g.begin[s] = irregular_intervals(cells, source);
            else
                g.begin[s] = intervals(
                    cells, source,
                    cells == 0 ? 1 : double(source) / double(cells) * any_of(std::vector<double>{1, 1, 0.9, 1.3}));
        }
        for (bool is_source : {true, false}) {
            int order[] = {0, 1, 2, 3, 4};
            if (uniform(0, 2) != 0) std::shuffle(order, order + 5, generator);
            auto& dims = is_source ? g.source_dims : g.result_dims;
            auto& strides = is_source ? g.source_strides : g.result_strides;
            int64_t padded[5];
            for (int a = 0; a < 5; ++a) padded[a] = dims[a] + (uniform(0, 4) == 0 ? uniform(1, 3) : 0);
            set_strides(padded, order, strides);
            for (int64_t& stride : strides) {
                if (uniform(0, 7) == 0) stride = -stride;
                if (is_source && uniform(0, 15) == 0) stride = 0;
            }
        }
        check_case(g, Values(uniform(0, 2)), {int(uniform(1, 3))});
    }
}

// Large enough for several threads, for non-temporal stores, and for rows cut into parts.
void large_cases() {
    for (DType dtype : kTypes)
        for (const IntervalSum& g : {
                 geometry(dtype, 2, 6, {20, 40, 501}, {2, 1, 0.5}, kPlain, kPlain),
                 geometry(dtype, 1, 1, {1, 1, 9000001}, {1, 1, 1.5}, kPlain, kPlain),
                 geometry(dtype, 1, 3, {4, 100, 777}, {1, 1, 2}, kSwapped, kSwapped),
                 geometry(dtype, 1, 19, {8, 101, 300}, {1, 0.5, 1}, kChannelsLast, kChannelsLast),
                 geometry(dtype, 1, 5, {4, 301, 300}, {1, 0.5, 1.5}, kChannelsLast, kChannelsLast),
             })
            check_case(g, Values::special, {1, 2, 5});
}

// A source that repeats one element so often that no count of its rows fits into 64 bits must still be planned.
void huge_extents() {
    IntervalSum g = geometry(DType::float32, 1, 1, {1, 1, 1}, {1, 1, 1}, kPlain, kPlain);
    for (int i = 0; i < 3; ++i) {
        g.source_dims[2 + i] = int64_t(1) << 40;
        g.source_strides[2 + i] = 0;
        g.begin[i] = {0, i == 2 ? 0 : int64_t(1) << 40};  // empty along W: nothing to add up
    }
    check_case(g, Values::finite);
}

}  // namespace

int main() {
    every_factor_and_width();
    every_row_count();
    every_channel_count();
    every_width_along_h();
    long_intervals();
    random_geometries(4000);
    huge_extents();
    large_cases();
    std::printf("interval sums: ok, %lld cases\n", static_cast<long long>(cases));
}
