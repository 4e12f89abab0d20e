#include "kernels/index_failure.h"

#include <algorithm>

#include "kernels/loops/axes.h"
#include "kernels/loops/walk.h"

namespace acltwin {
namespace {

std::string position(const IndexedPlanes& planes, const Walk<5, 1>& walk) {
    constexpr int kFirst[] = {0, 1, 2, 3, 4}, kLast[] = {0, 2, 3, 4, 1};
    std::string text;
    for (int axis : planes.channels_last ? kLast : kFirst)
        if (axis != planes.missing_axis) text += (text.empty() ? "" : ", ") + std::to_string(walk.at(axis));
    return text;
}

}  // namespace

Failure index_failure(const IndexedPlanes& planes, const void* indices) {
    const int64_t* plane = planes.plane_dims;
    const int64_t cells = saturating_product(plane[0], plane[1], plane[2]);
    Loops<5, 1> loops;
    std::copy_n(planes.dims, 5, loops.extent);
    std::copy_n(planes.strides, 5, loops.step[0]);
    Walk<5, 1> walk(loops, 0);
    for (int64_t left = steps_of(loops.extent); left > 0; --left, walk.advance()) {
        const int64_t index = planes.index_dtype == DType::int32 ? static_cast<const int32_t*>(indices)[walk.offset(0)]
                                                                 : static_cast<const int64_t*>(indices)[walk.offset(0)];
        if (index < 0 || index >= cells)
            return {kKernelException, "index_range",
                    "indices[" + position(planes, walk) + "] is " + std::to_string(index) + ", expected 0 <= index < " +
                        std::to_string(cells) + " (D*H*W of " + planes.plane_owner + " = " + std::to_string(plane[0]) +
                        "*" + std::to_string(plane[1]) + "*" + std::to_string(plane[2]) +
                        "); pass indices as max_pool3d returns them: each counts the cells of its own D*H*W volume"};
    }
    return {kKernelException, "index_range",
            "indices changed while they were read, expected the same values until the call returns; do not write to "
            "them from another thread"};
}

}  // namespace acltwin
