// Tensors, arrays, scalars and lists: what is kept, what is given back, what is refused.
#include <vector>

#include "upsample.h"

static std::vector<int64_t> taken(int64_t* values, uint64_t count) {
    std::vector<int64_t> copy(values, values + count);
    delete[] values;
    return copy;
}

static void descriptions() {
    const std::vector<int64_t> dims = {2, 3, 4}, strides = {1, 8, 2}, storage = {100};
    int64_t *values = nullptr, offset = 0;
    uint64_t count = 0;
    void* address = nullptr;
    aclFormat format;
    aclDataType type;
    aclTensor* tensor =
        aclCreateTensor(dims.data(), 3, ACL_INT16, strides.data(), 5, ACL_FORMAT_NDHWC, storage.data(), 1, &address);
    EXPECT_OK(aclGetViewShape(tensor, &values, &count));
    EXPECT(taken(values, count) == dims);
    EXPECT_OK(aclGetViewStrides(tensor, &values, &count));
    EXPECT(taken(values, count) == strides);
    EXPECT_OK(aclGetStorageShape(tensor, &values, &count));
    EXPECT(taken(values, count) == storage);
    EXPECT_OK(aclGetViewOffset(tensor, &offset));
    EXPECT_OK(aclGetFormat(tensor, &format));
    EXPECT_OK(aclGetDataType(tensor, &type));
    EXPECT(offset == 5 && format == ACL_FORMAT_NDHWC && type == ACL_INT16);
    EXPECT_OK(aclGetRawTensorAddr(tensor, &address));
    EXPECT(address == &address);
    EXPECT_OK(aclSetRawTensorAddr(tensor, nullptr));
    EXPECT_OK(aclGetRawTensorAddr(tensor, &address));
    EXPECT(address == nullptr);
    EXPECT_CODE(161001, aclGetViewShape(nullptr, &values, &count));
    EXPECT_CODE(161001, aclGetViewShape(tensor, nullptr, &count));
    EXPECT_CODE(161001, aclGetViewShape(tensor, &values, nullptr));
    EXPECT_CODE(161001, aclGetViewOffset(tensor, nullptr));
    EXPECT_OK(aclDestroyTensor(tensor));
    EXPECT_CODE(161002, aclDestroyTensor(tensor));
    EXPECT_MESSAGE("an aclTensor that has been destroyed");
    EXPECT_CODE(161002, aclGetViewShape(tensor, &values, &count));
    EXPECT_CODE(161002, aclSetRawTensorAddr(tensor, nullptr));
    EXPECT_OK(aclDestroyTensor(nullptr));

    // Null strides mean contiguous, also where the product would overflow.
    const int64_t absurd[] = {3, INT64_MAX, INT64_MAX, 7};
    tensor = aclCreateTensor(absurd, 4, ACL_FLOAT, nullptr, 0, ACL_FORMAT_ND, absurd, 4, nullptr);
    EXPECT_OK(aclGetViewStrides(tensor, &values, &count));
    EXPECT(taken(values, count)[2] == 7);
    EXPECT_OK(aclDestroyTensor(tensor));
    tensor = aclCreateTensor(nullptr, 0, ACL_FLOAT, nullptr, 0, ACL_FORMAT_ND, nullptr, 0, nullptr);
    EXPECT(tensor != nullptr);
    EXPECT_OK(aclDestroyTensor(tensor));
    EXPECT(aclCreateTensor(nullptr, 1, ACL_FLOAT, nullptr, 0, ACL_FORMAT_ND, absurd, 1, nullptr) == nullptr);
    EXPECT_MESSAGE("viewDims is null", "aclCreateTensor");
    EXPECT(aclCreateTensor(absurd, 1, ACL_FLOAT, nullptr, 0, ACL_FORMAT_ND, nullptr, 1, nullptr) == nullptr);
    EXPECT(aclCreateTensor(absurd, UINT64_MAX, ACL_FLOAT, nullptr, 0, ACL_FORMAT_ND, absurd, 1, nullptr) == nullptr);
}

