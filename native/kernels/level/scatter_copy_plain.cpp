#include "kernels/level/scatter_copy.h"
#include "kernels/level/scatter_copy_batch.h"

namespace acltwin::ACLTWIN_LEVEL {
namespace {

int64_t offset_of(const ScatterCopyPlanes& p, int64_t cell) {
    const int64_t row = cell / p.result_dims[2];
    return row / p.result_dims[1] * p.result_strides[0] + row % p.result_dims[1] * p.result_strides[1] +
           cell % p.result_dims[2] * p.result_strides[2];
}

template <class E>
void zero_cells(const ScatterCopyPlanes& p, E* result, int64_t first, int64_t end) {
    for (int64_t cell = first; cell < end;) {
        E* const at = result + offset_of(p, cell);
        const int64_t n = min64(end - cell, p.result_dims[2] - cell % p.result_dims[2]);
        for (int64_t i = 0; i < n; ++i) at[i * p.result_strides[2]] = 0;
        cell += n;
    }
}

template <class E, class I>
bool copy_part(const ScatterCopyPlanes& p, Batches<E, I>& batches, E* result, int64_t first, int64_t end) {
    zero_cells(p, result, first, end);
    for (int64_t n; (n = batches.next()) > 0;)
        for (int64_t i = 0; i < n; ++i) {
            const int64_t index = batches.indices[i];
            if (index < 0 || index >= p.plane) return false;
            if (index >= first && index < end) result[offset_of(p, index)] = batches.values[i];
        }
    return true;
}

template <class E, class I>
bool copy_parts(const ScatterCopyPlanes& p, const E* source, const I* indices, E* result, int64_t first, int64_t last) {
    for (int64_t task = first; task < last; ++task) {
        const int64_t block = task / p.parts, part = task % p.parts;
        const int64_t n = block / p.extent[1], c = block % p.extent[1];
        Batches<E, I> batches(p, source + n * p.source_blocks[0] + c * p.source_blocks[1],
                              indices + n * p.index_blocks[0] + c * p.index_blocks[1]);
        E* const plane = result + n * p.result_blocks[0] + c * p.result_blocks[1];
        if (!copy_part(p, batches, plane, p.first_cell(part), p.end_cell(part))) return false;
    }
    return true;
}

}  // namespace

bool scatter_copy_plain(const ScatterCopyPlanes& planes, const void* source, const void* indices, void* result, void*,
                        int64_t first, int64_t last) {
    return with_types(planes, [&](auto element, auto index) {
        typedef decltype(element) E;
        typedef decltype(index) I;
        return copy_parts(planes, static_cast<const E*>(source), static_cast<const I*>(indices),
                          static_cast<E*>(result), first, last);
    });
}

}  // namespace acltwin::ACLTWIN_LEVEL
