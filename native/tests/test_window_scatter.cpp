// The window scatter against an obvious loop, bit for bit: every way to compute it, all types, layouts, window shapes
// and thread counts; legal indices, indices anywhere in the plane, bad ones; zeros, infinities and NaN among the
// values.
#include "caches.h"
#include "core/thread_pool.h"
#include "kernels/plans.h"
#include "reference_float.h"
#include "strided.h"

using namespace acltwin;

namespace {

struct Windows {
    int64_t kernel[3], stride[3], padding[3], dilation[3];
    bool ceil_mode;

    int64_t extent(int axis) const { return (kernel[axis] - 1) * dilation[axis] + 1; }
    int64_t count(int axis, int64_t cells) const {
        const int64_t span = cells + 2 * padding[axis] - extent(axis);
        if (span < 0) return 0;
        int64_t windows = (ceil_mode ? span + stride[axis] - 1 : span) / stride[axis] + 1;
        if ((windows - 1) * stride[axis] >= cells + padding[axis]) --windows;
        return windows;
    }
    std::string text() const {
        std::string all;
        for (const auto* values : {kernel, stride, padding, dilation})
            all += " " + std::to_string(values[0]) + "," + std::to_string(values[1]) + "," + std::to_string(values[2]);
        return "windows" + all + (ceil_mode ? " ceil" : "");
    }
};

struct Case {
    DType dtype;
    Windows windows;
    Strided source, indices, result;