static void expect_tensor(const aclTensor* tensor, const std::vector<int64_t>& dims,
                          const std::vector<int64_t>& strides, const std::vector<int64_t>& storage, void* address) {
    int64_t* values = nullptr;
    uint64_t count = 0;
    void* found = nullptr;
    EXPECT_OK(aclGetViewShape(tensor, &values, &count));
    EXPECT(taken(values, count) == dims);
    EXPECT_OK(aclGetViewStrides(tensor, &values, &count));
    EXPECT(taken(values, count) == strides);
    EXPECT_OK(aclGetStorageShape(tensor, &values, &count));
    EXPECT(taken(values, count) == storage);
    EXPECT_OK(aclGetRawTensorAddr(tensor, &found));
    EXPECT(found == address);
}

// A tensor is described anew; what is not given stays.
static void new_descriptions() {
    const int64_t dims[] = {2, 3, 4}, strides[] = {1, 8, 2}, storage[] = {100};
    int first = 0, second = 0;
    int64_t offset = 0;
    aclFormat format;
    aclDataType type;
    aclTensor* tensor = aclCreateTensor(dims, 3, ACL_INT16, strides, 5, ACL_FORMAT_NDHWC, storage, 1, &first);
    EXPECT_OK(aclInitTensor(tensor, dims + 1, 2, ACL_FLOAT, strides + 1, 7, ACL_FORMAT_ND, dims, 3, &second));
    expect_tensor(tensor, {3, 4}, {8, 2}, {2, 3, 4}, &second);
    EXPECT_OK(aclGetViewOffset(tensor, &offset));
    EXPECT_OK(aclGetFormat(tensor, &format));
    EXPECT_OK(aclGetDataType(tensor, &type));
    EXPECT(offset == 7 && format == ACL_FORMAT_ND && type == ACL_FLOAT);
    EXPECT_OK(aclInitTensor(tensor, dims, 3, ACL_FLOAT, nullptr, 0, ACL_FORMAT_ND, storage, 0, nullptr));
    expect_tensor(tensor, {2, 3, 4}, {12, 4, 1}, {2, 3, 4}, &second);
    EXPECT_OK(aclInitTensor(tensor, dims, 0, ACL_FLOAT, strides, 0, ACL_FORMAT_ND, nullptr, 9, &first));
    expect_tensor(tensor, {2, 3, 4}, {12, 4, 1}, {2, 3, 4}, &first);
    EXPECT_OK(aclInitTensor(tensor, nullptr, 3, ACL_FLOAT, strides, 0, ACL_FORMAT_ND, nullptr, 0, nullptr));
    expect_tensor(tensor, {2, 3, 4}, {1, 8, 2}, {2, 3, 4}, &first);

    EXPECT_CODE(161001, aclInitTensor(nullptr, dims, 3, ACL_FLOAT, nullptr, 0, ACL_FORMAT_ND, dims, 3, nullptr));
    EXPECT_CODE(161002, aclInitTensor(tensor, nullptr, 2, ACL_FLOAT, strides, 0, ACL_FORMAT_ND, dims, 3, nullptr));
    EXPECT_MESSAGE("aclInitTensor", "stride has 2 values", "expected 3");
    EXPECT_CODE(161002, aclInitTensor(tensor, dims, 1u << 20, ACL_FLOAT, nullptr, 0, ACL_FORMAT_ND, dims, 3, nullptr));
    EXPECT_MESSAGE("viewDimsNum is 1048576", "at most 1024");
    EXPECT_CODE(161002,
                aclInitTensor(tensor, dims, 3, ACL_FLOAT, nullptr, 0, ACL_FORMAT_ND, dims, UINT64_MAX, nullptr));
    expect_tensor(tensor, {2, 3, 4}, {1, 8, 2}, {2, 3, 4}, &first);  // a refused call changes nothing
    EXPECT_OK(aclDestroyTensor(tensor));
    EXPECT_CODE(161002, aclInitTensor(tensor, dims, 3, ACL_FLOAT, nullptr, 0, ACL_FORMAT_ND, dims, 3, nullptr));
    EXPECT_MESSAGE("has been destroyed");
}

