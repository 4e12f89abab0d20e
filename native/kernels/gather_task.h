// What the gather's plan tells its kernel: loops over memory, no operator, no axis names.
#pragma once

#include <cstdint>

#include "core/tensor.h"
#include "kernels/dispatch.h"
#include "kernels/loops/plane_cells.h"
#include "kernels/loops/walk.h"

namespace acltwin {

struct GatherLoops {
    enum Operand { kSource, kIndices, kResult };

    size_t element_size = 0;
    DType index_dtype = DType::int64;
    DType source_dtype = DType::undefined, result_dtype = DType::undefined;  // if they differ
    Loops<5, 3> loops;  // in elements; the source steps only from plane to plane
    PlaneCells cells;
    int64_t plane = 0;  // an index is in [0, plane)

    ACLTWIN_INLINE bool converts() const { return source_dtype != result_dtype; }
    // Rows that are contiguous everywhere; those of the result, or of a piece of it, have this step.
    ACLTWIN_INLINE bool dense(int64_t result_step) const {
        return cells.axes == 1 && cells.strides[2] == 1 && loops.step[kSource][4] == 0 &&
               loops.step[kIndices][4] == 1 && result_step == 1;
    }
    ACLTWIN_INLINE int64_t result_step() const { return loops.step[kResult][4]; }
};

// Elements [begin, end) of the loops, counted in their order. False if it met an index outside the plane; what is
// written until then is part of the result, and nothing was read through that index.
ACLTWIN_DECLARE_KERNEL(bool gather_elements(const GatherLoops& loops, const void* source, const void* indices,
                                            void* result, int64_t begin, int64_t end))
ACLTWIN_DECLARE_KERNEL(bool gather_converted(const GatherLoops& loops, const void* source, const void* indices,
                                             void* result, int64_t begin, int64_t end))

}  // namespace acltwin
