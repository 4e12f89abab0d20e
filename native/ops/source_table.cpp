#include "ops/source_table.h"

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

// PyTorch's compiler fuses product and difference, on every processor that can.
template <typename Float>
int64_t torch_axis_source(int64_t o, int64_t in, Float step, bool exact) {
    if (!exact) return position(float(Float(o) * step), in - 1);
    const Float place = std::max(std::fma(step, Float(o) + Float(0.5), Float(-0.5)), Float(0));
    return position(float(double(place) + 0.5), in - 1);
}

double double_step(int64_t in, int64_t out, double scale) {
    return scale_given(scale) ? 1.0 / scale : double(in) / double(out);
}

// Not inlined: the compiler must not move the arithmetic out of the caller's FloatMode.
__attribute__((noinline)) void fill(std::vector<int64_t>& from, int64_t in, const SourceRule& rule, bool exact) {
    const int64_t out = int64_t(from.size());
    const float step = source_step(in, out, rule);
    const double wide_step = double_step(in, out, rule.scale);
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

float source_step(int64_t in, int64_t out, const SourceRule& rule) {
    if (!scale_given(rule.scale)) return float(in) / float(out);
    return rule.divide_in_float ? 1.0f / float(rule.scale) : float(1.0 / rule.scale);
}

int64_t torch_source(int64_t o, int64_t in, float step, bool exact) {
    const float place = exact ? float((double(o) + 0.5) * double(step)) : float(o) * step;
    return position(place, in - 1);
}

std::vector<int64_t> source_table(int64_t in, int64_t out, const SourceRule& rule, bool exact) {
    const FloatMode mode;
    std::vector<int64_t> from(static_cast<size_t>(out));
    fill(from, in, rule, exact);
    return from;
}

}  // namespace acltwin
