#include "kernels/level/scatter_copy_batch.h"
#include "kernels/scatter_copy_task.h"

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
bool copy_part(const ScatterCopyPlanes& p, Batches<E, I>& batches, E* result, const Part& part) {
    zero_cells(p, result, part.begin, part.end);
    while (batches.next())
        for (int64_t i = 0; i < batches.batch.count; ++i) {
            const int64_t index = read_once(batches.batch.indices + i);
            if (index < 0 || index >= p.plane) return false;
            if (part.has(index))
                result[offset_of(p, index)] = batches.batch.values[i];
            else if (part.owns(batches.batch.first + i) && !part_at(p, index).reads(batches.batch.first + i))
                return false;
        }
    return true;
}

}  // namespace

bool scatter_copy_plain(const ScatterCopyPlanes& p, const void* source, const void* indices, void* result, void*,
                        int64_t first, int64_t last) {
    return with_types(p, source, indices, result, [&](const auto* from, const auto* where, auto* to) {
        return each_part(p, from, where, to, first, last,
                         [&](auto& batches, auto* block, Part part) { return copy_part(p, batches, block, part); });
    });
}

}  // namespace acltwin::ACLTWIN_LEVEL
