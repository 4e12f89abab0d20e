// What an aclTensor describes: a view into a storage, whose data belong to the caller.
#pragma once

#include <atomic>
#include <vector>

#include "aclnn/acl_meta.h"
#include "core/tensor.h"
#include "runtime/handles.h"

namespace acltwin {

struct DescribedTensor {
    static constexpr Kind kKind = Kind::tensor;

    std::vector<int64_t> view_dims, strides, storage_dims;
    int64_t offset = 0;  // of the view's first element in the storage, in elements
    DType dtype = DType::undefined;
    Format format = Format::nd;
    std::atomic<void*> storage{nullptr};

    Tensor view() const;  // without an address: operators check and plan geometry
};

// How far a view reaches into its storage.
struct Extent {
    size_t first_element_byte = 0;  // of the view's element [0, 0, ...]
    size_t begin_byte = 0, end_byte = 0;
    size_t storage_bytes = 0;
    bool empty = false;  // no element, so no address is needed
};

// The extent of a tensor whose shape and dtype have passed the operator's checks; fails when the view leaves the
// storage.
Failure measure(const char* name, const DescribedTensor& tensor, Extent* extent);

}  // namespace acltwin
