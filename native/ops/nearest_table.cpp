#include "ops/nearest_table.h"

#include <algorithm>
#include <cmath>

#include "core/float_mode.h"

namespace acltwin {

namespace {

// The device computes in float32 throughout; every operation rounds.
int64_t device_source(int64_t o, int64_t in, float step, bool exact) {
    const float cell = exact ? float(o) + 0.5f : float(o);
    return position(cell * step, in - 1);
}

// Where PyTorch's kernel that looks up every cell finds output cell o; its gradients agree.
int64_t torch_source(int64_t o, int64_t in, float step, bool exact) {
    const float place = exact ? float((double(o) + 0.5) * double(step)) : float(o) * step;
    return position(place, in - 1);
}

// PyTorch's compiler fuses product and difference, on every processor that can.
template <typename Float>
int64_t torch_axis_source(int64_t o, int64_t in, Float step, bool exact) {
    if (!exact) return position(float(Float(o) * step), in - 1);
    const Float place = std::max(std::fma(step, Float(o) + Float(0.5), Float(-0.5)), Float(0));
    return position(float(double(place) + 0.5), in - 1);
}

// Not inlined, here and below: the compiler must not move the arithmetic out of the caller's FloatMode.
__attribute__((noinline)) void fill(std::vector<int64_t>& from, int64_t in, const SourceRule& rule, bool exact) {
    const int64_t out = int64_t(from.size());
    const float step = source_step(in, out, rule);
    const double wide_step = source_step<double>(in, out, rule);
    const auto each = [&](const auto& source) {
        for (int64_t o = 0; o < out; ++o) from[size_t(o)] = source(o);
    };
    switch (rule.arithmetic) {
        case Arithmetic::torch_by_cell: return each([&](int64_t o) { return torch_source(o, in, step, exact); });
        case Arithmetic::torch_by_axis: return each([&](int64_t o) { return torch_axis_source(o, in, step, exact); });
        case Arithmetic::torch_by_axis_double:
            return each([&](int64_t o) { return torch_axis_source(o, in, wide_step, exact); });
        default: return each([&](int64_t o) { return device_source(o, in, step, exact); });
    }
}

}  // namespace

// Half the smallest float32: what is not above it rounds to 0.
bool scale_given(double scale) { return scale > 0x1p-150; }

std::vector<int64_t> source_table(int64_t in, int64_t out, const SourceRule& rule, bool exact) {
    const FloatMode mode;
    std::vector<int64_t> from(static_cast<size_t>(out));
    fill(from, in, rule, exact);
    return from;
}

namespace {

// The device asks per gradInput cell where its interval begins. Product and subtraction round separately.
__attribute__((noinline)) void fill_by_device_rule(std::vector<int64_t>& begin, int64_t in, int64_t out, float factor,
                                                   bool exact) {
    for (int64_t i = 0; i <= in; ++i) {
        const float product = float(i) * factor;
        begin[size_t(i)] = position(std::ceil(exact ? product - 0.5f : product), out);
    }
}

// For two sizes PyTorch's nearest gradient has shortcuts that ignore a given scale.
int64_t torch_gradient_source(int64_t o, int64_t in, int64_t out, float step, bool exact) {
    if (!exact && out == in) return o;
    if (!exact && out == 2 * in) return o >> 1;
    return torch_source(o, in, step, exact);
}

// PyTorch asks per gradOut cell which gradInput cell it came from. The source never falls, so the cells of i are an
// interval; cells without any collect an empty one.
__attribute__((noinline)) void fill_by_torch_rule(std::vector<int64_t>& begin, int64_t in, int64_t out, double scale,
                                                  bool exact) {
    const float step = source_step(in, out, {scale});
    int64_t filled = 0;
    for (int64_t o = 0; o < out; ++o)
        for (const int64_t source = torch_gradient_source(o, in, out, step, exact); filled < source;)
            begin[size_t(++filled)] = o;
    while (filled < in) begin[size_t(++filled)] = out;
}

}  // namespace

__attribute__((noinline)) float device_factor(int64_t in, int64_t out, double scale) {
    return scale_given(scale) ? float(scale) : float(out) / float(in);
}

std::vector<int64_t> device_intervals(int64_t in, int64_t out, float factor, bool exact) {
    const FloatMode mode;
    std::vector<int64_t> begin(size_t(in) + 1);
    fill_by_device_rule(begin, in, out, factor, exact);
    return begin;
}

std::vector<int64_t> interval_table(int64_t in, int64_t out, double scale, bool exact, MapRule rule) {
    const FloatMode mode;
    if (rule == MapRule::device) return device_intervals(in, out, device_factor(in, out, scale), exact);
    std::vector<int64_t> begin(size_t(in) + 1, 0);
    fill_by_torch_rule(begin, in, out, scale, exact);
    return begin;
}

}  // namespace acltwin
