#include "runtime/arrays.h"

#include <cstring>

#include "runtime/error.h"
#include "runtime/instance.h"
#include "runtime/tensor.h"

namespace acltwin {
namespace {

constexpr uint64_t kMostValues = uint64_t(1) << 20;  // a size above it is garbage, and not followed

template <class Array, class Value>
void* create(const char* function, const Value* values, uint64_t size) {
    void* handle = nullptr;
    answer(function, [&]() -> Failure {
        if (Failure failure = claim_process()) return failure;
        if (values == nullptr && size > 0)
            return refuse(ACL_ERROR_INVALID_PARAM, "value is null and size is ", size,
                          "; pass the values, or 0 of them");
        if (size > kMostValues)
            return refuse(ACL_ERROR_INVALID_PARAM, "size is ", size, ", expected at most ", kMostValues,
                          "; pass fewer values");
        auto array = std::make_shared<Array>();
        array->values.assign(values, values + size);
        handle = add_handle(std::move(array), lock_runtime());
        return {};
    });
    return handle;
}

template <class Object>
aclnnStatus destroy(const char* function, const void* handle) {
    return answer(function, [&]() -> Failure {
        if (handle == nullptr || remove_handle<Object>(handle, lock_runtime()) != nullptr) return {};
        return bad_handle(kInvalidParameter, Object::kKind, handle);
    });
}

// A list owns its members: they end with it, if they have not ended before.
template <class List, class Member>
aclnnStatus destroy_list(const char* function, const void* handle) {
    return answer(function, [&]() -> Failure {
        if (handle == nullptr) return {};
        const Lock lock = lock_runtime();
        const auto list = remove_handle<List>(handle, lock);
        if (list == nullptr) return bad_handle(kInvalidParameter, List::kKind, handle);
        for (const void* member : list->values) remove_handle<Member>(member, lock);
        return {};
    });
}

template <class Array>
aclnnStatus write_size(const char* function, const void* handle, uint64_t* size) {
    return answer(function, [&]() -> Failure {
        if (handle == nullptr)
            return refuse(kNullPointer, "got null, expected ", name_of(Array::kKind),
                          "; pass what its create function returned");
        if (size == nullptr)
            return refuse(kNullPointer,
                          "size is null, expected an address to write to; pass the address of a variable");
        const auto array = find_handle<Array>(handle, lock_runtime());
        if (array == nullptr) return bad_handle(kInvalidParameter, Array::kKind, handle);
        *size = array->values.size();
        return {};
    });
}

}  // namespace
}  // namespace acltwin

using namespace acltwin;

aclIntArray* aclCreateIntArray(const int64_t* value, uint64_t size) {
    return static_cast<aclIntArray*>(create<DescribedIntArray>(__func__, value, size));
}

aclFloatArray* aclCreateFloatArray(const float* value, uint64_t size) {
    return static_cast<aclFloatArray*>(create<DescribedFloatArray>(__func__, value, size));
}

aclBoolArray* aclCreateBoolArray(const bool* value, uint64_t size) {
    // As bytes: what C calls a bool may hold any value, and reading that as a C++ bool is undefined.
    return static_cast<aclBoolArray*>(create<DescribedBoolArray>(__func__, reinterpret_cast<const char*>(value), size));
}

aclTensorList* aclCreateTensorList(const aclTensor* const* value, uint64_t size) {
    return static_cast<aclTensorList*>(create<DescribedTensorList>(__func__, value, size));
}

aclScalarList* aclCreateScalarList(const aclScalar* const* value, uint64_t size) {
    return static_cast<aclScalarList*>(create<DescribedScalarList>(__func__, value, size));
}

aclScalar* aclCreateScalar(void* value, aclDataType dataType) {
    void* handle = nullptr;
    // An enumeration comes from C and may hold any value: it is read as a number from the start.
    answer(__func__, [&, dtype = int(dataType), bytes = aclDataTypeSize(dataType)]() -> Failure {
        if (Failure failure = claim_process()) return failure;
        if (value == nullptr)
            return refuse(ACL_ERROR_INVALID_PARAM, "value is null, expected the address of the value; pass &value");
        if (bytes == 0)
            return refuse(ACL_ERROR_INVALID_PARAM, "dataType is ", dtype,
                          ", expected a type that scalars have; use ACL_FLOAT, for example");
        auto scalar = std::make_shared<DescribedScalar>();
        scalar->dtype = dtype;
        std::memcpy(scalar->value, value, bytes);
        handle = add_handle(std::move(scalar), lock_runtime());
        return {};
    });
    return static_cast<aclScalar*>(handle);
}

aclnnStatus aclDestroyTensor(const aclTensor* tensor) { return destroy<DescribedTensor>(__func__, tensor); }
aclnnStatus aclDestroyScalar(const aclScalar* scalar) { return destroy<DescribedScalar>(__func__, scalar); }
aclnnStatus aclDestroyIntArray(const aclIntArray* array) { return destroy<DescribedIntArray>(__func__, array); }
aclnnStatus aclDestroyFloatArray(const aclFloatArray* array) { return destroy<DescribedFloatArray>(__func__, array); }
aclnnStatus aclDestroyBoolArray(const aclBoolArray* array) { return destroy<DescribedBoolArray>(__func__, array); }

aclnnStatus aclDestroyTensorList(const aclTensorList* array) {
    return destroy_list<DescribedTensorList, DescribedTensor>(__func__, array);
}

aclnnStatus aclDestroyScalarList(const aclScalarList* array) {
    return destroy_list<DescribedScalarList, DescribedScalar>(__func__, array);
}

aclnnStatus aclGetIntArraySize(const aclIntArray* array, uint64_t* size) {
    return write_size<DescribedIntArray>(__func__, array, size);
}

aclnnStatus aclGetFloatArraySize(const aclFloatArray* array, uint64_t* size) {
    return write_size<DescribedFloatArray>(__func__, array, size);
}

aclnnStatus aclGetBoolArraySize(const aclBoolArray* array, uint64_t* size) {
    return write_size<DescribedBoolArray>(__func__, array, size);
}

aclnnStatus aclGetTensorListSize(const aclTensorList* tensorList, uint64_t* size) {
    return write_size<DescribedTensorList>(__func__, tensorList, size);
}

aclnnStatus aclGetScalarListSize(const aclScalarList* scalarList, uint64_t* size) {
    return write_size<DescribedScalarList>(__func__, scalarList, size);
}
