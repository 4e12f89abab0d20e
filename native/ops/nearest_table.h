// Nearest cells along one axis: which cell of its input a cell of an enlarged tensor shows, and which gradOut cells a
// gradInput cell collects.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "core/export.h"
#include "ops/operator.h"

namespace acltwin {

// A scale is the factor of the forward pass, out / in. It counts as given if it is still positive as a float32: 0, NaN
// and negative values mean "none".
bool scale_given(double scale);

// A float, rounded down, as a position in [0, limit]. Clamped before it is cast: a scale can make it infinite, or NaN
// (0 * inf), which is the position 0 it came from.
inline int64_t position(float value, int64_t limit) {
    if (!(value > 0)) return 0;
    if (value >= 0x1p62f) return limit;
    return std::min(int64_t(value), limit);
}

// Whose arithmetic decides at a border. PyTorch has one forward kernel that looks up every cell on its own, and one
// that goes axis by axis; of float64 tensors the latter computes in float64.
enum class Arithmetic { device, torch_by_cell, torch_by_axis, torch_by_axis_double };

// How the source of an output cell follows from the sizes and the scale.
struct SourceRule {
    double scale = 0;              // 0: the sizes decide
    bool divide_in_float = false;  // the step is 1.0f / float(scale) instead of float(1.0 / scale)
    Arithmetic arithmetic = Arithmetic::device;
};

// The step in the input per output cell.
template <typename Float = float>
Float source_step(int64_t in, int64_t out, const SourceRule& rule) {
    if (!scale_given(rule.scale)) return Float(in) / Float(out);
    return rule.divide_in_float ? Float(1) / Float(rule.scale) : Float(1.0 / rule.scale);
}
// from[0..out): output cell o shows input cell from[o]; it never falls.
std::vector<int64_t> source_table(int64_t in, int64_t out, const SourceRule& rule, bool exact);

// begin[0..in]: gradInput cell i collects the gradOut cells [begin[i], begin[i + 1]).
ACLTWIN_API std::vector<int64_t> interval_table(int64_t in, int64_t out, double scale, bool exact, MapRule rule);
// The device's table for any factor.
std::vector<int64_t> device_intervals(int64_t in, int64_t out, float factor, bool exact);
// The factor as the device usually finds it.
float device_factor(int64_t in, int64_t out, double scale);

}  // namespace acltwin
