// Which cells a cell of a resampled or averaged tensor takes along one axis, and with what weights.
#pragma once

#include "kernels/plans.h"
#include "ops/operator.h"

namespace acltwin {

enum class Filter { linear, cubic, linear_antialias, cubic_antialias };

// How the weights of an axis follow from the sizes.
struct ResampleRule {
    bool align_corners = false;
    double scale = 0;               // the factor out / in; 0: the sizes decide
    bool divide_in_float = false;   // the step is 1.0f / float(scale) instead of float(1.0 / scale)
    bool copies_same_size = false;  // without a change of size the scale does not matter
    bool fused = false;             // places are fused multiply-adds
    bool wide = false;              // computed in float64
};

WeightTable resample_table(int64_t in, int64_t out, Filter filter, const ResampleRule& rule);
WeightTable same_cells(int64_t cells);
// The same of two linear terms per cell; false if they do not follow from a step that can be had.
bool linear_positions(int64_t in, int64_t out, const ResampleRule& rule, Positions& positions);

// The sums of windows; the divisors are the windows' sizes, with or without what they have of the padding.
struct AverageWindow {
    int64_t kernel, stride, padding;
    bool count_padding;
};
WeightTable window_table(int64_t in, int64_t out, const AverageWindow& window);
WeightTable adaptive_table(int64_t in, int64_t out);

// The gradient: cell i of `in` cells takes all that take it, with the same weights, which the divisors become part of.
// Weights of 0 at either end are left out.
WeightTable transposed(const WeightTable& table, int64_t in);

}  // namespace acltwin
