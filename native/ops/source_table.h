// Which cell of its input a cell of an enlarged tensor shows, along one axis.
#pragma once

#include <cstdint>
#include <vector>

#include "ops/operator.h"

namespace acltwin {

// A scale counts as given if it is still positive as a float32: 0, NaN and negative values mean "none".
bool scale_given(double scale);

// A float as a position in [0, limit]. Clamped before it is cast: a scale can make it infinite, or NaN (0 * inf), which
// is the position 0 it came from.
int64_t position(float value, int64_t limit);

// How the step in the input per output cell follows from the sizes.
struct StepRule {
    double scale = 0;              // the factor out / in; 0 means none was given
    bool divide_in_float = false;  // 1.0f / float(scale) instead of float(1.0 / scale)
    float fixed = 0;               // the step itself, whatever the sizes; 0: it follows from them
};
float source_step(int64_t in, int64_t out, const StepRule& rule);
// Where PyTorch finds output cell o in its forward pass.
int64_t torch_source(int64_t o, int64_t in, float step, bool exact);

// from[0..out): output cell o shows input cell from[o]; it never falls.
std::vector<int64_t> source_table(int64_t in, int64_t out, const StepRule& step, bool exact, MapRule rule);

}  // namespace acltwin
