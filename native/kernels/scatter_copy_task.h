// What a plan of scattered copies tells its kernels. Strides count elements.
#pragma once

#include "core/tensor.h"
#include "kernels/loops/plane_cells.h"
#include "kernels/loops/walk.h"

namespace acltwin {

// The elements of all planes of one n or of one (n, c), in the order in which they are copied: D, H, W, plane.
struct ScatterCopyPlanes {
    static constexpr int64_t kMostBatch = 256, kLongRow = 16;  // elements that are packed at once; that need not be

    int64_t element_size = 0;
    DType index_dtype = DType::int64;
    // The loops over parts of blocks of planes: N, C, part. The planes of all C are handled together if they are
    // interleaved in the result, element by element; otherwise one is, and C is a loop.
    Loops<3, 3> blocks;  // source, indices, result
    Loops<4, 2> cells;   // of the source, D, H, W, planes, merged where they can be; source, indices
    int64_t planes_together = 1;
    int64_t grouped = 0;                       // for scatter_copy_planes: so many of the channels are a block
    int64_t channels = 0, result_channel = 0;  // all of them, and from one to the next in the result
    int64_t elements = 0;                      // of the source, per block
    int64_t elements_around = 0;               // that a part reads before and after its own share of them

    int64_t plane = 0;  // cells: an index is in [0, plane)
    PlaneCells places;  // theirs in the result

    int64_t ring_elements = 0;  // a power of two; 0: results are formed in place
};

// Tasks first to last - 1; a task is one part of one block. False if an index was outside its plane, or in a part that
// does not read it: nothing was written there. A dense result has neighbouring cells `planes_together` elements apart;
// `ring` has ring_elements elements and is aligned to a cache line. The plain kernel knows any strides, one plane and
// no ring.
ACLTWIN_DECLARE_KERNEL(bool scatter_copy_dense(const ScatterCopyPlanes& planes, const void* source, const void* indices,
                                               void* result, void* ring, int64_t first, int64_t last))
// scatter_copy_planes has planes that are neighbours in source and indices, apart in the result.
ACLTWIN_DECLARE_KERNEL(bool scatter_copy_planes(const ScatterCopyPlanes& planes, const void* source,
                                                const void* indices, void* result, void* ring, int64_t first,
                                                int64_t last))
ACLTWIN_DECLARE_KERNEL(bool scatter_copy_plain(const ScatterCopyPlanes& planes, const void* source, const void* indices,
                                               void* result, void* ring, int64_t first, int64_t last))

}  // namespace acltwin
