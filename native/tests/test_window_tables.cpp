// Windows from tables, maxima without indices, maxima of integers, windows outside the source, against the definition,
// bit for bit; and the gradients of such windows.
#include <cmath>
#include <limits>

#include "caches.h"
#include "core/thread_pool.h"
#include "exact_memory.h"
#include "kernels/plans.h"
#include "reference_float.h"
#include "seed.h"

using namespace acltwin;

namespace {

constexpr DType kFloats[] = {DType::float32, DType::float16, DType::bfloat16, DType::float64};
constexpr DType kIntegers[] = {DType::int8, DType::uint8, DType::int16, DType::uint16, DType::int32, DType::int64};

// The cells of each window along one axis, inside the source.
typedef std::vector<std::vector<int64_t>> Cells;

struct Axis {
    int64_t size = 1, kernel = 1, stride = 1, padding = 0, dilation = 1, windows = 1;
    std::vector<int64_t> begin, end;

    Cells cells() const {
        Cells all(static_cast<size_t>(windows));
        for (int64_t o = 0; o < windows; ++o)
            for (int64_t tap = 0; tap < (begin.empty() ? kernel : end[size_t(o)] - begin[size_t(o)]); ++tap) {
                const int64_t cell = begin.empty() ? o * stride - padding + tap * dilation : begin[size_t(o)] + tap;
                if (cell >= 0 && cell < size) all[size_t(o)].push_back(cell);
            }
        return all;
    }
    std::string text() const {
        std::string all = " [" + std::to_string(size) + "->" + std::to_string(windows);
        for (int64_t n : {kernel, stride, padding, dilation}) all += " " + std::to_string(n);
        return all + (begin.empty() ? "]" : " table]");
    }
};

enum class Kind { adaptive, table, fixed, outside };

Axis random_axis(Kind kind, int64_t size, Random& random) {
    Axis axis;
    axis.size = size;
    if (kind == Kind::adaptive || kind == Kind::table) {
        axis.windows = pick(random, 1, random() % 2 ? size : 2 * size + 3);
        for (int64_t o = 0; o < axis.windows; ++o) {
            axis.begin.push_back(o * size / axis.windows);
            axis.end.push_back(((o + 1) * size - 1) / axis.windows + 1);
        }
        if (kind == Kind::table)
            for (size_t o = 0; o < axis.begin.size(); ++o) {
                axis.begin[o] = std::max(o > 0 ? axis.begin[o - 1] : 0, axis.begin[o] - pick(random, 0, 3));
                axis.end[o] = std::max(o > 0 ? axis.end[o - 1] : 1, std::min(size, axis.end[o] + pick(random, 0, 3)));
            }
        axis.kernel = -7;  // nobody looks
        axis.stride = 0;
        return axis;
    }
    axis.kernel = pick(random, 1, std::min<int64_t>(size, 5));
    axis.stride = pick(random, 1, 4);
    if (kind == Kind::outside) {
        axis.padding = pick(random, 0, axis.kernel);
        axis.windows = (size + axis.kernel - 1) / axis.stride + 1;  // the last ones may begin after the source
    } else {
        axis.padding = pick(random, 0, axis.kernel / 2);
        axis.windows = (size + axis.padding - axis.kernel) / axis.stride + 1;
    }
    return axis;
}

// Order of values; an integer's is that of long double, which holds it.
long double number(DType dtype, const unsigned char* element) {
    uint64_t bits = 0;
    std::memcpy(&bits, element, size_of(dtype));
    switch (dtype) {
        case DType::float64: return load_double(element);
        case DType::uint8:
        case DType::uint16: return static_cast<long double>(bits);
        case DType::int8:
        case DType::int16:
        case DType::int32:
        case DType::int64: {
            const int shift = 64 - 8 * int(size_of(dtype));
            return static_cast<long double>(int64_t(bits << shift) >> shift);
        }
        default: return widened(dtype, element);
    }
}

bool is_float(DType dtype) { return std::find(std::begin(kFloats), std::end(kFloats), dtype) != std::end(kFloats); }

void store_lowest(DType dtype, unsigned char* element) {
    if (dtype == DType::float64) return store_rounded(dtype, -HUGE_VAL, element);
    if (is_float(dtype)) return store_rounded(dtype, -HUGE_VALF, element);
    const bool is_unsigned = dtype == DType::uint8 || dtype == DType::uint16;
    const uint64_t bits = is_unsigned ? 0 : uint64_t(1) << (8 * size_of(dtype) - 1);
    std::memcpy(element, &bits, size_of(dtype));
}

struct Problem {
    Axis axes[3];
    Dims source, result;
    std::string what;
};

Problem random_problem(std::initializer_list<Kind> kinds, Random& random) {
    Problem p;
    p.source = {{pick(random, 1, 2), random() % 3 == 0 ? pick(random, 1, 40) : pick(random, 1, 3), 0, 0, 0}};
    p.source.of[2] = random() % 2 ? 1 : pick(random, 1, 5);
    p.source.of[3] = pick(random, 1, 9);
    p.source.of[4] = pick(random, 1, random() % 4 == 0 ? 3000 / p.source.of[1] : 40);
    p.result = p.source;
    for (int i = 0; i < 3; ++i) {
        const Kind kind = *(kinds.begin() + pick(random, 0, int64_t(kinds.size()) - 1));
        p.axes[i] = random_axis(kind, p.source.of[2 + i], random);
        p.result.of[2 + i] = p.axes[i].windows;
        p.what += p.axes[i].text();
    }
    return p;
}

template <class Geometry>
void set_windows(Geometry& g, const Problem& p) {
    for (int i = 0; i < 3; ++i) {
        g.kernel[i] = p.axes[i].kernel;
        g.stride[i] = p.axes[i].stride;
        g.padding[i] = p.axes[i].padding;
        g.dilation[i] = p.axes[i].dilation;
        g.begin[i] = p.axes[i].begin;
        g.end[i] = p.axes[i].end;
    }
}

// `index_size` 0: no indices.
void compare_maxima(const Problem& p, DType dtype, size_t index_size, const Layout (&layouts)[3], Random& random) {
    const size_t size = size_of(dtype);
    Strided source(size, p.source, layouts[0], random), result(size, p.result, layouts[1], random);
    Strided indices(index_size == 0 ? 4 : index_size, p.result, layouts[2], random);
    const int64_t few = random() % 2 ? 5 : 0;
    source.each([&](const auto& at) {
        const uint64_t bits = few > 0 ? random() % uint64_t(few) : random();
        std::memcpy(source.at(at), &bits, size);
        if (is_float(dtype) && random() % 2) store_special_or_random(dtype, source.at(at), random);
    });
    WindowMax g;
    g.source = 2;
    g.result = 0;
    g.indices = 1;
    g.dtype = dtype;
    g.index_dtype = index_size == 0 ? DType::undefined : index_size == 4 ? DType::int32 : DType::int64;
    std::memcpy(g.source_dims, p.source.of, sizeof g.source_dims);
    std::memcpy(g.source_strides, source.strides, sizeof g.source_strides);
    std::memcpy(g.result_dims, p.result.of, sizeof g.result_dims);
    std::memcpy(g.result_strides, result.strides, sizeof g.result_strides);
    std::memcpy(g.index_strides, indices.strides, sizeof g.index_strides);
    set_windows(g, p);
    const auto plan = plan_window_max(g);
    std::vector<unsigned char> scratch(plan->scratch_bytes() + 64);
    ExactMemory exact(source);
    void* data[] = {result.data(), index_size == 0 ? nullptr : indices.data(), exact.data()};
    expect(!plan->run(data, scratch.data() + 64 - reinterpret_cast<uintptr_t>(scratch.data()) % 64), p.what);
    const std::vector<unsigned char> values = result.memory, where = indices.memory;

    const Cells cells[] = {p.axes[0].cells(), p.axes[1].cells(), p.axes[2].cells()};
    result.each([&](const auto& at) {
        store_lowest(dtype, result.at(at));
        const unsigned char* best = nullptr;
        for (int64_t d : cells[0][size_t(at[2])])
            for (int64_t h : cells[1][size_t(at[3])])
                for (int64_t w : cells[2][size_t(at[4])]) {
                    const unsigned char* const next = source.at({at[0], at[1], d, h, w});
                    const long double value = number(dtype, next);
                    if (best != nullptr && !(value > number(dtype, best)) && !std::isnan(value)) continue;
                    best = next;
                    std::memcpy(result.at(at), next, size);
                    if (index_size > 0) store_index(indices, at, (d * p.source.of[3] + h) * p.source.of[4] + w);
                }
    });
    const std::string text = std::string(name_of(dtype)) + " " + p.source.text() + p.what + ", " + plan->variant() +
                             ", " + std::to_string(index_size) + "-byte indices";
    expect(values == result.memory, "values: " + text);
    expect(where == indices.memory, "indices: " + text);
}

Layout random_layout(Random& random) {
    const Layout some[] = {Layout::contiguous, Layout::channels_last, Layout::any};
    return some[pick(random, 0, 2)];
}

void maxima(Random& random) {
    for (int round = 0; round < 1500; ++round) {
        const Layout result = random_layout(random);
        const Layout layouts[3] = {random_layout(random), result, random() % 2 ? result : random_layout(random)};
        const bool integers = round % 4 == 0;
        const DType dtype = integers ? kIntegers[round / 4 % 6] : kFloats[round % 16 / 4];
        const size_t index_size = integers ? 0 : size_t(round % 3) * 4;
        const Problem p = index_size == 0
                              ? random_problem({Kind::adaptive, Kind::table, Kind::fixed, Kind::outside}, random)
                              : random_problem({Kind::adaptive, Kind::table, Kind::fixed}, random);
        set_num_threads(1 + round % 2);
        compare_maxima(p, dtype, index_size, layouts, random);
    }
}

template <class Sum, class Load>
void expected_sums(Strided& gradients, Strided& indices, Strided& result, DType dtype, const Load& load) {
    std::vector<Sum> sums(size_t(result.dims.total()), Sum(0));
    gradients.each([&](const auto& at) {
        const int64_t first = (at[0] * result.dims.of[1] + at[1]) * result.dims.cells();
        Sum& sum = sums[size_t(first + load_index(indices, at))];
        sum = add_in_order(sum, load(gradients.at(at)));
    });
    size_t next = 0;
    result.each([&](const auto& at) { store_rounded(dtype, sums[next++], result.at(at)); });
}

// `hint` has windows that may not be those of the problem.
void compare_gradients(const Problem& p, const Problem& hint, DType dtype, bool stray, const Layout (&layouts)[3],
                       Random& random) {
    Strided gradients(size_of(dtype), p.result, layouts[0], random),
        result(size_of(dtype), p.source, layouts[2], random);
    Strided indices(random() % 2 ? 4 : 8, p.result, layouts[1], random);
    const Cells cells[] = {p.axes[0].cells(), p.axes[1].cells(), p.axes[2].cells()};
    // Without NaN, of which only x86-64 says which one survives.
    gradients.each([&](const auto& at) {
        const float value = float(int64_t(random() % 2001) - 1000) / 64;
        dtype == DType::float64 ? store_rounded(dtype, double(value) / 63, gradients.at(at))
                                : store_rounded(dtype, value, gradients.at(at));
        int64_t index = 0;
        for (int i = 0; i < 3; ++i) {
            const std::vector<int64_t>& own = cells[i][size_t(at[2 + i])];
            index = index * p.source.of[2 + i] + own[random() % own.size()];
        }
        store_index(indices, at, stray && random() % 50 == 0 ? pick(random, 0, p.source.cells() - 1) : index);
    });
    WindowScatter g;
    g.dtype = dtype;
    g.index_dtype = indices.element_size == 4 ? DType::int32 : DType::int64;
    std::memcpy(g.source_dims, p.result.of, sizeof g.source_dims);
    std::memcpy(g.source_strides, gradients.strides, sizeof g.source_strides);
    std::memcpy(g.index_strides, indices.strides, sizeof g.index_strides);
    std::memcpy(g.result_dims, p.source.of, sizeof g.result_dims);
    std::memcpy(g.result_strides, result.strides, sizeof g.result_strides);
    if (random() % 8 != 0) set_windows(g, hint);  // or no hint at all
    const auto plan = plan_window_scatter(g, next_caches());
    std::vector<char> scratch(plan->scratch_bytes() + 64, char(0xff));
    void* data[] = {gradients.data(), nullptr, indices.data(), result.data()};
    const Failure failure = plan->run(data, scratch.data() + -reinterpret_cast<uintptr_t>(scratch.data()) % 64);
    expect(!failure, failure.text);
    const std::vector<unsigned char> got = result.memory;
    if (dtype == DType::float64)
        expected_sums<double>(gradients, indices, result, dtype, load_double);
    else
        expected_sums<float>(gradients, indices, result, dtype, [&](const void* e) { return widened(dtype, e); });
    expect(got == result.memory,
           std::string(name_of(dtype)) + " gradients " + p.source.text() + p.what + ", " + plan->variant());
}

void gradients(Random& random) {
    for (int round = 0; round < 1500; ++round) {
        const Layout one = random_layout(random);
        Layout layouts[3] = {one, one, one};
        if (round % 3 == 0)
            for (Layout& layout : layouts) layout = random_layout(random);
        set_num_threads(1 + round % 3);
        const Problem p = random_problem({Kind::adaptive, Kind::table, Kind::fixed}, random);
        compare_gradients(p, p, kFloats[round % 4], round % 5 == 0, layouts, random);
    }
}

// A hint that is none: tables that are too short, out of order, outside the plane.
void odd_tables(Random& random) {
    const int64_t odd[] = {INT64_MIN, -1, 0, 1, 2, 3, 100, INT64_MAX};
    for (int round = 0; round < 200; ++round) {
        const Problem p = random_problem({Kind::fixed}, random);
        Problem hint = p;
        for (Axis& axis : hint.axes)
            for (int64_t i = pick(random, 0, axis.windows + 1); i > 0; --i) {
                axis.begin.push_back(odd[pick(random, 0, 7)]);
                if (random() % 9 != 0) axis.end.push_back(odd[pick(random, 0, 7)]);
            }
        const Layout layouts[3] = {Layout::channels_last, Layout::channels_last, Layout::channels_last};
        compare_gradients(p, hint, kFloats[round % 4], false, layouts, random);
    }
}

}  // namespace

int main() {
    Random random(printed_seed());
    maxima(random);
    gradients(random);
    odd_tables(random);
    std::puts("window tables: ok");
}
