#include "kernels/level/scatter_copy_batch.h"
#include "kernels/scatter_copy_task.h"

namespace acltwin::ACLTWIN_LEVEL {
namespace {

template <class E, class Offsets>
void zero_cells(const ScatterCopyPlanes& p, Offsets offsets, E* result, int64_t first, int64_t end) {
    const int64_t row = p.places.inner, step = p.places.strides[2];
    for (int64_t cell = first, n; cell < end; cell += n) {
        E* const at = result + offsets(uint64_t(cell));
        n = min64(end - cell, row - cell % row);
        for (int64_t i = 0; i < n; ++i) at[i * step] = 0;
    }
}

template <class E, class I, class Offsets>
bool copy_part(const ScatterCopyPlanes& p, Offsets offsets, Batches<E, I>& batches, E* result, const Part& part) {
    zero_cells(p, offsets, result, part.begin, part.end);
    while (batches.next())
        for (int64_t i = 0; i < batches.batch.count; ++i) {
            const int64_t index = read_once(batches.batch.indices + i);
            if (index < 0 || index >= p.plane) return false;
            if (part.has(index))
                result[offsets(uint64_t(index))] = batches.batch.values[i];
            else if (part.owns(batches.batch.first + i) && !part_at(p, index).reads(batches.batch.first + i))
                return false;
        }
    return true;
}

}  // namespace

bool scatter_copy_plain(const ScatterCopyPlanes& p, const void* source, const void* indices, void* result, void*,
                        int64_t first, int64_t last) {
    return with_types(p, source, indices, result, [&](const auto* from, const auto* where, auto* to) {
        return each_part(p, from, where, to, first, last, [&](auto& batches, auto* block, Part part) {
            return with_cell_offsets(p.places, p.plane,
                                     [&](auto offsets) { return copy_part(p, offsets, batches, block, part); });
        });
    });
}

}  // namespace acltwin::ACLTWIN_LEVEL