static void arrays() {
    const std::vector<int64_t> ints = {1, 2, 3};
    const float floats[] = {1, 2};
    const bool bools[] = {true, false, true};
    uint64_t size = 99;
    aclIntArray* int_values = aclCreateIntArray(ints.data(), 3);
    aclIntArray* none = aclCreateIntArray(nullptr, 0);
    aclFloatArray* float_values = aclCreateFloatArray(floats, 2);
    aclBoolArray* bool_values = aclCreateBoolArray(bools, 3);
    EXPECT_OK(aclGetIntArraySize(int_values, &size));
    EXPECT(size == 3);
    EXPECT_OK(aclGetIntArraySize(none, &size));
    EXPECT(size == 0);
    EXPECT_OK(aclGetFloatArraySize(float_values, &size));
    EXPECT(size == 2);
    EXPECT_OK(aclGetBoolArraySize(bool_values, &size));
    EXPECT(size == 3);
    EXPECT(aclCreateIntArray(nullptr, 1) == nullptr);
    EXPECT_MESSAGE("aclCreateIntArray", "value is null");
    EXPECT(aclCreateIntArray(ints.data(), UINT64_MAX) == nullptr);
    EXPECT_CODE(161001, aclGetIntArraySize(nullptr, &size));
    EXPECT_CODE(161001, aclGetIntArraySize(int_values, nullptr));
    // A handle of one kind is not taken for another.
    EXPECT_CODE(161002, aclGetIntArraySize(reinterpret_cast<aclIntArray*>(float_values), &size));
    EXPECT_MESSAGE("is an aclFloatArray, expected an aclIntArray");
    EXPECT_CODE(161002, aclDestroyTensor(reinterpret_cast<aclTensor*>(int_values)));
    EXPECT_OK(aclDestroyIntArray(int_values));
    EXPECT_OK(aclDestroyIntArray(none));
    EXPECT_OK(aclDestroyFloatArray(float_values));
    EXPECT_OK(aclDestroyBoolArray(bool_values));
    EXPECT_CODE(161002, aclDestroyBoolArray(bool_values));
    EXPECT_OK(aclDestroyIntArray(nullptr));
    EXPECT_OK(aclDestroyFloatArray(nullptr));
    EXPECT_OK(aclDestroyBoolArray(nullptr));
}

static void scalars_and_lists() {
    double value = 2.5;
    uint64_t size = 0;
    aclScalar* scalar = aclCreateScalar(&value, ACL_DOUBLE);
    EXPECT(scalar != nullptr);
    EXPECT(aclCreateScalar(nullptr, ACL_DOUBLE) == nullptr);
    EXPECT(aclCreateScalar(&value, ACL_STRING) == nullptr);
    const aclScalar* scalars[] = {scalar};
    aclScalarList* scalar_list = aclCreateScalarList(scalars, 1);
    EXPECT_OK(aclGetScalarListSize(scalar_list, &size));
    EXPECT(size == 1);
    EXPECT_OK(aclDestroyScalarList(scalar_list));
    EXPECT_CODE(161002, aclDestroyScalar(scalar));  // the list took it along
    EXPECT_OK(aclDestroyScalar(nullptr));

    const aclTensor* tensors[] = {float_tensor({1}, nullptr), float_tensor({2}, nullptr)};
    aclTensorList* list = aclCreateTensorList(tensors, 2);
    EXPECT_OK(aclGetTensorListSize(list, &size));
    EXPECT(size == 2);
    EXPECT_OK(aclDestroyTensor(tensors[0]));
    EXPECT_OK(aclDestroyTensorList(list));
    EXPECT_CODE(161002, aclDestroyTensor(tensors[1]));
    EXPECT_CODE(161002, aclDestroyTensorList(list));
    EXPECT_OK(aclDestroyTensorList(nullptr));
    EXPECT_OK(aclDestroyScalarList(nullptr));
}

int main() {
    descriptions();
    new_descriptions();
    arrays();
    scalars_and_lists();
    return 0;
}
