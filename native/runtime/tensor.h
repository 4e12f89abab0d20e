// What an aclTensor describes: a view into a storage, whose data belong to the caller.
#pragma once

#include <atomic>
#include <vector>

#include "aclnn/acl_meta.h"
#include "core/tensor.h"
#include "runtime/handles.h"
#include "runtime/memory.h"

namespace acltwin {

struct DescribedTensor {
    static constexpr Kind kKind = Kind::tensor;

    DescribedTensor(int64_t offset, DType dtype, Format format, void* storage)
        : offset(offset), dtype(dtype), format(format), storage(storage) {}

    std::vector<int64_t> view_dims, strides, storage_dims;
    const int64_t offset;  // of the view's first element in the storage, in elements
    const DType dtype;
    const Format format;
    std::atomic<void*> storage;

    Tensor view() const;  // without an address: operators check and plan geometry
};

// What a tensor needs of the memory that it will be given.
struct Extent {
    size_t storage_bytes = 0;
    size_t element_bytes = 0, alignment = 0;
    size_t first_element = 0;  // byte of the view's element [0, 0, ...] in the storage
};

// The extent of a tensor that has elements and has passed the operator's checks; fails when the view leaves the
// storage.
Failure measure(const char* name, const DescribedTensor& tensor, Extent* extent);

// The memory of a tensor's storage (find_range): as long as it must be, on the device, aligned for the element type.
Failure find_storage(const char* name, void* storage, const Extent& extent, int device, const Lock& lock, Held* held,
                     char** data);

}  // namespace acltwin
