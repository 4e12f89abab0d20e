#include "runtime/tensor.h"

#include <algorithm>
#include <cstring>

#include "runtime/error.h"
#include "runtime/instance.h"

namespace acltwin {
namespace {

constexpr uint64_t kMostDims = 1024;  // no tensor has more; a count above it is garbage, and not followed

Failure check_dims(const int64_t* dims, uint64_t count, const char* name) {
    if (dims == nullptr && count > 0)
        return refuse(ACL_ERROR_INVALID_PARAM, name, " is null and ", name, "Num is ", count,
                      "; pass the dimensions, or 0 of them");
    return {};
}

std::vector<int64_t> contiguous_strides(const std::vector<int64_t>& dims) {
    std::vector<int64_t> strides(dims.size());
    int64_t stride = 1;
    for (size_t i = dims.size(); i-- > 0;) {
        strides[i] = stride;
        // Shapes come from outside. The strides of an absurd one only have to be defined: a check will refuse it.
        if (__builtin_mul_overflow(stride, dims[i], &stride)) stride = 0;
    }
    return strides;
}

// What a caller says about shapes; null strides mean contiguous.
struct Given {
    const int64_t* view_dims;
    uint64_t rank;
    const int64_t* strides;
    const int64_t* storage_dims;
    uint64_t storage_rank;
};

Failure check_count(uint64_t count, const char* name) {
    if (count <= kMostDims) return {};
    return refuse(kInvalidParameter, name, " is ", count, ", expected at most ", kMostDims,
                  "; pass the number of dimensions");
}

// Shapes that are not given stay as they are.
Failure describe(const Given& given, DescribedTensor* tensor) {
    if (Failure failure = check_count(given.rank, "viewDimsNum")) return failure;
    if (Failure failure = check_count(given.storage_rank, "storageDimsNum")) return failure;
    if (given.view_dims != nullptr && given.rank > 0)
        tensor->view_dims.assign(given.view_dims, given.view_dims + given.rank);
    if (given.storage_dims != nullptr && given.storage_rank > 0)
        tensor->storage_dims.assign(given.storage_dims, given.storage_dims + given.storage_rank);
    tensor->strides = contiguous_strides(tensor->view_dims);
    if (given.strides == nullptr || given.rank == 0) return {};
    if (given.rank != tensor->view_dims.size())
        return refuse(kInvalidParameter, "stride has ", given.rank, " values (viewDimsNum), expected ",
                      tensor->view_dims.size(), " for the shape that the tensor has; pass viewDims as well");
    tensor->strides.assign(given.strides, given.strides + given.rank);
    return {};
}

Failure give_away(const std::vector<int64_t>& values, int64_t** copy, uint64_t* count, const char* copy_name,
                  const char* count_name) {
    if (copy == nullptr)
        return refuse(kNullPointer, copy_name,
                      " is null, expected an address to write to; pass the address of a variable");
    if (count == nullptr)
        return refuse(kNullPointer, count_name,
                      " is null, expected an address to write to; pass the address of a variable");
    *copy = new int64_t[values.size()];  // the caller ends it with delete[]
    std::copy(values.begin(), values.end(), *copy);
    *count = values.size();
    return {};
}

// Runs `read` on the living tensor of a handle.
template <class Read>
aclnnStatus with_tensor(const char* function, const aclTensor* handle, const Read& read) {
    return answer(function, [&]() -> Failure {
        if (handle == nullptr) return refuse(kNullPointer, "tensor is null, expected an aclTensor");
        const auto tensor = find_handle<DescribedTensor>(handle, lock_runtime());
        return tensor != nullptr ? read(*tensor) : bad_handle(kInvalidParameter, Kind::tensor, handle);
    });
}

// An enumeration is written as the number that it was, which it may have no name for.
template <class Value, class Target>
Failure write(Value value, Target* to, const char* name) {
    static_assert(sizeof(Value) == sizeof(Target), "the same number");
    if (to == nullptr)
        return refuse(kNullPointer, name, " is null, expected an address to write to; pass the address of a variable");
    std::memcpy(to, &value, sizeof value);
    return {};
}

Failure leaves_storage(const char* name, const DescribedTensor& tensor, const char* how) {
    return refuse_by("view_in_storage", ACLNN_ERR_INNER_NULLPTR, "the view of ", name, " ", how,
                     " its storage, expected it inside; check its strides, offset (", tensor.offset,
                     " elements) and storage shape");
}

}  // namespace

Tensor DescribedTensor::view() const {
    Tensor tensor;
    tensor.dtype = dtype;
    tensor.format = format;
    tensor.rank = int(view_dims.size());
    const size_t kept = std::min(view_dims.size(), size_t(kMaxRank));
    std::copy_n(view_dims.begin(), kept, tensor.dims);
    std::copy_n(strides.begin(), kept, tensor.strides);
    return tensor;
}

Failure measure(const char* name, const DescribedTensor& tensor, Extent* extent) {
    // Any sum or product that overflows belongs to a view that reaches further than any storage.
    int64_t storage_elements = 1, storage_bytes = 0;
    bool absurd = false;
    for (int64_t dim : tensor.storage_dims)
        absurd |= dim < 0 || __builtin_mul_overflow(storage_elements, dim, &storage_elements);
    absurd |= __builtin_mul_overflow(storage_elements, int64_t(size_of(tensor.dtype)), &storage_bytes);
    if (absurd)
        return refuse_by("storage_shape", ACLNN_ERR_INNER_NULLPTR, "the storage shape of ", name,
                         " has a negative dimension or 2^63 bytes and more, expected a shape that can be; create it "
                         "with its real shape");
    if (size_t(storage_bytes) > physical_memory())
        return refuse_by("storage_in_block", kInvalidParameter, "the storage of ", name, " has ", storage_bytes,
                         " bytes, expected at most ", physical_memory(),
                         ", the memory of this machine; use smaller tensors");
    int64_t least = tensor.offset, most = tensor.offset;
    for (size_t i = 0; i < tensor.view_dims.size(); ++i) {
        int64_t reach = 0;
        absurd |= __builtin_mul_overflow(tensor.view_dims[i] - 1, tensor.strides[i], &reach);
        int64_t& end = reach < 0 ? least : most;
        absurd |= __builtin_add_overflow(end, reach, &end);
    }
    if (absurd || least < 0) return leaves_storage(name, tensor, absurd ? "reaches far beyond" : "begins before");
    if (most >= storage_elements)
        return leaves_storage(
            name, tensor, sentence("reaches element ", most, ", past the ", storage_elements, " elements of").c_str());
    extent->storage_bytes = size_t(storage_bytes);
    extent->element_bytes = extent->alignment = size_of(tensor.dtype);
    extent->first_element = size_t(tensor.offset) * extent->element_bytes;
    return {};
}

Failure find_storage(const char* name, void* storage, const Extent& extent, int device, const Lock& lock, Held* held,
                     char** data) {
    if ((reinterpret_cast<uintptr_t>(storage) + extent.first_element) % extent.alignment != 0)
        return refuse_by("data_alignment", ACL_ERROR_RT_PARAM_INVALID, "the data of ", name, " begin at ", storage,
                         ", expected a multiple of the element's ", extent.alignment,
                         " bytes; copy them to such an address");
    return find_range(name, storage, extent.storage_bytes, device, lock, held, data);
}

}  // namespace acltwin

