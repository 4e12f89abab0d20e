// Window maxima against the definition, bit for bit: every type, layout, window and thread count; ties, infinities,
// NaN.
#include <algorithm>
#include <cmath>

#include "core/thread_pool.h"
#include "exact_memory.h"
#include "kernels/plans.h"

using namespace acltwin;

namespace {

double widened(DType dtype, const unsigned char* element) {
    uint32_t bits = 0;
    double wide = 0;
    if (dtype == DType::float64) return std::memcpy(&wide, element, sizeof wide), wide;
    std::memcpy(&bits, element, size_of(dtype));
    if (dtype == DType::float16) {
        const double sign = bits & 0x8000 ? -1 : 1, fraction = bits & 0x3ff;
        const int exponent = int(bits >> 10 & 31);
        if (exponent == 31) return sign * (fraction == 0 ? HUGE_VAL : std::nan(""));
        return sign * (exponent == 0 ? std::ldexp(fraction, -24) : std::ldexp(fraction + 1024, exponent - 25));
    }
    if (dtype == DType::bfloat16) bits <<= 16;
    float value;
    std::memcpy(&value, &bits, sizeof value);
    return value;
}

// Bits of a few values with many ties: small numbers, both zeros, infinities, NaN of either sign and any payload.
uint64_t random_bits(DType dtype, int64_t nan_share, Random& random) {
    const uint64_t exponent = dtype == DType::float16    ? 0x7c00
                              : dtype == DType::bfloat16 ? 0x7f80
                              : dtype == DType::float32  ? 0x7f800000
                                                         : uint64_t(0x7ff) << 52;
    const uint64_t sign = uint64_t(1) << (8 * size_of(dtype) - 1), any = random();
    if (pick(random, 1, 1000) <= nan_share) return exponent | (any & (exponent - 1 + sign)) | 1;
    switch (pick(random, 0, 9)) {
        case 0: return any & sign;
        case 1: return exponent | (any & sign);
        case 2: return any & (sign | 3);  // subnormal
        default: return (exponent >> 1) + (any & sign) + (any % 5) * (exponent & (~exponent + 1));
    }
}

struct Window {
    int64_t kernel[3], stride[3], padding[3], dilation[3];
};

struct Case {
    DType dtype;
    Strided source, result, indices;
    Window window;

