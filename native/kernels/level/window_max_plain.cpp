#include "kernels/level/types.h"
#include "kernels/level/window_max_walk.h"
#include "kernels/window_max_task.h"

namespace acltwin::ACLTWIN_LEVEL {
namespace {

// The maximum of one window of one channel: the definition.
template <class T, class I>
void find_maximum(const WindowMaxRows& p, const T* plane, int64_t d, int64_t h, int64_t w, T* result, I* index) {
    const WindowAxis* axes = p.axes;
    const int64_t end[3] = {axes[0].end_tap(d), axes[1].end_tap(h), axes[2].end_tap(w)};
    const int64_t first[3] = {axes[0].first_tap(d), axes[1].first_tap(h), axes[2].first_tap(w)};
    const T* best = nullptr;
    for (int64_t i = first[0]; i < end[0]; ++i)
        for (int64_t j = first[1]; j < end[1]; ++j)
            for (int64_t k = first[2]; k < end[2]; ++k) {
                const int64_t at_d = axes[0].cell(d, i), at_h = axes[1].cell(h, j), at_w = axes[2].cell(w, k);
                const T* next = plane + at_d * p.depth_stride + at_h * p.height_stride + at_w * p.source_pitch;
                const auto value = widen(*next);
                if (best != nullptr && !(value > widen(*best)) && value == value) continue;
                best = next;
                *index = I((at_d * axes[1].size + at_h) * axes[2].size + at_w);
            }
    if (best != nullptr) *result = *best;
}

template <class T, class I>
void run(const WindowMaxRows& p, const T* source, T* result, I* indices, int64_t first, int64_t last) {
    each_tile(p, first, last, [&](const Tile& tile) {
        for (int64_t w = 0; w < tile.windows; ++w)
            for (int64_t c = 0; c < tile.channels; ++c)
                find_maximum(p, source + tile.plane + c, tile.d, tile.h, tile.first_window + w,
                             result + tile.result + w * p.result_pitch + c * p.result_channel,
                             indices + tile.indices + w * p.index_pitch + c * p.index_channel);
    });
}

}  // namespace

void window_max_plain(const WindowMaxRows& rows, const void* source, void* result, void* indices, void*, int64_t first,
                      int64_t last) {
    with_float_type(rows.dtype, [&](auto element) {
        with_index_type(rows.index_dtype, [&](auto index) {
            typedef decltype(element) T;
            run(rows, static_cast<const T*>(source), static_cast<T*>(result), static_cast<decltype(index)*>(indices),
                first, last);
        });
    });
}

}  // namespace acltwin::ACLTWIN_LEVEL
