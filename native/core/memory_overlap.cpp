#include "core/memory_overlap.h"

#include <utility>

namespace acltwin {
namespace {

struct Range {
    __int128 first, last;  // bytes, both inclusive
};

Range address_range(const Tensor& tensor) {
    const __int128 size = __int128(size_of(tensor.dtype));
    Range range = {__int128(reinterpret_cast<uintptr_t>(tensor.data)), 0};
    range.last = range.first + size - 1;
    for (int i = 0; i < tensor.rank; ++i) {
        const __int128 reach = __int128(tensor.dims[i] - 1) * tensor.strides[i] * size;
        (reach < 0 ? range.first : range.last) += reach;
    }
    return range;
}

}  // namespace

bool share_memory(const Tensor& a, const Tensor& b) {
    if (a.empty() || b.empty()) return false;
    const Range x = address_range(a), y = address_range(b);
    return x.first <= y.last && y.first <= x.last;
}

bool overlaps_itself(const Tensor& tensor) {
    if (tensor.empty()) return false;
    struct Axis {
        __int128 distance;
        int64_t extent;
    };
    Axis axes[kMaxRank];  // sorted by distance
    int count = 0;
    for (int i = 0; i < tensor.rank; ++i) {
        if (tensor.dims[i] == 1) continue;
        const __int128 stride = tensor.strides[i];
        Axis axis = {stride < 0 ? -stride : stride, tensor.dims[i]};
        for (int j = 0; j < count; ++j)
            if (axis.distance < axes[j].distance) std::swap(axis, axes[j]);
        axes[count++] = axis;
    }
    __int128 reach = 0;  // how far the axes with smaller strides get
    for (int i = 0; i < count; ++i) {
        if (axes[i].distance <= reach) return true;
        reach += axes[i].distance * (axes[i].extent - 1);
    }
    return false;
}

}  // namespace acltwin
