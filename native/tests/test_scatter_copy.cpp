// Scattered copies against an obvious loop, bit for bit: every element size, index type, layout and thread count;
// indices in order and at random, several for one cell, and bad ones.
#include "caches.h"
#include "core/thread_pool.h"
#include "exact_memory.h"
#include "kernels/plans.h"

using namespace acltwin;

namespace {

struct Case {
    Strided source, indices, result;
    int missing_axis = -1;

    std::string text() const {
        return std::to_string(source.element_size) + "-byte elements of " + source.dims.text() + " to " +
               result.dims.text() + ", " + std::to_string(indices.element_size) + "-byte indices, " +
               std::to_string(num_threads()) + " threads";
    }

    Failure run() {
        ScatterCopy g;
        g.element_size = source.element_size;
        g.index_dtype = indices.element_size == 4 ? DType::int32 : DType::int64;
        g.missing_axis = missing_axis;
        std::memcpy(g.source_dims, source.dims.of, sizeof g.source_dims);
        std::memcpy(g.source_strides, source.strides, sizeof g.source_strides);
        std::memcpy(g.index_strides, indices.strides, sizeof g.index_strides);
        std::memcpy(g.result_dims, result.dims.of, sizeof g.result_dims);
        std::memcpy(g.result_strides, result.strides, sizeof g.result_strides);
        const auto plan = plan_scatter_copy(g, next_caches());
        std::vector<unsigned char> scratch(plan->scratch_bytes() + 64, 0xee);
        ExactMemory values(source), where(indices);
        void* data[] = {values.data(), where.data(), result.data()};
        return plan->run(data, scratch.data() + 64 - reinterpret_cast<uintptr_t>(scratch.data()) % 64);
    }
};

// The cell of window `at`, as pooling with windows of `reach` times the stride would find it; or any cell.
enum class Order { windows, overlapping, random };

int64_t random_index(const Dims& source, const Dims& result, const int64_t (&at)[5], Order order, Random& random) {
    if (order == Order::random) return pick(random, 0, result.cells() - 1);
    int64_t index = 0;
    for (int axis = 2; axis < 5; ++axis) {
        const int64_t size = result.of[axis], stride = std::max<int64_t>(1, size / source.of[axis]);
        const int64_t first = std::min(at[axis] * stride, size - 1);
        const int64_t last = std::min(first + stride * (order == Order::overlapping ? 2 : 1), size) - 1;
        index = index * size + pick(random, first, last);
    }
    return index;
}

Case make_case(size_t element_size, size_t index_size, const Dims& source, const Dims& result,
               const Layout (&layouts)[3], Order order, Random& random) {
    Case made{Strided(element_size, source, layouts[0], random), Strided(index_size, source, layouts[1], random),
              Strided(element_size, result, layouts[2], random)};
    fill_random_bytes(made.source, random);
    made.indices.each(
        [&](const auto& at) { store_index(made.indices, at, random_index(source, result, at, order, random)); });
    return made;
}

// The definition.
std::vector<unsigned char> expected_memory(Case& c) {
    std::vector<unsigned char> before = c.result.memory;
    c.result.each([&](const auto& at) { std::memset(c.result.at(at), 0, c.result.element_size); });
    c.source.each([&](const auto& at) {
        const int64_t index = load_index(c.indices, at), *dims = c.result.dims.of;
        const int64_t to[5] = {at[0], at[1], index / (dims[3] * dims[4]), index / dims[4] % dims[3], index % dims[4]};
        std::memcpy(c.result.at(to), c.source.at(at), c.source.element_size);
    });
    before.swap(c.result.memory);
    return before;
}

void compare(Case& c) {
    const std::vector<unsigned char> expected = expected_memory(c);
    const Failure failure = c.run();
    expect(!failure, c.text() + ": " + failure.text);
    expect(c.result.memory == expected, c.text());
}

constexpr Layout kReadable[] = {Layout::contiguous, Layout::channels_last, Layout::any, Layout::broadcast};
constexpr Order kOrders[] = {Order::windows, Order::overlapping, Order::random};

void random_cases() {
    Random random(1);
    for (int round = 0; round < 4000; ++round) {
        Dims source = {{pick(random, 1, 3), pick(random, 1, 9), 1, 1, 1}};
        Dims result = source;
        for (int axis = 2; axis < 5; ++axis) {
            source.of[axis] = pick(random, 1, 9);
            result.of[axis] = pick(random, 1, 20);
        }
        const Layout layouts[3] = {kReadable[pick(random, 0, 3)], kReadable[pick(random, 0, 3)],
                                   kReadable[pick(random, 0, 2)]};
        Case c = make_case(size_t(1) << pick(random, 0, 3), random() % 2 ? 4 : 8, source, result, layouts,
                           kOrders[pick(random, 0, 2)], random);
        compare(c);
    }
}

// Large enough for several threads and for a ring, one plane and many, slices that fit into the ring and others.
void large_cases() {
    Random random(2);
    const Layout layouts[][3] = {{},
                                 {Layout::channels_last, Layout::channels_last, Layout::channels_last},
                                 {Layout::any, Layout::any, Layout::contiguous},
                                 {Layout::channels_last, Layout::channels_last, Layout::contiguous},
                                 {Layout::contiguous, Layout::contiguous, Layout::any}};
    for (const auto& layout : layouts)
        for (size_t element_size : {1, 2, 4, 8})
            for (Order order : kOrders) {
                set_num_threads(element_size == 2 ? 1 : 3);
                const int64_t planes = 64 / int64_t(element_size);
                Case many = make_case(element_size, 8, {{2, planes, 4, 15, 16}}, {{2, planes, 8, 31, 33}}, layout,
                                      order, random);
                compare(many);
                if (layout[2] == Layout::any && element_size != 4) continue;
                Case one =
                    make_case(element_size, 4, {{1, 1, 8, 65, 66}}, {{1, 1, 32, 130, 2050}}, layout, order, random);
                compare(one);
            }
    Case wide = make_case(4, 4, {{1, 1, 2, 300, 400}}, {{1, 1, 4, 900, 1201}}, layouts[0], Order::windows, random);
    compare(wide);
}

void bad_index(Case& c, const int64_t (&at)[5], int64_t value, const std::string& position, int missing_axis) {
    const int64_t good = load_index(c.indices, at);
    store_index(c.indices, at, value);
    c.missing_axis = missing_axis;
    const Failure failure = c.run();
    const std::string text = "indices[" + position + "] is " + std::to_string(value) + ", expected 0 <= index < " +
                             std::to_string(c.result.dims.cells()) + " (D*H*W of {outputSize} = ";
    expect(failure.code == kKernelException && std::string(failure.rule) == "index_range", "code of a bad index");
    expect(failure.text.compare(0, text.size(), text) == 0, "expected '" + text + "...', got '" + failure.text + "'");
    store_index(c.indices, at, good);
}

void bad_indices() {
    Random random(3);
    const Layout contiguous[3] = {}, last[3] = {Layout::channels_last, Layout::channels_last, Layout::channels_last};
    const Layout any[3] = {Layout::any, Layout::any, Layout::any};
    const Layout planes[3] = {Layout::channels_last, Layout::channels_last, Layout::contiguous};
    for (size_t element_size : {1, 2, 4, 8})
        for (size_t index_size : {4, 8})
            for (int threads : {1, 3}) {
                set_num_threads(threads);
                for (const auto& layout : {contiguous, last, any, planes}) {
                    const Layout layouts[3] = {layout[0], layout[1], layout[2]};
                    Case small = make_case(element_size, index_size, {{2, 3, 2, 3, 5}}, {{2, 3, 4, 4, 4}}, layouts,
                                           Order::random, random);
                    bad_index(small, {1, 2, 0, 1, 3}, 64, "1, 2, 0, 1, 3", -1);
                    bad_index(small, {0, 0, 0, 0, 0}, -1, "0, 0, 0, 0", 1);
                    bad_index(small, {1, 2, 1, 2, 4}, INT32_MIN, "2, 1, 2, 4", 0);
                    compare(small);
                }
                Case large = make_case(element_size, index_size, {{1, 2, 16, 64, 63}}, {{1, 2, 32, 256, 250}},
                                       contiguous, Order::windows, random);
                const int64_t second[5] = {0, 1, 15, 63, 62};
                store_index(large.indices, second, large.result.dims.cells());
                bad_index(large, {0, 0, 5, 6, 7}, INT32_MAX, "0, 0, 5, 6, 7", -1);  // the first one is named
                if (index_size == 8) bad_index(large, {0, 0, 0, 0, 9}, INT64_MIN, "0, 0, 0, 0, 9", -1);
            }
}

void nothing_and_absurd() {
    ScatterCopy g;
    g.element_size = 4;
    for (int axis = 0; axis < 5; ++axis) g.source_dims[axis] = g.result_dims[axis] = axis == 1 ? 0 : 3;
    expect(!plan_scatter_copy(g)->run(nullptr, nullptr), "no planes");

    // No elements for a plane: it becomes zero.
    uint32_t result[2] = {5, 5}, value = 77;
    for (int axis = 0; axis < 5; ++axis) g.source_dims[axis] = g.result_dims[axis] = 1;
    g.source_dims[3] = 0;
    g.result_dims[4] = 2;
    g.result_strides[4] = 1;
    int64_t index = 0;
    void* data[] = {&value, &index, result};
    expect(!plan_scatter_copy(g)->run(data, nullptr) && result[0] == 0 && result[1] == 0, "no elements");

    // Strides of axes of one element, whatever they are.
    g.source_dims[3] = 1;
    for (int axis = 0; axis < 4; ++axis)
        g.source_strides[axis] = g.index_strides[axis] = g.result_strides[axis] = INT64_MAX;
    index = 1;
    expect(!plan_scatter_copy(g)->run(data, nullptr) && result[0] == 0 && result[1] == 77, "absurd strides");
}

}  // namespace

int main() {
    random_cases();
    large_cases();
    bad_indices();
    nothing_and_absurd();
    std::puts("scatter copy: ok");
}
