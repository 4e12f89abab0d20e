// From the geometry of a window scatter to the shape its kernels work on, and the way they can go.
#pragma once

#include "kernels/plans.h"
#include "kernels/window_scatter_kernels.h"

namespace acltwin {

// The batch axes in the order that suits memory, and how many planes to handle together.
ScatterShape scatter_shape(const WindowScatter& geometry);

// The same, for a kernel that does not ask which window an index belongs to: longer rows of windows where memory
// allows.
ScatterShape without_windows(const ScatterShape& shape);
// The same, for a kernel that asks for the windows' slices only.
ScatterShape without_rows(const ScatterShape& shape);

int64_t lane_blocks(const ScatterShape& shape);

// All sums of a plane can be formed in the result: its cells are one contiguous run.
bool sums_fit_result(const ScatterShape& shape);

constexpr int64_t kCachedSums = 96 << 10;  // of all lanes together: a second-level cache holds them with room to spare

enum class ScatterPath { plain, layers, expand, ring };
ScatterPath scatter_path(const WindowScatter& geometry, const ScatterShape& shape, int threads);

ExpandShape expand_shape(const ScatterShape& shape);

}  // namespace acltwin
