#include "kernels/index_failure.h"

#include <algorithm>

#include "kernels/loops/axes.h"
#include "kernels/loops/walk.h"

namespace acltwin {
namespace {

std::string position(const Indexed& caller, const Walk<5, 1>& walk) {
    constexpr int kFirst[] = {0, 1, 2, 3, 4}, kLast[] = {0, 2, 3, 4, 1};
    std::string text;
    for (int axis : caller.channels_last ? kLast : kFirst) {
        const bool has = axis < 2 ? axis != caller.missing_axis : axis >= 5 - caller.axes;
        if (has) text += (text.empty() ? "" : ", ") + std::to_string(walk.at(axis));
    }
    return text;
}

// "D*H*W of {self} = 4*5*6" and the like.
std::string plane_text(const Indexed& caller, const int64_t* plane) {
    std::string text = std::string("D*H*W" + 2 * (3 - caller.axes)) + " of " + caller.plane_owner;
    for (int i = 3 - caller.axes; i < 3; ++i) text += (i == 3 - caller.axes ? " = " : "*") + std::to_string(plane[i]);
    return text;
}

}  // namespace

Failure index_failure(const Indexed& caller, DType index_dtype, const int64_t* dims, const int64_t* strides,
                      const int64_t* plane, const void* indices) {
    const int64_t cells = saturating_product(plane[0], plane[1], plane[2]);
    Loops<5, 1> loops;
    std::copy_n(dims, 5, loops.extent);
    std::copy_n(strides, 5, loops.step[0]);
    Walk<5, 1> walk(loops, 0);
    for (int64_t left = steps_of(loops.extent); left > 0; --left, walk.advance()) {
        const int64_t index = index_dtype == DType::int32 ? static_cast<const int32_t*>(indices)[walk.offset(0)]
                                                          : static_cast<const int64_t*>(indices)[walk.offset(0)];
        if (index < 0 || index >= cells)
            return {kKernelException, "index_range",
                    "indices[" + position(caller, walk) + "] is " + std::to_string(index) + ", expected 0 <= index < " +
                        std::to_string(cells) + " (" + plane_text(caller, plane) +
                        "); pass indices as the pooling returned them: each counts the cells of its own " +
                        (caller.axes == 3 ? "D*H*W volume" : "H*W plane"),
                    Raises::index_error};
    }
    return {kKernelException, "index_range",
            "indices changed while they were read, expected the same values until the call returns; do not write to "
            "them from another thread",
            Raises::index_error};
}

}  // namespace acltwin
