// Nearest copies against an obvious loop, bit for bit: every element size, layout, pattern of positions and thread
// count.
#include <algorithm>

#include "caches.h"
#include "core/thread_pool.h"
#include "exact_memory.h"
#include "kernels/plans.h"

using namespace acltwin;

namespace {

struct Case {
    Strided source, result;
    std::vector<int64_t> from[3];

    std::string text() const {
        return std::to_string(source.element_size) + "-byte elements of " + source.dims.text() + " to " +
               result.dims.text() + ", " + std::to_string(num_threads()) + " threads";
    }
};

// The positions of `cells` cells: a factor as operators have them, or any rising numbers.
std::vector<int64_t> positions(int64_t columns, int64_t cells, bool regular, Random& random) {
    std::vector<int64_t> from;
    for (int64_t i = 0; i < cells; ++i) from.push_back(regular ? i * columns / cells : pick(random, 0, columns - 1));
    std::sort(from.begin(), from.end());
    return from;
}

Case make_case(size_t element_size, const Dims& source, const Dims& result, Layout from, Layout to, bool regular,
               Random& random) {
    Case made{Strided(element_size, source, from, random), Strided(element_size, result, to, random), {}};
    fill_random_bytes(made.source, random);
    for (int i = 0; i < 3; ++i) made.from[i] = positions(source.of[2 + i], result.of[2 + i], regular, random);
    return made;
}

// The definition.
std::vector<unsigned char> expected_memory(Case& c) {
    std::vector<unsigned char> before = c.result.memory;
    c.result.each([&](const auto& at) {
        const int64_t from[5] = {at[0], at[1], c.from[0][size_t(at[2])], c.from[1][size_t(at[3])],
                                 c.from[2][size_t(at[4])]};
        std::memcpy(c.result.at(at), c.source.at(from), c.source.element_size);
    });
    before.swap(c.result.memory);
    return before;
}

void compare(Case& c) {
    NearestCopy g;
    g.element_size = c.source.element_size;
    std::memcpy(g.source_dims, c.source.dims.of, sizeof g.source_dims);
    std::memcpy(g.source_strides, c.source.strides, sizeof g.source_strides);
    std::memcpy(g.result_dims, c.result.dims.of, sizeof g.result_dims);
    std::memcpy(g.result_strides, c.result.strides, sizeof g.result_strides);
    for (int i = 0; i < 3; ++i) g.from[i] = c.from[i];
    const std::vector<unsigned char> expected = expected_memory(c);
    const auto plan = plan_nearest_copy(g, next_caches());
    std::vector<unsigned char> scratch(plan->scratch_bytes() + 64);
    unsigned char* const aligned = scratch.data() + (64 - reinterpret_cast<uintptr_t>(scratch.data()) % 64) % 64;
    ExactMemory source(c.source);
    void* data[] = {source.data(), c.result.data()};
    expect(!plan->run(data, aligned) && c.result.memory == expected, c.text());
}

constexpr Layout kReadable[] = {Layout::contiguous, Layout::channels_last, Layout::any, Layout::broadcast};

void random_cases() {
    Random random(1);
    for (int round = 0; round < 6000; ++round) {
        const int64_t channels = round % 8 == 0 ? 1 : pick(random, 1, 40);
        const Dims source = {
            {pick(random, 1, 3), channels, pick(random, 1, 4), pick(random, 1, 5), pick(random, 1, 40)}};
        Dims result = source;
        for (int axis = 2; axis < 5; ++axis) {
            const int64_t size = source.of[axis], kind = pick(random, 0, 4);
            result.of[axis] = kind == 0 ? size : kind == 1 ? size * pick(random, 2, 5) : pick(random, 1, 2 * size);
        }
        Case c = make_case(size_t(1) << pick(random, 0, 3), source, result, kReadable[pick(random, 0, 3)],
                           kReadable[pick(random, 0, 2)], random() % 4 != 0, random);
        compare(c);
    }
}

// Every pattern that the rows' tables can have: whole and broken factors, periods of one to many blocks, rows of
// several parts.
void row_patterns() {
    Random random(2);
    for (size_t element_size : {1, 2, 4, 8})
        for (int64_t channels : {1, 2, 3, 5, 16, 300})
            for (int64_t columns : {7, 64, 240})
                for (int64_t cells :
                     {columns, 2 * columns, 3 * columns, 4 * columns, 5 * columns, columns * 3 / 2, columns * 5 / 4,
                      columns * 7 / 3, columns * 27 / 10, columns / 2, columns * 10 + 1}) {
                    const Layout layout = channels == 1 ? Layout::contiguous : Layout::channels_last;
                    Case c = make_case(element_size, {{1, channels, 2, 3, columns}}, {{1, channels, 3, 6, cells}},
                                       layout, layout, true, random);
                    compare(c);
                }
}

// Columns that are apart while rows, or channels, lie together: just enough of them to be packed, and not quite; parts
// of rows; rows that begin anywhere; positions that repeat, leave out, and jump.
void packed_rows() {
    Random random(4);
    for (size_t element_size : {1, 2, 4, 8})
        for (Layout layout : {Layout::h_innermost, Layout::channels_last})
            for (int64_t neighbours : {1, 2, 15, 16, 17, 63, 64, 100, 300})
                for (int64_t columns : {1, 3, 8, 15, 16, 31, 700, 1500}) {
                    const bool rows = layout == Layout::h_innermost;
                    const Dims source = {{1, rows ? 2 : neighbours, 2, rows ? neighbours : 3, columns}};
                    Dims result = source;
                    for (int axis = 2; axis < 5; ++axis) result.of[axis] = pick(random, 1, 2 * source.of[axis] + 1);
                    set_num_threads(int(pick(random, 1, 3)));
                    Case c =
                        make_case(element_size, source, result, layout, Layout::contiguous, random() % 4 != 0, random);
                    compare(c);
                }
}

// Large enough for several threads and for non-temporal stores, with rows that are aligned and rows that are not.
void large_cases() {
    Random random(3);
    for (int64_t width : {64, 50, 63})
        for (size_t element_size : {2, 8})
            for (Layout layout : {Layout::contiguous, Layout::channels_last, Layout::any})
                for (int threads : {1, 3}) {
                    set_num_threads(threads);
                    const Dims source = {{5, 12 / int64_t(element_size) + 1, 16, 32, width}};
                    Dims result = source;
                    for (int axis = 2; axis < 5; ++axis)
                        result.of[axis] = width == 50 ? source.of[axis] * 5 / 2 : source.of[axis] * 2;
                    Case c = make_case(element_size, source, result, layout, layout, true, random);
                    compare(c);
                }
    Case copy =
        make_case(4, {{7, 5, 32, 65, 67}}, {{7, 5, 32, 65, 67}}, Layout::contiguous, Layout::contiguous, true, random);
    compare(copy);
    Case one_row = make_case(2, {{1, 1, 1, 1, 600000}}, {{1, 1, 1, 1, 9000000}}, Layout::contiguous, Layout::contiguous,
                             true, random);
    compare(one_row);
}

void nothing_and_absurd() {
    NearestCopy g;
    g.element_size = 4;
    for (int axis = 0; axis < 5; ++axis) g.source_dims[axis] = g.result_dims[axis] = 1;
    for (auto& from : g.from) from = {0};
    g.source_dims[1] = g.result_dims[1] = 0;
    expect(plan_nearest_copy(g) == nullptr, "an empty result");

    // A source of absurd size, all of it the same element, and strides of axes that have one cell.
    for (int axis = 0; axis < 5; ++axis) {
        g.source_dims[axis] = axis < 2 ? 1 : int64_t(1) << 40;
        g.result_dims[axis] = 1;
        g.result_strides[axis] = INT64_MAX;
    }
    for (auto& from : g.from) from = {(int64_t(1) << 40) - 1};
    uint32_t source = 77, result = 0;
    void* data[] = {&source, &result};
    expect(!plan_nearest_copy(g)->run(data, nullptr) && result == 77, "a source of absurd size");
}

}  // namespace

int main() {
    random_cases();
    row_patterns();
    packed_rows();
    large_cases();
    nothing_and_absurd();
    std::puts("nearest copy: ok");
}
