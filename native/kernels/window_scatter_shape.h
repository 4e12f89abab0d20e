// From the geometry of a window scatter to the shape its kernels work on, and the way they can go.
#pragma once

#include "kernels/plans.h"
#include "kernels/window_scatter_task.h"

namespace acltwin {

// The batch axes in the order that suits memory, and how many planes to handle together.
ScatterShape scatter_shape(const WindowScatter& geometry, const CacheSizes& caches);

// The same, for a kernel that does not ask which window an index belongs to: longer rows of windows where memory
// allows.
ScatterShape without_windows(const ScatterShape& shape);
// The same, for a kernel that asks for the windows' slices only: those of a single slice lie along H.
ScatterShape by_layers(const ScatterShape& shape);

int64_t plane_blocks(const ScatterShape& shape);

// Sums that are not formed in the result, of all planes handled together, per thread: more would not stay in a cache.
constexpr int64_t kTileCells = 1 << 20;

// The sums of a plane are formed in the result: its cells are one contiguous run of sums, and it pays.
bool sums_in_result(const ScatterShape& shape);

// Its cells are one run of the result, whatever the order of their axes.
bool plane_is_one_run(const ScatterShape& shape);

// Slabs of whole slices that a plane is cut into, so that the threads have work and the sums stay in a cache.
int64_t scatter_slabs(const ScatterShape& shape, int threads);

// The shape with as many axes as boxes need, and how they are cut; their sums that are not in the result.
struct BoxShape {
    ScatterShape shape;
    ScatterBoxes boxes;
    int64_t sum_bytes;
};
BoxShape box_shape(const WindowScatter& geometry, const ScatterShape& shape, const CacheSizes& caches, int threads);

// Of 16 bits, where few of the windows share cells; `within_reach` are those that a cell's meetings are kept for.
bool gradients_rarely_meet(const WindowScatter& geometry, const ScatterShape& shape, int64_t within_reach);

enum class ScatterPath { plain, layers, expand, boxes };
ScatterPath scatter_path(const WindowScatter& geometry, const ScatterShape& shape, int threads);

}  // namespace acltwin
