// The operators from their definitions, one cell at a time: what every accepted call must have computed.
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <functional>

#include "ops/nearest_table.h"
#include "ops/pool.h"
#include "tests/fuzz/example.h"
#include "tests/reference_float.h"

namespace acltwin::fuzz {

namespace {

template <class Number>
Number read(const unsigned char* element) {
    Number number;
    std::memcpy(&number, element, sizeof number);
    return number;
}

// A long double holds every int64, too.
long double number(DType dtype, const unsigned char* element) {
    switch (dtype) {
        case DType::float64: return load_double(element);
        case DType::float32:
        case DType::float16:
        case DType::bfloat16: return double(widened(dtype, element));
        case DType::int64: return static_cast<long double>(read<int64_t>(element));
        case DType::int32: return read<int32_t>(element);
        case DType::int16: return read<int16_t>(element);
        case DType::uint16: return read<uint16_t>(element);
        case DType::int8: return read<int8_t>(element);
        default: return *element;
    }
}

int64_t index_of(Example& example, int64_t n, int64_t c, int64_t d, int64_t h, int64_t w) {
    const unsigned char* element = example.index_bytes(n, c, d, h, w);
    if (element == nullptr) {  // the window's one cell
        const Call call = example.call(example.mode.door, /*with_results=*/false);
        return h * pool::axis(call, 0).stride * example.shapes[example.op->is_gradient ? 1 : 0].cells[2] +
               w * pool::axis(call, 1).stride;
    }
    if (example.masks()) return read<int32_t>(element);
    for (int i = 0;; ++i)
        if (example.op->tensor[i].holds == Holds::indices) return int64_t(number(example.tensors[i].dtype, element));
}

[[noreturn]] void differ(const Example& example, const char* what, int64_t n, int64_t c, int64_t d, int64_t h,
                         int64_t w) {
    std::fprintf(stderr, "%s: cell %ld, %ld, %ld, %ld, %ld of %s is not what the definition says\n", example.op->name,
                 long(n), long(c), long(d), long(h), long(w), what);
    std::abort();
}

// Sums are small integers, so that any order gives the same, and are rounded once.
bool is_sum(DType dtype, double sum, const unsigned char* element) {
    unsigned char expected[8];
    if (dtype == DType::float64)
        store_rounded(dtype, sum, expected);
    else
        store_rounded(dtype, float(sum), expected);
    return std::memcmp(expected, element, size_of(dtype)) == 0;
}

void expect_upsampled(const Example& example, const std::vector<int64_t> (&from)[3]) {
    const size_t bytes = size_of(example.tensors[0].dtype);
    example.each(1, [&](int64_t n, int64_t c, int64_t d, int64_t h, int64_t w) {
        const unsigned char* source = example.at(0, n, c, from[0][size_t(d)], from[1][size_t(h)], from[2][size_t(w)]);
        if (std::memcmp(example.at(1, n, c, d, h, w), source, bytes) != 0) differ(example, "out", n, c, d, h, w);
    });
}

void expect_summed(const Example& example, const std::vector<int64_t> (&begin)[3]) {
    const DType dtype = example.tensors[0].dtype;
    example.each(1, [&](int64_t n, int64_t c, int64_t d, int64_t h, int64_t w) {
        double sum = 0;
        for (int64_t z = begin[0][size_t(d)]; z < begin[0][size_t(d) + 1]; ++z)
            for (int64_t y = begin[1][size_t(h)]; y < begin[1][size_t(h) + 1]; ++y)
                for (int64_t x = begin[2][size_t(w)]; x < begin[2][size_t(w) + 1]; ++x)
                    sum += double(number(dtype, example.at(0, n, c, z, y, x)));
        if (!is_sum(dtype, sum, example.at(1, n, c, d, h, w))) differ(example, "gradInput", n, c, d, h, w);
    });
}

// The cells of a window along one axis, inside of the plane.
using Cells = std::function<std::vector<int64_t>(int axis, int64_t window)>;

void expect_maxima(Example& example, const Cells& cells_of) {
    const DType dtype = example.tensors[0].dtype;
    const int64_t* cells = example.shapes[0].cells;
    example.each(1, [&](int64_t n, int64_t c, int64_t d, int64_t h, int64_t w) {
        int64_t best = -1, best_at[3] = {};
        long double most = 0;
        for (int64_t z : cells_of(0, d))
            for (int64_t y : cells_of(1, h))
                for (int64_t x : cells_of(2, w)) {
                    const long double value = number(dtype, example.at(0, n, c, z, y, x));
                    if (best >= 0 && !(value > most) && !std::isnan(value)) continue;
                    best = (z * cells[1] + y) * cells[2] + x;
                    most = value;
                    best_at[0] = z, best_at[1] = y, best_at[2] = x;
                }
        if (best < 0) return;  // a window of padding, which only operators without indices have
        if ((example.op->makes_indices() || example.masks()) && index_of(example, n, c, d, h, w) != best)
            differ(example, "indices", n, c, d, h, w);
        const unsigned char* source = example.at(0, n, c, best_at[0], best_at[1], best_at[2]);
        if (std::memcmp(example.at(1, n, c, d, h, w), source, size_of(dtype)) != 0)
            differ(example, "out", n, c, d, h, w);
    });
}

void expect_pooled(Example& example) {
    const Call call = example.call(example.mode.door, /*with_results=*/false);
    PoolAxis axes[3] = {{1, 1, 0, 1}, {1, 1, 0, 1}, {1, 1, 0, 1}};
    const int lacking = 3 - example.op->axes;
    for (int i = lacking; i < 3; ++i) axes[i] = pool::axis(call, i - lacking);
    expect_maxima(example, [&](int axis, int64_t window) {
        std::vector<int64_t> cells;
        for (int64_t tap = 0; tap < axes[axis].kernel; ++tap) {
            const int64_t cell = window * axes[axis].stride - axes[axis].padding + tap * axes[axis].dilation;
            if (cell >= 0 && cell < example.shapes[0].cells[axis]) cells.push_back(cell);
        }
        return cells;
    });
}

void expect_adapted(Example& example) {
    expect_maxima(example, [&](int axis, int64_t window) {
        const int64_t in = example.shapes[0].cells[axis], out = example.shapes[1].cells[axis];
        std::vector<int64_t> cells;
        for (int64_t cell = window * in / out; cell * out < (window + 1) * in; ++cell) cells.push_back(cell);
        return cells;
    });
}

// The plane's cell that an index names, of tensor i.
unsigned char* indexed(const Example& example, int i, int64_t n, int64_t c, int64_t index) {
    const int64_t* cells = example.shapes[i].cells;
    return example.at(i, n, c, index / (cells[1] * cells[2]), index / cells[2] % cells[1], index % cells[2]);
}

// Each element of tensor 0 goes to the cell of the last tensor that its index names: added, or the last one stays.
void expect_scattered(Example& example, bool added) {
    const int result = example.op->tensors - 1;
    const DType dtype = example.tensors[0].dtype;
    const Shape& shape = example.shapes[result];
    std::vector<double> sums(size_t(shape.n * shape.c * shape.volume()));
    std::vector<const unsigned char*> last(sums.size());
    example.each(0, [&](int64_t n, int64_t c, int64_t d, int64_t h, int64_t w) {
        const int64_t index = index_of(example, n, c, d, h, w);
        const size_t cell = size_t((n * shape.c + c) * shape.volume() + index);
        last[cell] = example.at(0, n, c, d, h, w);
        if (added) sums[cell] += double(number(dtype, last[cell]));
    });
    const unsigned char zero[8] = {};
    example.each(result, [&](int64_t n, int64_t c, int64_t d, int64_t h, int64_t w) {
        const size_t cell =
            size_t((((n * shape.c + c) * shape.cells[0] + d) * shape.cells[1] + h) * shape.cells[2] + w);
        const unsigned char* found = example.at(result, n, c, d, h, w);
        const unsigned char* source = last[cell] != nullptr ? last[cell] : zero;
        if (added ? !is_sum(dtype, sums[cell], found) : std::memcmp(found, source, size_of(dtype)) != 0)
            differ(example, "the result", n, c, d, h, w);
    });
}

void expect_gathered(Example& example) {
    const int result = example.op->tensors - 1;
    example.each(result, [&](int64_t n, int64_t c, int64_t d, int64_t h, int64_t w) {
        const int64_t index = index_of(example, n, c, d, h, w);
        if (std::memcmp(example.at(result, n, c, d, h, w), indexed(example, 0, n, c, index),
                        size_of(example.tensors[0].dtype)) != 0)
            differ(example, "out", n, c, d, h, w);
    });
}

// Given scales have rules of their own for each operator and SoC, which other tests compare.
bool any_scale(const Example& example) {
    for (int i = 0; i < example.op->scales; ++i)
        if (!(example.scalars[example.op->first_scale + i].real == 0)) return true;
    return false;
}

SourceRule source_rule(const Example& example) {
    if (example.mode.map == MapRule::device) return {};
    const Shape& out = example.shapes[1];
    const bool small = example.op->axes == 2 && out.cells[1] + out.cells[2] <= 128;
    return {0, false, small ? Arithmetic::torch_by_cell : Arithmetic::torch_by_axis};
}

std::vector<int64_t> intervals(const Example& example, int64_t in, int64_t out, bool exact) {
    const bool by_step =
        example.mode.soc == Soc::ascend950 && example.mode.map == MapRule::device && !exact && example.op->axes < 3;
    if (!by_step) return interval_table(in, out, 0, exact, example.mode.map);
    return device_intervals(in, out, 1.0f / (float(in) / float(out)), exact);
}

void expect_resampled(const Example& example) {
    if (any_scale(example) || std::strstr(example.op->task, "nearest") == nullptr) return;
    const bool backward = example.kind == Kind::upsample_backward, exact = example.op->exact;
    const Shape &in = example.shapes[backward ? 1 : 0], &out = example.shapes[backward ? 0 : 1];
    std::vector<int64_t> tables[3];
    for (int i = 0; i < 3; ++i) {
        const int64_t from = in.cells[i], to = out.cells[i];
        tables[i] =
            backward ? intervals(example, from, to, exact) : source_table(from, to, source_rule(example), exact);
    }
    backward ? expect_summed(example, tables) : expect_upsampled(example, tables);
}

}  // namespace

int indexed_tensor(const Example& example) {
    for (int i = 0; i < example.op->inputs(); ++i) {
        if (example.op->tensor[i].holds == Holds::indices) return i;
        if (example.op->tensor[i].holds == Holds::mask) return 0;
    }
    return -1;
}

bool indices_are_legal(Example& example) {
    const int windows = indexed_tensor(example);
    if (windows < 0) return true;
    const int64_t cells = example.shapes[example.kind == Kind::unpool_backward ? 0 : example.op->tensors - 1].volume();
    bool legal = true;
    example.each(windows, [&](int64_t n, int64_t c, int64_t d, int64_t h, int64_t w) {
        const int64_t index = index_of(example, n, c, d, h, w);
        legal = legal && index >= 0 && index < cells;
    });
    return legal;
}

void expect_defined_results(Example& example) {
    switch (example.kind) {
        case Kind::upsample:
        case Kind::upsample_backward: return expect_resampled(example);
        case Kind::pool: return expect_pooled(example);
        case Kind::adaptive: return expect_adapted(example);
        case Kind::pool_backward:
        case Kind::adaptive_backward: return expect_scattered(example, /*added=*/true);
        case Kind::unpool: return expect_scattered(example, /*added=*/false);
        case Kind::unpool_backward: return expect_gathered(example);
        case Kind::average:
        case Kind::average_backward: return;  // test_weighted_sum.cpp compares weighted sums bit by bit
    }
}

}  // namespace acltwin::fuzz