using namespace acltwin;

aclTensor* aclCreateTensor(const int64_t* viewDims, uint64_t viewDimsNum, aclDataType dataType, const int64_t* stride,
                           int64_t offset, aclFormat format, const int64_t* storageDims, uint64_t storageDimsNum,
                           void* tensorData) {
    void* handle = nullptr;
    // Enumerations come from C and may hold any value: they are read as numbers from the start.
    answer(__func__, [&, dtype = DType(dataType), layout = Format(format)]() -> Failure {
        if (Failure failure = claim_process()) return failure;
        if (Failure failure = check_dims(viewDims, viewDimsNum, "viewDims")) return failure;
        if (Failure failure = check_dims(storageDims, storageDimsNum, "storageDims")) return failure;
        const Given given = {viewDims, viewDimsNum, stride, storageDims, storageDimsNum};
        const auto tensor = std::make_shared<DescribedTensor>(offset, dtype, layout, tensorData);
        if (Failure failure = describe(given, tensor.get())) return failure;
        handle = add_handle(tensor, lock_runtime());
        return {};
    });
    return static_cast<aclTensor*>(handle);
}

aclnnStatus aclInitTensor(aclTensor* tensor, const int64_t* viewDims, uint64_t viewDimsNum, aclDataType dataType,
                          const int64_t* stride, int64_t offset, aclFormat format, const int64_t* storageDims,
                          uint64_t storageDimsNum, void* tensorDataAddr) {
    return with_tensor(__func__, tensor, [&, dtype = DType(dataType), layout = Format(format)](const auto& before) {
        // Others may be reading the old description, which therefore stays as it is.
        void* const data = tensorDataAddr != nullptr ? tensorDataAddr : before.storage.load();
        const auto fresh = std::make_shared<DescribedTensor>(offset, dtype, layout, data);
        fresh->view_dims = before.view_dims;
        fresh->storage_dims = before.storage_dims;
        const Given given = {viewDims, viewDimsNum, stride, storageDims, storageDimsNum};
        if (Failure failure = describe(given, fresh.get())) return failure;
        const bool lives = HandleTable<DescribedTensor>::instance().replace(tensor, fresh, lock_runtime());
        return lives ? Failure{} : bad_handle(kInvalidParameter, Kind::tensor, tensor);
    });
}

