#include "kernels/level/types.h"
#include "kernels/level/window_max_walk.h"
#include "kernels/window_max_task.h"

namespace acltwin::ACLTWIN_LEVEL {
namespace {

template <class T>
ACLTWIN_INLINE T widen_any(T x) {
    return x;
}
ACLTWIN_INLINE float widen_any(Half x) { return widen(x); }
ACLTWIN_INLINE float widen_any(BFloat x) { return widen(x); }

// What is outside the source: -infinity, or the lowest integer.
template <class T>
ACLTWIN_INLINE T lowest() {
    if constexpr (std::is_integral_v<T>)
        return std::is_signed_v<T> ? T(uint64_t(1) << (8 * sizeof(T) - 1)) : T(0);
    else
        return narrow<T>(-__builtin_inff());
}

// The maximum of one window of one channel: the definition.
template <class T, class I>
void find_maximum(const WindowMaxRows& p, const T* plane, int64_t d, int64_t h, int64_t w, T* result, I* index) {
    const WindowAxis* axes = p.axes;
    const int64_t end[3] = {axes[0].end_tap(d), axes[1].end_tap(h), axes[2].end_tap(w)};
    const int64_t first[3] = {axes[0].first_tap(d), axes[1].first_tap(h), axes[2].first_tap(w)};
    const T* best = nullptr;
    int64_t where = 0;
    for (int64_t i = first[0]; i < end[0]; ++i)
        for (int64_t j = first[1]; j < end[1]; ++j)
            for (int64_t k = first[2]; k < end[2]; ++k) {
                const int64_t at_d = axes[0].cell(d, i), at_h = axes[1].cell(h, j), at_w = axes[2].cell(w, k);
                const T* next = plane + at_d * p.depth_stride + at_h * p.height_stride + at_w * p.source_pitch;
                const auto value = widen_any(*next);
                if (best != nullptr && !(value > widen_any(*best)) && value == value) continue;
                best = next;
                where = (at_d * axes[1].size + at_h) * axes[2].size + at_w;
            }
    *result = best != nullptr ? *best : lowest<T>();
    if (index != nullptr) *index = I(where);
}

template <class T, class I>
void run(const WindowMaxRows& p, const T* source, T* result, I* indices, int64_t first, int64_t last) {
    each_tile(p, first, last, [&](const Tile& tile) {
        for (int64_t w = 0; w < tile.windows; ++w)
            for (int64_t c = 0; c < tile.channels; ++c)
                find_maximum(
                    p, source + tile.plane + c, tile.d, tile.h, tile.first_window + w,
                    result + tile.result + w * p.result_pitch + c * p.result_channel,
                    indices == nullptr ? indices : indices + tile.indices + w * p.index_pitch + c * p.index_channel);
    });
}

}  // namespace

void window_max_plain(const WindowMaxRows& rows, const void* source, void* result, void* indices, void*, int64_t first,
                      int64_t last) {
    const auto run_as = [&](auto element) {
        typedef decltype(element) T;
        with_index_type(rows.index_dtype, [&](auto index) {
            run(rows, static_cast<const T*>(source), static_cast<T*>(result), static_cast<decltype(index)*>(indices),
                first, last);
        });
    };
    switch (rows.dtype) {
        case DType::int8: return run_as(int8_t());
        case DType::boolean:
        case DType::uint8: return run_as(uint8_t());
        case DType::int16: return run_as(int16_t());
        case DType::uint16: return run_as(uint16_t());
        case DType::int32: return run_as(int32_t());
        case DType::int64: return run_as(int64_t());
        default: with_float_type(rows.dtype, run_as);
    }
}

}  // namespace acltwin::ACLTWIN_LEVEL
