#include "kernels/level/transpose.h"
#include "kernels/level/types.h"
#include "kernels/level/window_max_tile.h"
#include "kernels/window_max_task.h"

namespace acltwin::ACLTWIN_LEVEL {
namespace {

// Small planes have rows too short for vectors: some planes are interleaved cell by cell, and become channels.
template <class T>
void interleave_planes(const WindowMaxRows& p, const T* source, int64_t planes, T* cells) {
    const int64_t depth = p.axes[0].size, height = p.axes[1].size, width = p.axes[2].size;
    for (int64_t d = 0; d < depth; ++d)
        for (int64_t h = 0; h < height; ++h, cells += width * planes)
            transpose(source + d * p.depth_stride + h * p.height_stride, planes, p.loops.step[p.kSource][p.kC], width,
                      p.source_pitch, cells, planes);
}

// The rows of planes that were interleaved.
WindowMaxRows interleaved_rows(const WindowMaxRows& p, int64_t planes) {
    WindowMaxRows rows = p;
    const int64_t width = p.axes[2].size, height = p.axes[1].size;
    rows.loops.extent[p.kN] = rows.loops.extent[p.kC] = 1;
    rows.depth_stride = height * width * planes;
    rows.height_stride = width * planes;
    rows.source_pitch = rows.channels = rows.tile_channels = planes;
    rows.result_channel = p.loops.step[p.kResult][p.kC];
    rows.index_channel = p.loops.step[p.kIndices][p.kC];
    return rows;
}

template <class T, class I>
void run_planes(const WindowMaxRows& p, const T* source, T* result, I* indices, T* cells, int64_t first, int64_t last) {
    const int64_t channels = p.loops.extent[p.kC], blocks = (channels - 1) / WindowMaxRows::kPlanes + 1;
    for (int64_t task = first; task < last; ++task) {
        const int64_t n = task / blocks, c = task % blocks * WindowMaxRows::kPlanes;
        const int64_t planes = min64(WindowMaxRows::kPlanes, channels - c);
        const auto offset = [&](int operand) {
            return n * p.loops.step[operand][p.kN] + c * p.loops.step[operand][p.kC];
        };
        interleave_planes(p, source + offset(p.kSource), planes, cells);
        const WindowMaxRows rows = interleaved_rows(p, planes);
        TileFolder<T, I>(rows, cells, result + offset(p.kResult),
                         indices == nullptr ? indices : indices + offset(p.kIndices))
            .run(0, rows.loops.extent[p.kD] * rows.loops.extent[p.kH]);
    }
}

// Calls body(source, result, indices) with pointers of the plan's types.
template <class Body>
ACLTWIN_INLINE void with_types(const WindowMaxRows& p, const void* source, void* result, void* indices,
                               const Body& body) {
    with_float_type(p.dtype, [&](auto element) {
        with_index_type(p.index_dtype, [&](auto index) {
            typedef decltype(element) T;
            body(static_cast<const T*>(source), static_cast<T*>(result), static_cast<decltype(index)*>(indices));
        });
    });
}

}  // namespace

void window_max_tiles(const WindowMaxRows& rows, const void* source, void* result, void* indices, void*, int64_t first,
                      int64_t last) {
    with_types(rows, source, result, indices,
               [&](const auto* from, auto* to, auto* where) { TileFolder(rows, from, to, where).run(first, last); });
}

void window_max_planes(const WindowMaxRows& rows, const void* source, void* result, void* indices, void* scratch,
                       int64_t first, int64_t last) {
    with_types(rows, source, result, indices, [&](const auto* from, auto* to, auto* where) {
        run_planes(rows, from, to, where, static_cast<decltype(to)>(scratch), first, last);
    });
}

}  // namespace acltwin::ACLTWIN_LEVEL
