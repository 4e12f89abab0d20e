#include "python/array_view_elements.h"

#include <algorithm>
#include <cstring>

#include "core/dtypes.h"
#include "core/output_pool.h"
#include "python/array_view_refusals.h"

namespace acltwin {
namespace {

// How far the elements lie from the first one, in bytes: at most this much before and behind it.
struct Reach {
    int64_t before = 0, behind = 0;
    bool beyond_memory = false;

    void add(int64_t dim, int64_t stride) {
        int64_t distance;
        int64_t& side = stride < 0 ? before : behind;
        if (__builtin_mul_overflow(dim - 1, stride, &distance) || __builtin_add_overflow(side, distance, &side))
            beyond_memory = true;
    }
    bool fits(const void* first, size_t element) const {
        uintptr_t end;
        const uintptr_t address = reinterpret_cast<uintptr_t>(first);
        return !beyond_memory && address >= uintptr_t(0) - uintptr_t(before) &&
               !__builtin_add_overflow(address, uintptr_t(behind) + element, &end);
    }
};

// One axis after the other; the last one copies.
template <class Element>
char* copy_axes(const char* source, const int64_t* strides, const int64_t* dims, int rank, char* target) {
    if (rank == 0) {
        std::memcpy(target, source, sizeof(Element));
        return target + sizeof(Element);
    }
    for (int64_t i = 0; i < *dims; ++i)
        target = copy_axes<Element>(source + i * *strides, strides + 1, dims + 1, rank - 1, target);
    return target;
}

}  // namespace

DType dtype_of_kind(char kind, int bytes) {
    return find_dtype(
        [&](const DTypeFacts& facts) { return facts.kind == kind && facts.bytes == bytes && kind != 'V'; });
}

bool place_elements(const Argument& argument, const int64_t* byte_strides, ArrayView& view) {
    Tensor& tensor = view.tensor;
    view.misplaced = false;
    const int64_t size = int64_t(size_of(tensor.dtype));
    if (size == 0) return refuse_dtype(argument, view.source);
    if (tensor.rank > kMaxRank) return true;  // a check refuses it
    const int shift = __builtin_ctzll(uint64_t(size));
    uint64_t addresses = reinterpret_cast<uintptr_t>(tensor.data);
    bool used = true;
    Reach reach;
    for (int i = 0; i < tensor.rank; ++i) {
        const int64_t dim = tensor.dims[i], stride = byte_strides[i];
        tensor.strides[i] = stride >> shift;
        used = used && dim > 0;  // a check refuses what is negative
        if (dim <= 1) continue;
        addresses |= uint64_t(stride);
        reach.add(dim, stride);
    }
    if (!used) return true;
    if (tensor.data == nullptr)
        return refuse(PyExc_TypeError, argument,
                      "has no memory, as the tensors that tracers use; call this function with values, outside of "
                      "tracing");
    if (!reach.fits(tensor.data, size_t(size)))
        return refuse(PyExc_ValueError, argument,
                      "has strides that lead out of the address space; create it with its real strides");
    const bool placed = reinterpret_cast<uintptr_t>(tensor.data) % alignment_of(view.holds, size_t(size)) == 0;
    if (placed && (addresses & uint64_t(size - 1)) == 0) return true;
    if (view.for_writing)
        return refuse(PyExc_ValueError, argument,
                      "is not aligned to its elements, so it cannot be written in place; pass an ordinary array");
    view.misplaced = true;
    view.origin = static_cast<const char*>(tensor.data);
    std::copy_n(byte_strides, tensor.rank, view.origin_strides);
    tensor.data = nullptr;
    tensor.set_contiguous_strides();
    return true;
}

void copy_misplaced(ArrayView& view) {
    Tensor& tensor = view.tensor;
    view.copy.reset(allocate_working_memory(bytes_of(tensor)));
    tensor.data = view.copy.get();
    const auto copy = [&](auto* function) {
        function(view.origin, view.origin_strides, tensor.dims, tensor.rank, static_cast<char*>(tensor.data));
    };
    switch (size_of(tensor.dtype)) {
        case 1: copy(copy_axes<uint8_t>); break;
        case 2: copy(copy_axes<uint16_t>); break;
        case 4: copy(copy_axes<uint32_t>); break;
        default: copy(copy_axes<uint64_t>); break;
    }
}

}  // namespace acltwin
