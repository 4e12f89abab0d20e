#include "kernels/index_failure.h"

#include "kernels/saturating.h"

namespace acltwin {
namespace {

int64_t index_at(const IndexedPlanes& planes, const void* indices, const int64_t (&at)[5]) {
    int64_t offset = 0;
    for (int axis = 0; axis < 5; ++axis) offset += at[axis] * planes.strides[axis];
    return planes.index_dtype == DType::int32 ? static_cast<const int32_t*>(indices)[offset]
                                              : static_cast<const int64_t*>(indices)[offset];
}

bool step(const int64_t* dims, int64_t (&at)[5]) {
    for (int axis = 4; axis >= 0; --axis) {
        if (++at[axis] < dims[axis]) return true;
        at[axis] = 0;
    }
    return false;
}

std::string position(const IndexedPlanes& planes, const int64_t (&at)[5]) {
    std::string text;
    for (int axis = 0; axis < 5; ++axis)
        if (axis != planes.missing_axis) text += (text.empty() ? "" : ", ") + std::to_string(at[axis]);
    return text;
}

}  // namespace

Failure index_failure(const IndexedPlanes& planes, const void* indices) {
    const int64_t* plane = planes.plane_dims;
    const int64_t cells = saturating_product(plane[0], plane[1], plane[2]);
    int64_t at[5] = {}, index;
    do {
        index = index_at(planes, indices, at);
        if (index < 0 || index >= cells)
            return {kKernelException, "index_range",
                    "indices[" + position(planes, at) + "] is " + std::to_string(index) + ", expected 0 <= index < " +
                        std::to_string(cells) + " (D*H*W of " + planes.plane_owner + " = " + std::to_string(plane[0]) +
                        "*" + std::to_string(plane[1]) + "*" + std::to_string(plane[2]) +
                        "); pass indices as max_pool3d returns them: each counts the cells of its own D*H*W volume"};
    } while (step(planes.dims, at));
    return {kKernelException, "index_range",
            "indices changed while they were read, expected the same values until the call returns; do not write to "
            "them from another thread"};
}

}  // namespace acltwin
