#include "ops/interval_table.h"

#include <cmath>

#include "core/float_mode.h"
#include "ops/source_table.h"

namespace acltwin {

namespace {

// The device asks per gradInput cell where its interval begins. Product and subtraction round separately.
// (Not inlined, here and below: the compiler must not move the arithmetic out of the caller's FloatMode.)
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