    WindowScatter geometry() const {
        WindowScatter g;
        g.dtype = dtype;
        g.index_dtype = indices.element_size == 4 ? DType::int32 : DType::int64;
        std::memcpy(g.source_dims, source.dims.of, sizeof g.source_dims);
        std::memcpy(g.source_strides, source.strides, sizeof g.source_strides);
        std::memcpy(g.index_strides, indices.strides, sizeof g.index_strides);
        std::memcpy(g.result_dims, result.dims.of, sizeof g.result_dims);
        std::memcpy(g.result_strides, result.strides, sizeof g.result_strides);
        std::memcpy(g.kernel, windows.kernel, sizeof g.kernel);
        std::memcpy(g.stride, windows.stride, sizeof g.stride);
        std::memcpy(g.padding, windows.padding, sizeof g.padding);
        std::memcpy(g.dilation, windows.dilation, sizeof g.dilation);
        return g;
    }
    std::string text() const {
        return std::string(name_of(dtype)) + " " + source.dims.text() + " to " + result.dims.text() + ", " +
               windows.text() + ", " + std::to_string(indices.element_size) + "-byte indices, " +
               std::to_string(num_threads()) + " threads";
    }
    Failure run(int missing_axis = -1) {
        WindowScatter g = geometry();
        g.missing_axis = missing_axis;
        const auto plan = plan_window_scatter(g, next_caches());
        std::vector<char> scratch(plan->scratch_bytes() + 64, char(0xff));  // not zero: no kernel may rely on that
        char* aligned = scratch.data() + -reinterpret_cast<uintptr_t>(scratch.data()) % 64;
        void* data[] = {source.data(), nullptr, indices.data(), result.data()};
        return plan->run(data, aligned);
    }
};

// A cell of the window at this position, as the pooling itself would choose it. If dilation leaves the window no cell
// inside the plane, any cell.
int64_t legal_index(const Windows& windows, const Dims& cells, const int64_t (&at)[5], Random& random) {
    int64_t index = 0;
    for (int axis = 0; axis < 3; ++axis) {
        std::vector<int64_t> choices;
        for (int64_t k = 0; k < windows.kernel[axis]; ++k) {
            const int64_t cell =
                at[2 + axis] * windows.stride[axis] - windows.padding[axis] + k * windows.dilation[axis];
            if (cell >= 0 && cell < cells.of[2 + axis]) choices.push_back(cell);
        }
        if (choices.empty()) choices.push_back(pick(random, 0, cells.of[2 + axis] - 1));
        index = index * cells.of[2 + axis] + choices[random() % choices.size()];
    }
    return index;
}

enum class Choice { legal, one_stray, anywhere };

// The dims of the result; those of the windows follow from them.
Case make_case(DType dtype, size_t index_size, Dims cells, const Windows& windows, const Layout (&layouts)[3],
               Choice choice, Random& random) {
    Dims counts = cells;
    for (int axis = 0; axis < 3; ++axis) counts.of[2 + axis] = windows.count(axis, cells.of[2 + axis]);
    Case made{dtype, windows, Strided(size_of(dtype), counts, layouts[0], random),
              Strided(index_size, counts, layouts[1], random), Strided(size_of(dtype), cells, layouts[2], random)};
    made.source.each([&](const auto& at) { store_special_or_random(dtype, made.source.at(at), random); });
    int64_t stray = choice == Choice::one_stray ? pick(random, 0, counts.total()) : -1;
    made.indices.each([&](const auto& at) {
        const bool anywhere = choice == Choice::anywhere || stray-- == 0;
        const int64_t index = anywhere ? pick(random, 0, cells.cells() - 1) : legal_index(windows, cells, at, random);
        store_index(made.indices, at, index);
    });
    return made;
}

// The definition, for sums of one type.
template <class Sum, class Load>
std::vector<unsigned char> expected_memory(Case& c, const Load& load) {
    std::vector<Sum> sums(size_t(c.result.dims.total()), Sum(0));
    const int64_t plane = c.result.dims.cells();
    c.source.each([&](const auto& at) {
        const int64_t first = (at[0] * c.source.dims.of[1] + at[1]) * plane;
        Sum& sum = sums[size_t(first + load_index(c.indices, at))];
        sum = add_in_order(sum, load(c.source.at(at)));
    });
    std::vector<unsigned char> before = c.result.memory;
    size_t next = 0;
    c.result.each([&](const auto& at) { store_rounded(c.dtype, sums[next++], c.result.at(at)); });
    before.swap(c.result.memory);
    return before;
}

std::vector<unsigned char> expected_memory(Case& c) {
    if (c.dtype == DType::float64) return expected_memory<double>(c, load_double);
    return expected_memory<float>(c, [&](const void* element) { return widened(c.dtype, element); });
}

// Where the machine's order of operands is the compiler's choice, so is which of two NaN survives.
void unify_nans(Case& c) {
#if !defined(__x86_64__)
    c.result.each([&](const auto& at) {
        unsigned char* const cell = c.result.at(at);
        const bool nan = c.dtype == DType::float64 ? std::isnan(load_double(cell)) : std::isnan(widened(c.dtype, cell));
        if (nan) std::memset(cell, 0xff, c.result.element_size);
    });
#else
    (void)c;
#endif
}

void compare(Case& c, int largest_thread_count = 1) {
    if (c.source.dims.total() == 0) return;
    const std::vector<unsigned char> untouched = c.result.memory;
    c.result.memory = expected_memory(c);
    unify_nans(c);
    const std::vector<unsigned char> expected = c.result.memory;
    for (int threads = 1; threads <= largest_thread_count; ++threads) {
        set_num_threads(threads);
        c.result.memory = untouched;
        const Failure failure = c.run();
        expect(!failure, c.text() + ": " + failure.text);
        unify_nans(c);
        expect(c.result.memory == expected, c.text());
    }
}

constexpr DType kTypes[] = {DType::float32, DType::float16, DType::bfloat16, DType::float64};

Windows random_windows(Random& random, bool touching) {
    Windows windows = {};
    for (int axis = 0; axis < 3; ++axis) {
        windows.kernel[axis] = pick(random, 1, axis == 2 ? 9 : 4);
        windows.stride[axis] = touching ? windows.kernel[axis] : pick(random, 1, 5);
        windows.padding[axis] = touching ? 0 : pick(random, 0, windows.kernel[axis] / 2);
        windows.dilation[axis] = touching || pick(random, 0, 2) ? 1 : pick(random, 1, 3);
    }
    windows.ceil_mode = random() % 2;
    return windows;
}

void random_cases() {
    Random random(1);
    for (int round = 0; round < 2000; ++round) {
        const bool tiny = round % 3 == 0;
        const Windows windows = random_windows(random, random() % 2);
        Dims cells = {{pick(random, 1, 2), pick(random, 1, 3), 0, 0, 0}};
        for (int axis = 2; axis < 5; ++axis) cells.of[axis] = pick(random, 1, tiny ? 9 : 40);
        const Layout readable[] = {Layout::contiguous, Layout::channels_last, Layout::any, Layout::broadcast};
        const Layout layouts[3] = {readable[pick(random, 0, 3)], readable[pick(random, 0, 3)],
                                   readable[pick(random, 0, 2)]};
        Case c = make_case(kTypes[round % 4], random() % 2 ? 4 : 8, cells, windows, layouts,
                           Choice(pick(random, 0, 5) < 4 ? 0 : pick(random, 1, 2)), random);
        compare(c);
    }
}

// Everything channels last, whole tensors or some channels of larger ones: any number of channels, planes from one row
// of windows to several boxes, windows that overlap, touch or leave gaps.
void channels_last_cases() {
    Random random(5);
    const int64_t channels[] = {2, 3, 7, 8, 9, 16, 17, 33, 64, 300, 600};
    const Layout last[] = {Layout::channels_last, Layout::channels_last, Layout::some_channels};
    for (int round = 0; round < 1500; ++round) {
        const Windows windows = random_windows(random, random() % 2);
        Dims cells = {{pick(random, 1, 2), channels[pick(random, 0, 10)], 0, 0, 0}};
        const int64_t most = cells.of[1] < 20 ? 26 : cells.of[1] < 100 ? 12 : 5;
        for (int axis = 2; axis < 5; ++axis) cells.of[axis] = pick(random, 1, random() % 4 == 0 ? most * 3 : most);
        if (round % 5 == 0) cells.of[2] = 1;
        const Layout layouts[3] = {last[pick(random, 0, 2)], last[pick(random, 0, 2)], last[pick(random, 0, 2)]};
        Case c = make_case(kTypes[round % 4], random() % 2 ? 4 : 8, cells, windows, layouts,
                           Choice(pick(random, 0, 5) < 4 ? 0 : pick(random, 1, 2)), random);
        compare(c, round % 3 == 0 ? 3 : 1);
    }
}

// Large enough for several threads, several strips and slabs, chunks of long rows, non-temporal lines.
void large_cases() {
    Random random(2);
    const Layout same[][3] = {{Layout::contiguous, Layout::contiguous, Layout::contiguous},
                              {Layout::channels_last, Layout::channels_last, Layout::channels_last},
                              {Layout::contiguous, Layout::any, Layout::channels_last}};
    const Windows shapes[] = {
        {{2, 2, 2}, {2, 2, 2}, {0, 0, 0}, {1, 1, 1}, false}, {{3, 3, 3}, {2, 2, 2}, {1, 1, 1}, {1, 1, 1}, false},
        {{3, 3, 3}, {1, 1, 1}, {1, 1, 1}, {1, 1, 1}, false}, {{1, 3, 2}, {1, 2, 2}, {0, 1, 0}, {1, 1, 1}, true},
        {{3, 2, 3}, {3, 2, 3}, {0, 0, 0}, {1, 1, 1}, true},  {{2, 3, 2}, {1, 4, 1}, {1, 1, 1}, {3, 2, 2}, false}};
    const Dims sizes[] = {{{1, 1, 24, 90, 300}}, {{2, 20, 9, 20, 37}}, {{1, 1, 3, 5, 9000}}};
    for (const auto& layouts : same)
        for (const Windows& windows : shapes)
            for (const Dims& cells : sizes) {
                const DType dtype = kTypes[pick(random, 0, 3)];
                Case c = make_case(dtype, random() % 2 ? 4 : 8, cells, windows, layouts,
                                   Choice(pick(random, 0, 4) < 3 ? 0 : pick(random, 1, 2)), random);
                compare(c, 3);
            }
    const Windows apart = {{2, 2, 2}, {3, 3, 3}, {0, 0, 0}, {1, 1, 1}, false};  // slabs begin between two windows
    for (DType dtype : kTypes) {
        Case c = make_case(dtype, 8, sizes[0], apart, same[0], Choice::legal, random);
        compare(c, 3);
    }
    for (const Windows& windows : {shapes[0], shapes[1]})
        for (DType dtype : kTypes) {
            Case c = make_case(dtype, 4, {{1, 3, 26, 200, 279 + 260 * (dtype != DType::float32)}}, windows, same[0],
                               Choice::legal, random);
            compare(c);
        }
}

void bad_index(Case& c, const int64_t (&at)[5], int64_t value, const std::string& position, int missing_axis) {
    const int64_t good = load_index(c.indices, at);
    store_index(c.indices, at, value);
    const std::string text = "indices[" + position + "] is " + std::to_string(value) + ", expected 0 <= index < " +
                             std::to_string(c.result.dims.cells()) + " (D*H*W of {self} = ";
    for (int threads : {1, 3}) {
        set_num_threads(threads);
        const Failure failure = c.run(missing_axis);
        expect(failure.code == kKernelException && std::string(failure.rule) == "index_range", "code of a bad index");
        expect(failure.text.compare(0, text.size(), text) == 0,
               "expected '" + text + "...', got '" + failure.text + "'");
    }
    store_index(c.indices, at, good);
    compare(c);
}

void bad_indices() {
    Random random(3);
    const Layout contiguous[3] = {}, last[3] = {Layout::channels_last, Layout::channels_last, Layout::channels_last};
    const Windows shapes[] = {{{2, 2, 2}, {2, 2, 2}, {0, 0, 0}, {1, 1, 1}, false},
                              {{3, 3, 3}, {2, 2, 2}, {1, 1, 1}, {1, 1, 1}, false}};
    for (const Windows& windows : shapes)
        for (DType dtype : kTypes)
            for (size_t index_size : {4, 8}) {
                Case small = make_case(dtype, index_size, {{2, 3, 4, 4, 4}}, windows, last, Choice::legal, random);
                bad_index(small, {1, 2, 0, 1, 1}, 64, "1, 2, 0, 1, 1", -1);
                bad_index(small, {0, 0, 0, 0, 0}, -1, "0, 0, 0, 0", 1);
                bad_index(small, {1, 2, 1, 1, 1}, INT32_MIN, "2, 1, 1, 1", 0);

                Case large =
                    make_case(dtype, index_size, {{1, 2, 20, 60, 90}}, windows, contiguous, Choice::legal, random);
                bad_index(large, {0, 0, 5, 6, 7}, INT32_MAX, "0, 0, 5, 6, 7", -1);
                bad_index(large, {0, 1, 5, 6, 7}, large.result.dims.cells(), "0, 1, 5, 6, 7", -1);
                if (index_size == 4) continue;
                bad_index(large, {0, 0, 0, 0, 9}, INT64_MIN, "0, 0, 0, 0, 9", -1);
                const int64_t at[5] = {0, 1, 4, 4, 4};  // its lower half is a legal index
                bad_index(large, at, load_index(large.indices, at) + (int64_t(1) << 32), "0, 1, 4, 4, 4", -1);
            }
}

// In ceil mode the last window of a row reaches beyond it; an index there is a cell of the next row.
void beyond_the_row() {
    Random random(6);
    const Layout contiguous[3] = {};
    const Windows touching = {{2, 2, 2}, {2, 2, 2}, {0, 0, 0}, {1, 1, 1}, true};
    for (DType dtype : kTypes)
        for (int64_t row : {0, 1, 20, 21}) {
            Case c = make_case(dtype, 4, {{1, 1, 8, 20, 301}}, touching, contiguous, Choice::legal, random);
            store_index(c.indices, {0, 0, 1, 2, 150}, ((2 * 20 + 2 * 2) + row + 1) * 301);
            compare(c);
        }
}

// The windows are only a hint: whatever they say, the sums are right and no memory is harmed.
void odd_hints() {
    Random random(4);
    const int64_t odd[] = {INT64_MIN, -1, 0, 1, 2, 3, 7, 100, 1 << 20, (1 << 20) + 1, int64_t(1) << 40, INT64_MAX};
    const Windows honest = {{2, 2, 2}, {2, 2, 2}, {0, 0, 0}, {1, 1, 1}, false};
    for (int round = 0; round < 200; ++round) {
        const Layout contiguous[3] = {};
        Case c =
            make_case(DType::float32, 8, {{1, 2, 17, 18, 19}}, honest, contiguous, Choice(pick(random, 0, 2)), random);
        for (auto* values : {c.windows.kernel, c.windows.stride, c.windows.padding, c.windows.dilation})
            for (int axis = 0; axis < 3; ++axis)
                if (random() % 4 == 0) values[axis] = odd[pick(random, 0, int64_t(std::size(odd)) - 1)];
        compare(c);
    }
}

void nothing_to_do() {
    WindowScatter g;
    g.dtype = DType::float32;
    for (int axis = 0; axis < 5; ++axis) g.result_dims[axis] = g.source_dims[axis] = 3;
    g.result_dims[1] = g.source_dims[1] = 0;
    expect(!plan_window_scatter(g)->run(nullptr, nullptr), "an empty result");
}

}  // namespace

int main() {
    random_cases();
    channels_last_cases();
    large_cases();
    bad_indices();
    beyond_the_row();
    odd_hints();
    nothing_to_do();
    std::puts("window scatter: ok");
}