aclnnStatus aclGetViewShape(const aclTensor* tensor, int64_t** viewDims, uint64_t* viewDimsNum) {
    return with_tensor(__func__, tensor, [&](const DescribedTensor& found) {
        return give_away(found.view_dims, viewDims, viewDimsNum, "viewDims", "viewDimsNum");
    });
}

aclnnStatus aclGetStorageShape(const aclTensor* tensor, int64_t** storageDims, uint64_t* storageDimsNum) {
    return with_tensor(__func__, tensor, [&](const DescribedTensor& found) {
        return give_away(found.storage_dims, storageDims, storageDimsNum, "storageDims", "storageDimsNum");
    });
}

aclnnStatus aclGetViewStrides(const aclTensor* tensor, int64_t** stridesValue, uint64_t* stridesNum) {
    return with_tensor(__func__, tensor, [&](const DescribedTensor& found) {
        return give_away(found.strides, stridesValue, stridesNum, "stridesValue", "stridesNum");
    });
}

aclnnStatus aclGetViewOffset(const aclTensor* tensor, int64_t* offset) {
    return with_tensor(__func__, tensor,
                       [&](const DescribedTensor& found) { return write(found.offset, offset, "offset"); });
}

aclnnStatus aclGetFormat(const aclTensor* tensor, aclFormat* format) {
    return with_tensor(__func__, tensor,
                       [&](const DescribedTensor& found) { return write(int(found.format), format, "format"); });
}

aclnnStatus aclGetDataType(const aclTensor* tensor, aclDataType* dataType) {
    return with_tensor(__func__, tensor,
                       [&](const DescribedTensor& found) { return write(int(found.dtype), dataType, "dataType"); });
}

aclnnStatus aclSetRawTensorAddr(aclTensor* tensor, void* addr) {
    return with_tensor(__func__, tensor, [&](DescribedTensor& found) {
        found.storage = addr;
        return Failure{};
    });
}

aclnnStatus aclGetRawTensorAddr(const aclTensor* tensor, void** addr) {
    return with_tensor(__func__, tensor,
                       [&](const DescribedTensor& found) { return write(found.storage.load(), addr, "addr"); });
}
