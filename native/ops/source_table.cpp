#include "ops/source_table.h"

#include <algorithm>
#include <cmath>

#include "core/float_mode.h"

namespace acltwin {

namespace {

// The device computes in float32 throughout; every operation rounds.
int64_t device_source(int64_t o, int64_t in, float step, bool exact) {
    const float cell = exact ? float(o) + 0.5f : float(o);
    return position(std::floor(cell * step), in - 1);
}

// Not inlined: the compiler must not move the arithmetic out of the caller's FloatMode.
__attribute__((noinline)) void fill(std::vector<int64_t>& from, int64_t in, const StepRule& step_rule, bool exact,
                                    MapRule rule) {
    const int64_t out = int64_t(from.size());
    const float step = source_step(in, out, step_rule);
    for (int64_t o = 0; o < out; ++o)
        from[size_t(o)] = rule == MapRule::torch ? torch_source(o, in, step, exact) : device_source(o, in, step, exact);
}

}  // namespace

// Half the smallest float32: what is not above it rounds to 0.
bool scale_given(double scale) { return scale > 0x1p-150; }

int64_t position(float value, int64_t limit) {
    if (!(value > 0)) return 0;
    if (value >= 0x1p62f) return limit;
    return std::min(int64_t(value), limit);
}

float source_step(int64_t in, int64_t out, const StepRule& rule) {
    if (rule.fixed > 0) return rule.fixed;
    if (!scale_given(rule.scale)) return float(in) / float(out);
    return rule.divide_in_float ? 1.0f / float(rule.scale) : float(1.0 / rule.scale);
}

int64_t torch_source(int64_t o, int64_t in, float step, bool exact) {
    const float place = exact ? float((double(o) + 0.5) * double(step)) : float(o) * step;
    return position(std::floor(place), in - 1);
}

std::vector<int64_t> source_table(int64_t in, int64_t out, const StepRule& step, bool exact, MapRule rule) {
    const FloatMode mode;
    std::vector<int64_t> from(static_cast<size_t>(out));
    fill(from, in, step, exact, rule);
    return from;
}

}  // namespace acltwin
