// A small upsample call for tests that need some operator: gradOut 1x1x2x2x2 sums into gradInput 1x1x1x1x1.
#ifndef ACLTWIN_TESTS_CPP_UPSAMPLE_H
#define ACLTWIN_TESTS_CPP_UPSAMPLE_H

#include <vector>

#include "aclnnop/aclnn_upsample_nearest_exact3d_backward.h"
#include "expect.h"

inline void* device_floats(const std::vector<float>& values) {
    void* address = nullptr;
    const size_t bytes = values.size() * sizeof(float);
    EXPECT_OK(aclrtMalloc(&address, bytes, ACL_MEM_MALLOC_HUGE_FIRST));
    EXPECT_OK(aclrtMemcpy(address, bytes, values.data(), bytes, ACL_MEMCPY_HOST_TO_DEVICE));
    return address;
}

inline aclTensor* float_tensor(const std::vector<int64_t>& dims, void* data) {
    aclTensor* tensor = aclCreateTensor(dims.data(), dims.size(), ACL_FLOAT, nullptr, 0, ACL_FORMAT_NCDHW, dims.data(),
                                        dims.size(), data);
    EXPECT(tensor != nullptr);
    return tensor;
}

inline aclIntArray* int_array(const std::vector<int64_t>& values) {
    aclIntArray* array = aclCreateIntArray(values.data(), values.size());
    EXPECT(array != nullptr);
    return array;
}

struct Upsample {
    void* source;
    void* result;
    aclTensor* grad_out;
    aclTensor* grad_input;
    aclIntArray* output_size;
    aclIntArray* input_size;
    uint64_t workspace_size;
    aclOpExecutor* executor;

    // gradOut cells are all `value`, so the result is 8 * value.
    explicit Upsample(float value = 1)
        : source(device_floats(std::vector<float>(8, value))),
          result(device_floats({-1})),
          grad_out(float_tensor({1, 1, 2, 2, 2}, source)),
          grad_input(float_tensor({1, 1, 1, 1, 1}, result)),
          output_size(int_array({2, 2, 2})),
          input_size(int_array({1, 1, 1, 1, 1})),
          workspace_size(0),
          executor(nullptr) {}

    int plan() {
        return aclnnUpsampleNearestExact3dBackwardGetWorkspaceSize(grad_out, output_size, input_size, 0, 0, 0,
                                                                   grad_input, &workspace_size, &executor);
    }

    // Not for plans that ask for a workspace; this one is too small to need any.
    int run(aclrtStream stream) { return aclnnUpsampleNearestExact3dBackward(nullptr, 0, executor, stream); }

    float value() const {
        float value = 0;
        EXPECT_OK(aclrtMemcpy(&value, sizeof value, result, sizeof value, ACL_MEMCPY_DEVICE_TO_HOST));
        return value;
    }

    void destroy_descriptions() {
        EXPECT_OK(aclDestroyTensor(grad_out));
        EXPECT_OK(aclDestroyTensor(grad_input));
        EXPECT_OK(aclDestroyIntArray(output_size));
        EXPECT_OK(aclDestroyIntArray(input_size));
    }

    void destroy() {
        destroy_descriptions();
        EXPECT_OK(aclrtFree(source));
        EXPECT_OK(aclrtFree(result));
    }
};

#endif
