// Which cell of its input a cell of an enlarged tensor shows, along one axis.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "ops/operator.h"

namespace acltwin {

// A scale counts as given if it is still positive as a float32: 0, NaN and negative values mean "none".
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
    double scale = 0;              // the factor out / in; 0: the sizes decide
    bool divide_in_float = false;  // the step is 1.0f / float(scale) instead of float(1.0 / scale)
    Arithmetic arithmetic = Arithmetic::device;
};

// The step in the input per output cell.
float source_step(int64_t in, int64_t out, const SourceRule& rule);
// Where PyTorch's kernel that looks up every cell finds output cell o; its gradients agree.
int64_t torch_source(int64_t o, int64_t in, float step, bool exact);

// from[0..out): output cell o shows input cell from[o]; it never falls.
std::vector<int64_t> source_table(int64_t in, int64_t out, const SourceRule& rule, bool exact);

}  // namespace acltwin
