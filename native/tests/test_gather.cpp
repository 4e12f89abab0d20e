// The gather against an obvious loop, bit for bit: every element size, index type, layout and thread count; bad
// indices.
#include "core/thread_pool.h"
#include "kernels/plans.h"
#include "strided.h"

using namespace acltwin;

namespace {

struct Case {
    Strided source, indices, result;

    Gather geometry() const {
        Gather g;
        g.element_size = source.element_size;
        g.index_dtype = indices.element_size == 4 ? DType::int32 : DType::int64;
        std::memcpy(g.source_dims, source.dims.of, sizeof g.source_dims);
        std::memcpy(g.source_strides, source.strides, sizeof g.source_strides);
        std::memcpy(g.result_dims, result.dims.of, sizeof g.result_dims);
        std::memcpy(g.result_strides, result.strides, sizeof g.result_strides);
        std::memcpy(g.index_strides, indices.strides, sizeof g.index_strides);
        return g;
    }

    std::string text() const {
        return std::to_string(source.element_size) + "-byte elements of " + source.dims.text() + " to " +
               result.dims.text() + ", " + std::to_string(indices.element_size) + "-byte indices, " +
               std::to_string(num_threads()) + " threads";
    }

    Failure run() {
        const auto plan = plan_gather(geometry());
        expect(plan->scratch_bytes() == 0, "a gather needs no scratch memory");
        void* data[] = {source.data(), nullptr, indices.data(), result.data()};
        return plan->run(data, nullptr);
    }
};

Case make_case(size_t element_size, size_t index_size, Dims source, Dims result, const Layout (&layouts)[3],
               Random& random) {
    Case made{Strided(element_size, source, layouts[0], random), Strided(index_size, result, layouts[1], random),
              Strided(element_size, result, layouts[2], random)};
    fill_random_bytes(made.source, random);
    made.indices.each([&](const auto& at) { store_index(made.indices, at, pick(random, 0, source.cells() - 1)); });
    return made;
}

// The definition.
std::vector<unsigned char> expected_memory(Case& c) {
    std::vector<unsigned char> before = c.result.memory;
    c.result.each([&](const auto& at) {
        const int64_t index = load_index(c.indices, at), *dims = c.source.dims.of;
        const int64_t from[5] = {at[0], at[1], index / (dims[3] * dims[4]), index / dims[4] % dims[3], index % dims[4]};
        std::memcpy(c.result.at(at), c.source.at(from), c.source.element_size);
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

void random_cases() {
    Random random(1);
    for (int round = 0; round < 4000; ++round) {
        Dims source = {{pick(random, 1, 3), pick(random, 1, 20), pick(random, 1, 5), pick(random, 1, 6), 1}};
        source.of[4] = pick(random, 1, 40);
        Dims result = source;
        for (int axis = 2; axis < 5; ++axis) result.of[axis] = pick(random, 1, 9);
        const Layout readable[] = {Layout::contiguous, Layout::channels_last, Layout::any, Layout::broadcast};
        const Layout layouts[3] = {readable[pick(random, 0, 3)], readable[pick(random, 0, 3)],
                                   readable[pick(random, 0, 2)]};
        Case c = make_case(size_t(1) << pick(random, 0, 3), random() % 2 ? 4 : 8, source, result, layouts, random);
        compare(c);
    }
}

// Large enough for several threads, for non-temporal lines and for early requests.
void large_cases() {
    Random random(2);
    const Layout layouts[][3] = {{Layout::contiguous, Layout::contiguous, Layout::contiguous},
                                 {Layout::channels_last, Layout::channels_last, Layout::channels_last},
                                 {Layout::any, Layout::any, Layout::any}};
    for (const auto& layout : layouts)
        for (size_t element_size : {1, 2, 4, 8})
            for (int threads : {1, 2, 3}) {
                set_num_threads(threads);
                Case many = make_case(element_size, 8, {{2, 3, 16, 31, 33}}, {{2, 3, 16, 31, 33}}, layout, random);
                compare(many);
                Case one = make_case(element_size, 4, {{1, 1, 64, 128, 131}}, {{1, 1, 63, 67, 129}}, layout, random);
                compare(one);
            }
    Case lines = make_case(8, 4, {{1, 1, 3, 5, 7}}, {{1, 1, 130, 128, 127}}, layouts[0], random);
    compare(lines);
}

void bad_index(Case& c, const int64_t (&at)[5], int64_t value, const std::string& position, int missing_axis) {
    const int64_t good = load_index(c.indices, at);
    store_index(c.indices, at, value);
    Gather geometry = c.geometry();
    geometry.missing_axis = missing_axis;
    void* data[] = {c.source.data(), nullptr, c.indices.data(), c.result.data()};
    const Failure failure = plan_gather(geometry)->run(data, nullptr);
    const std::string text = "indices[" + position + "] is " + std::to_string(value) + ", expected 0 <= index < " +
                             std::to_string(c.source.dims.cells()) + " (D*H*W of {gradOutput} = ";
    expect(failure.code == kKernelException && std::string(failure.rule) == "index_range", "code of a bad index");
    expect(failure.text.compare(0, text.size(), text) == 0, "expected '" + text + "...', got '" + failure.text + "'");
    store_index(c.indices, at, good);
}

void bad_indices() {
    Random random(3);
    const Layout contiguous[3] = {}, last[3] = {Layout::channels_last, Layout::channels_last, Layout::channels_last};
    for (size_t element_size : {1, 2, 4, 8})
        for (size_t index_size : {4, 8})
            for (int threads : {1, 3}) {
                set_num_threads(threads);
                Case small = make_case(element_size, index_size, {{2, 3, 4, 4, 4}}, {{2, 3, 2, 3, 5}}, last, random);
                bad_index(small, {1, 2, 0, 1, 3}, 64, "1, 2, 0, 1, 3", -1);
                bad_index(small, {0, 0, 0, 0, 0}, -1, "0, 0, 0, 0", 1);
                bad_index(small, {1, 2, 1, 2, 4}, INT32_MIN, "2, 1, 2, 4", 0);
                compare(small);

                Case large =
                    make_case(element_size, index_size, {{1, 2, 9, 9, 9}}, {{1, 2, 64, 64, 63}}, contiguous, random);
                const int64_t second[5] = {0, 1, 63, 63, 62};
                store_index(large.indices, second, 729);
                bad_index(large, {0, 0, 5, 6, 7}, INT32_MAX, "0, 0, 5, 6, 7", -1);  // the first one is named
                if (index_size == 8) bad_index(large, {0, 0, 0, 0, 9}, INT64_MIN, "0, 0, 0, 0, 9", -1);
            }
}

void nothing_and_absurd() {
    Gather g;
    g.element_size = 4;
    for (int64_t* dims : {g.source_dims, g.result_dims})
        for (int axis = 0; axis < 5; ++axis) dims[axis] = 3;
    g.result_dims[1] = g.source_dims[1] = 0;
    expect(!plan_gather(g)->run(nullptr, nullptr), "an empty result");

    // A plane of more cells than an int64 counts, all of them the same element.
    for (int axis = 0; axis < 5; ++axis) g.source_dims[axis] = axis < 2 ? 1 : int64_t(1) << 40, g.result_dims[axis] = 1;
    uint32_t source = 77, result = 0;
    int64_t index = INT64_MAX - 1;
    void* data[] = {&source, nullptr, &index, &result};
    expect(!plan_gather(g)->run(data, nullptr) && result == 77, "a plane of absurd size");
}

}  // namespace

int main() {
    random_cases();
    large_cases();
    bad_indices();
    nothing_and_absurd();
    std::puts("gather: ok");
}