    std::string text() const {
        std::string text = std::string(name_of(dtype)) + " " + source.dims.text() + " to " + result.dims.text();
        for (int i = 0; i < 3; ++i)
            text += ", k " + std::to_string(window.kernel[i]) + " s " + std::to_string(window.stride[i]) + " p " +
                    std::to_string(window.padding[i]) + " dil " + std::to_string(window.dilation[i]);
        return text + ", " + std::to_string(indices.element_size) + "-byte indices, " + std::to_string(num_threads()) +
               " threads";
    }
};

// The definition.
void find_maximum(Case& c, const int64_t (&at)[5]) {
    const int64_t* dims = c.source.dims.of + 2;
    double best = -HUGE_VAL;
    const unsigned char* where = nullptr;
    int64_t index = 0, tap[3];
    for (tap[0] = 0; tap[0] < c.window.kernel[0]; ++tap[0])
        for (tap[1] = 0; tap[1] < c.window.kernel[1]; ++tap[1])
            for (tap[2] = 0; tap[2] < c.window.kernel[2]; ++tap[2]) {
                int64_t cell[5] = {at[0], at[1], 0, 0, 0};
                bool inside = true;
                for (int i = 0; i < 3; ++i) {
                    cell[2 + i] = at[2 + i] * c.window.stride[i] - c.window.padding[i] + tap[i] * c.window.dilation[i];
                    inside = inside && cell[2 + i] >= 0 && cell[2 + i] < dims[i];
                }
                if (!inside) continue;
                const double value = widened(c.dtype, c.source.at(cell));
                if (where != nullptr && !(value > best) && !std::isnan(value)) continue;
                best = value;
                where = c.source.at(cell);
                index = (cell[2] * dims[1] + cell[3]) * dims[2] + cell[4];
            }
    std::memcpy(c.result.at(at), where, c.source.element_size);
    store_index(c.indices, at, index);
}

void compare(Case& c) {
    WindowMax g;
    g.dtype = c.dtype;
    g.index_dtype = c.indices.element_size == 4 ? DType::int32 : DType::int64;
    std::memcpy(g.source_dims, c.source.dims.of, sizeof g.source_dims);
    std::memcpy(g.source_strides, c.source.strides, sizeof g.source_strides);
    std::memcpy(g.result_dims, c.result.dims.of, sizeof g.result_dims);
    std::memcpy(g.result_strides, c.result.strides, sizeof g.result_strides);
    std::memcpy(g.index_strides, c.indices.strides, sizeof g.index_strides);
    std::memcpy(g.kernel, c.window.kernel, sizeof g.kernel);
    std::memcpy(g.stride, c.window.stride, sizeof g.stride);
    std::memcpy(g.padding, c.window.padding, sizeof g.padding);
    std::memcpy(g.dilation, c.window.dilation, sizeof g.dilation);

    const auto plan = plan_window_max(g);
    std::vector<unsigned char> scratch(plan->scratch_bytes() + 64);
    ExactMemory source(c.source);
    void* data[] = {source.data(), c.result.data(), c.indices.data()};
    expect(!plan->run(data, scratch.data() + 64 - reinterpret_cast<uintptr_t>(scratch.data()) % 64), c.text());
    const std::vector<unsigned char> result = c.result.memory, indices = c.indices.memory;
    c.result.each([&](const auto& at) { find_maximum(c, at); });
    expect(result == c.result.memory, "values: " + c.text());
    expect(indices == c.indices.memory, "indices: " + c.text());
}

bool every_window_has_a_cell(int64_t size, int64_t windows, const Window& window, int i) {
    for (int64_t o = 0; o < windows; ++o) {
        bool some = false;
        for (int64_t tap = 0; tap < window.kernel[i]; ++tap) {
            const int64_t cell = o * window.stride[i] - window.padding[i] + tap * window.dilation[i];
            some = some || (cell >= 0 && cell < size);
        }
        if (!some) return false;
    }
    return true;
}

Window random_window(Random& random, int64_t most) {
    Window window;
    for (int i = 0; i < 3; ++i) {
        window.kernel[i] = pick(random, 1, most);
        window.stride[i] = pick(random, 1, most);
        window.padding[i] = pick(random, 0, window.kernel[i] / 2);
        window.dilation[i] = pick(random, 0, 3) == 0 ? pick(random, 1, 3) : 1;
    }
    return window;
}

// As many windows as fit; sometimes one more that is cut off.
bool find_result(const Dims& source, const Window& window, bool ceil, Dims& result) {
    result = source;
    for (int i = 0; i < 3; ++i) {
        const int64_t size = source.of[2 + i];
        const int64_t room = size + 2 * window.padding[i] - window.dilation[i] * (window.kernel[i] - 1) - 1;
        if (room < 0) return false;
        int64_t windows = (room + (ceil ? window.stride[i] - 1 : 0)) / window.stride[i] + 1;
        if ((windows - 1) * window.stride[i] >= size + window.padding[i]) --windows;
        result.of[2 + i] = windows;
        if (!every_window_has_a_cell(size, windows, window, i)) return false;
    }
    return true;
}

void run_case(DType dtype, size_t index_size, const Dims& source, const Window& window, const Layout (&layouts)[3],
              int64_t nan_share, Random& random) {
    Dims result;
    if (!find_result(source, window, random() % 2 == 0, result)) return;
    const size_t size = size_of(dtype);
    Case c = {dtype, Strided(size, source, layouts[0], random), Strided(size, result, layouts[1], random),
              Strided(index_size, result, layouts[2], random), window};
    c.source.each([&](const auto& at) {
        const uint64_t bits = random_bits(dtype, nan_share, random);
        std::memcpy(c.source.at(at), &bits, size);
    });
    compare(c);
}

constexpr DType kTypes[] = {DType::float32, DType::float16, DType::bfloat16, DType::float64};

void random_cases() {
    Random random(1);
    for (int round = 0; round < 4000; ++round) {
        const Dims source = {{pick(random, 1, 2), round % 3 == 0 ? pick(random, 1, 40) : pick(random, 1, 3),
                              pick(random, 1, 6), pick(random, 1, 8), pick(random, 1, round % 2 == 0 ? 60 : 14)}};
        const Layout readable[] = {Layout::contiguous, Layout::channels_last, Layout::any, Layout::broadcast};
        const Layout result = readable[pick(random, 0, 2)];
        const Layout layouts[3] = {readable[pick(random, 0, 3)], result,
                                   random() % 2 == 0 ? result : readable[pick(random, 0, 2)]};
        run_case(kTypes[round / 2 % 4], random() % 2 ? 4 : 8, source, random_window(random, round % 5 == 0 ? 9 : 4),
                 layouts,
                 round % 4 == 0   ? 100
                 : round % 4 == 1 ? 3
                                  : 0,
                 random);
    }
}

// Large enough for several threads, several tiles of windows and of channels, and non-temporal stores.
void large_cases() {
    Random random(2);
    const Layout plain[3] = {}, last[3] = {Layout::channels_last, Layout::channels_last, Layout::channels_last};
    for (DType dtype : kTypes)
        for (int threads : {1, 3}) {
            set_num_threads(threads);
            const Window overlapping = {{3, 3, 3}, {1, 1, 1}, {1, 1, 1}, {1, 1, 1}},
                         halves = {{2, 2, 2}, {2, 2, 2}, {}, {1, 1, 1}};
            const Window wide = {{1, 2, 700}, {1, 1, 300}, {0, 1, 350}, {1, 1, 1}},
                         flat = {{1, 1, 2}, {1, 1, 1}, {}, {1, 1, 1}};
            run_case(dtype, 8, {{1, 2, 9, 33, 2500}}, overlapping, plain, 0, random);
            run_case(dtype, 4, {{1, 2, 8, 34, 5001}}, halves, plain, 1, random);
            run_case(dtype, 8, {{1, 300, 4, 5, 9}}, overlapping, last, 1, random);
            run_case(dtype, 4, {{1, 1100, 2, 5, 9}}, halves, last, 0, random);
            run_case(dtype, 4, {{1, 40, 1, 2, 1500}}, wide, last, 0, random);
            run_case(dtype, 4, {{1, 2, 1, 2, 1500}}, wide, plain, 0, random);
            const Window own = {{3, 9, 40}, {3, 8, 38}, {1, 1, 3}, {1, 2, 1}};
            for (int64_t channels : {3, 8, 43, 1100})
                run_case(dtype, 8, {{1, channels, 5, 27, 90}}, own, last, channels == 43 ? 1 : 0, random);
            run_case(dtype, 8, {{4, 40, 7, 7, 7}}, overlapping, plain, 1, random);
            run_case(dtype, 8, {{1, 3, 8, 128, 300}}, flat, plain, 0, random);
        }
    // Windows wider than any tile.
    const Window huge = {{1, 1, 5000}, {1, 1, 7}, {0, 0, 2500}, {1, 1, 1}};
    run_case(DType::float16, 8, {{1, 2, 1, 1, 100}}, huge, plain, 3, random);
}

void nothing_and_absurd() {
    WindowMax g;
    g.dtype = DType::float32;
    for (int axis = 0; axis < 5; ++axis) g.source_dims[axis] = g.result_dims[axis] = 1;
    for (int i = 0; i < 3; ++i) g.kernel[i] = g.stride[i] = g.dilation[i] = 1;
    g.result_dims[0] = g.source_dims[0] = 0;
    expect(plan_window_max(g) == nullptr, "an empty result");

    // A plane of 2^60 cells, all the same element; two windows far apart.
    g.source_dims[0] = g.result_dims[0] = 1;
    g.index_dtype = DType::int64;
    for (int i = 0; i < 3; ++i) g.source_dims[2 + i] = g.stride[i] = 1024;
    g.source_dims[2] = int64_t(1) << 40;
    g.stride[0] = (int64_t(1) << 40) - 1;
    g.result_dims[2] = 2;
    g.result_strides[2] = g.index_strides[2] = 1;
    float source = 7, result[2] = {};
    int64_t indices[2] = {};
    void* data[] = {&source, result, indices};
    expect(!plan_window_max(g)->run(data, nullptr) && result[0] == 7 && result[1] == 7 && indices[0] == 0 &&
               indices[1] == ((int64_t(1) << 40) - 1) * 1024 * 1024,
           "a plane of absurd size");
}

}  // namespace

int main() {
    random_cases();
    large_cases();
    nothing_and_absurd();
    std::puts("window max: ok");
}
