#include "ops/interval_table.h"

#include <algorithm>
#include <cmath>

#include "kernels/float_mode.h"

namespace acltwin {

namespace {

// A float as a position in [0, limit]. Clamped before it is cast: a scale can make it infinite, or NaN (0 * inf), which
// is the position 0 it came from.
int64_t position(float value, int64_t limit) {
    if (!(value > 0)) return 0;
    if (value >= 0x1p62f) return limit;
    return std::min(int64_t(value), limit);
}

// The device asks per gradInput cell where its interval begins. Product and subtraction round separately.
// (Not inlined, here and below: the compiler must not move the arithmetic out of the caller's FloatMode.)
__attribute__((noinline)) void fill_by_device_rule(std::vector<int64_t>& begin, int64_t in, int64_t out, double scale,
                                                   bool exact) {
    const float s = scale_given(scale) ? float(scale) : float(out) / float(in);
    for (int64_t i = 0; i <= in; ++i) {
        const float product = float(i) * s;
        begin[size_t(i)] = position(std::ceil(exact ? product - 0.5f : product), out);
    }
}

// PyTorch asks per gradOut cell which gradInput cell it came from.
int64_t torch_source(int64_t o, int64_t in, int64_t out, float t, bool exact) {
    if (exact) return position(std::floor(float((double(o) + 0.5) * double(t))), in - 1);
    if (out == in) return o;
    if (out == 2 * in) return o >> 1;
    return position(std::floor(float(o) * t), in - 1);
}

// The source never falls, so the cells of i are an interval; cells without any collect an empty one.
__attribute__((noinline)) void fill_by_torch_rule(std::vector<int64_t>& begin, int64_t in, int64_t out, double scale,
                                                  bool exact) {
    const float t = scale_given(scale) ? float(1.0 / scale) : float(in) / float(out);
    int64_t filled = 0;
    for (int64_t o = 0; o < out; ++o)
        for (const int64_t source = torch_source(o, in, out, t, exact); filled < source;) begin[size_t(++filled)] = o;
    while (filled < in) begin[size_t(++filled)] = out;
}

}  // namespace

// Half the smallest float32: what is not above it rounds to 0.
bool scale_given(double scale) { return scale > 0x1p-150; }

std::vector<int64_t> interval_table(int64_t in, int64_t out, double scale, bool exact, MapRule rule) {
    const FloatMode mode;
    std::vector<int64_t> begin(size_t(in) + 1, 0);
    if (rule == MapRule::device)
        fill_by_device_rule(begin, in, out, scale, exact);
    else
        fill_by_torch_rule(begin, in, out, scale, exact);
    return begin;
}

}  // namespace acltwin
