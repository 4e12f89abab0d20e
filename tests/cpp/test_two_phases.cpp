// The life of an executor, and calls that must be refused although the operator's own rules are kept.
#include <cstring>

#include "aclnnop/aclnn_max_pool3d_with_argmax_backward.h"
#include "aclnnop/aclnn_max_unpool3d_backward.h"
#include "aclnnop/aclnn_upsample_nearest_exact2d_backward.h"
#include "upsample.h"

static const char* const kOperator = "aclnnUpsampleNearestExact3dBackward";

static void one_shot() {
    Upsample call;
    EXPECT_OK(call.plan());
    EXPECT_OK(call.run(nullptr));
    EXPECT_OK(aclrtSynchronizeStream(nullptr));
    EXPECT(call.value() == 8);
    EXPECT_CODE(561000, call.run(nullptr));
    EXPECT_MESSAGE("AclNN_Inner_Error(EZ9999)", kOperator, "phase 2 ends an executor", "[561000, rule executor]");
    EXPECT_CODE(561000, aclSetAclOpExecutorRepeatable(call.executor));
    EXPECT_CODE(561000, aclDestroyAclOpExecutor(call.executor));
    EXPECT_OK(call.plan());
    EXPECT_OK(aclDestroyAclOpExecutor(call.executor));  // planned and thrown away
    EXPECT_CODE(561000, call.run(nullptr));

    // A failing second phase ends the executor as well; a failing first one writes nothing.
    EXPECT_OK(call.plan());
    EXPECT_CODE(161001, aclnnUpsampleNearestExact3dBackward(nullptr, 8, call.executor, nullptr));
    EXPECT_MESSAGE("AclNN_Parameter_Error(EZ1001)", "workspace is null", "workspace_null");
    EXPECT_CODE(561000, call.run(nullptr));
    EXPECT_CODE(161001, aclnnUpsampleNearestExact3dBackward(nullptr, 0, nullptr, nullptr));
    uint64_t size = 123;
    aclOpExecutor* executor = reinterpret_cast<aclOpExecutor*>(&size);
    EXPECT_CODE(161001, aclnnUpsampleNearestExact3dBackwardGetWorkspaceSize(
                            nullptr, call.output_size, call.input_size, 0, 0, 0, call.grad_input, &size, &executor));
    EXPECT_MESSAGE("aclnnUpsampleNearestExact3dBackwardGetWorkspaceSize", "gradOut", "grad_out_null");
    EXPECT(size == 123 && executor == reinterpret_cast<aclOpExecutor*>(&size));
    EXPECT_CODE(161001,
                aclnnUpsampleNearestExact3dBackwardGetWorkspaceSize(call.grad_out, call.output_size, call.input_size, 0,
                                                                    0, 0, call.grad_input, nullptr, &executor));
    EXPECT_MESSAGE("workspace_size_null");
    EXPECT_CODE(161001,
                aclnnUpsampleNearestExact3dBackwardGetWorkspaceSize(call.grad_out, call.output_size, call.input_size, 0,
                                                                    0, 0, call.grad_input, &size, nullptr));
    EXPECT_MESSAGE("executor_null");

    // The executor of one operator is not run by another.
    EXPECT_OK(call.plan());
    EXPECT_CODE(161002, aclnnMaxUnpool3dBackward(nullptr, 0, call.executor, nullptr));
    EXPECT_MESSAGE("planned by aclnnUpsampleNearestExact3dBackwardGetWorkspaceSize");
    call.destroy();
}

static void repeatable() {
    Upsample call;
    void* other_source = device_floats(std::vector<float>(8, 2));
    void* other_result = device_floats({-1});
    float value = 0;
    EXPECT_OK(call.plan());
    EXPECT_CODE(161002, aclSetInputTensorAddr(call.executor, 0, call.grad_out, other_source));
    EXPECT_MESSAGE("aclSetAclOpExecutorRepeatable");
    EXPECT_OK(aclSetAclOpExecutorRepeatable(call.executor));
    for (int i = 0; i < 3; ++i) EXPECT_OK(call.run(nullptr));
    EXPECT_OK(aclrtSynchronizeStream(nullptr));
    EXPECT(call.value() == 8);
    EXPECT_OK(aclSetInputTensorAddr(call.executor, 0, call.grad_out, other_source));
    EXPECT_OK(aclSetOutputTensorAddr(call.executor, 0, call.grad_input, other_result));
    EXPECT_OK(call.run(nullptr));
    EXPECT_OK(aclSetTensorAddr(call.executor, 1, call.grad_input, call.result));
    EXPECT_OK(call.run(nullptr));
    EXPECT_OK(aclrtSynchronizeStream(nullptr));
    EXPECT_OK(aclrtMemcpy(&value, 4, other_result, 4, ACL_MEMCPY_DEVICE_TO_HOST));
    EXPECT(value == 16 && call.value() == 16);

    EXPECT_CODE(161002, aclSetInputTensorAddr(call.executor, 1, call.grad_input, other_source));
    EXPECT_CODE(161002, aclSetOutputTensorAddr(call.executor, 0, call.grad_out, other_source));
    EXPECT_MESSAGE("not the gradInput");
    EXPECT_CODE(161002, aclSetTensorAddr(call.executor, SIZE_MAX, call.grad_out, other_source));
    EXPECT_CODE(561103, aclSetTensorAddr(nullptr, 0, call.grad_out, other_source));
    EXPECT_CODE(561103, aclSetTensorAddr(call.executor, 0, nullptr, other_source));
    EXPECT_CODE(561103, aclSetTensorAddr(call.executor, 0, call.grad_out, nullptr));
    EXPECT_CODE(561103, aclSetAclOpExecutorRepeatable(nullptr));
    EXPECT_CODE(561103, aclDestroyAclOpExecutor(nullptr));
    // An address that cannot be is found when it is used, and the executor survives it.
    EXPECT_OK(aclSetTensorAddr(call.executor, 0, call.grad_out, &value));
    EXPECT_CODE(361001, call.run(nullptr));
    EXPECT_MESSAGE("AclNN_Runtime_Error(EZ9903)", "gradOut", "not in a living device block", "device_address");
    EXPECT_OK(aclSetTensorAddr(call.executor, 0, call.grad_out, call.source));
    EXPECT_OK(call.run(nullptr));
    EXPECT_OK(aclDestroyAclOpExecutor(call.executor));  // queued work does not need it
    EXPECT_OK(aclrtSynchronizeStream(nullptr));
    EXPECT(call.value() == 8);
    EXPECT_OK(aclrtFree(other_source));
    EXPECT_OK(aclrtFree(other_result));
    call.destroy();
}

static void data_that_come_later() {
    Upsample call;
    EXPECT_OK(aclSetRawTensorAddr(call.grad_out, nullptr));
    EXPECT_OK(call.plan());
    EXPECT_CODE(361001, call.run(nullptr));
    EXPECT_MESSAGE("gradOut has no data");
    EXPECT_OK(call.plan());
    EXPECT_OK(aclSetRawTensorAddr(call.grad_out, call.source));
    EXPECT_OK(call.run(nullptr));
    EXPECT_OK(aclrtSynchronizeStream(nullptr));
    EXPECT(call.value() == 8);
    call.destroy();
}

static void dead_and_foreign_handles() {
    Upsample call;
    int garbage = 0;
    aclTensor* good = call.grad_out;
    call.grad_out = reinterpret_cast<aclTensor*>(&garbage);
    EXPECT_CODE(161002, call.plan());
    EXPECT_MESSAGE("gradOut: ", "not a handle of this library", "rule handle");
    call.grad_out = reinterpret_cast<aclTensor*>(call.output_size);
    EXPECT_CODE(161002, call.plan());
    EXPECT_MESSAGE("is an aclIntArray, expected an aclTensor");
    call.grad_out = good;
    aclIntArray* sizes = call.output_size;
    call.output_size = int_array({2, 2, 2});
    EXPECT_OK(aclDestroyIntArray(call.output_size));
    EXPECT_CODE(161002, call.plan());
    EXPECT_MESSAGE("outputSize: ", "has been destroyed");
    call.output_size = sizes;

    EXPECT_OK(call.plan());
    EXPECT_CODE(361001, call.run(&garbage));
    EXPECT_MESSAGE("not a handle of this library, expected a stream");
    EXPECT_OK(call.plan());
    aclOpExecutor* executor = call.executor;
    call.executor = reinterpret_cast<aclOpExecutor*>(&garbage);
    EXPECT_CODE(561000, call.run(nullptr));
    call.executor = executor;
    EXPECT_OK(aclDestroyTensor(call.grad_out));
    EXPECT_CODE(161002, call.run(nullptr));
    EXPECT_MESSAGE("gradOut was destroyed between the phases", "tensor_destroyed");

    call.grad_out = float_tensor({1, 1, 2, 2, 2}, call.source);
    EXPECT_OK(call.plan());
    EXPECT_OK(aclrtFree(call.source));
    EXPECT_CODE(361001, call.run(nullptr));
    EXPECT_MESSAGE("not in a living device block");
    EXPECT_CODE(161002, call.plan());
    EXPECT_MESSAGE("gradOut", "device_address");
    call.source = device_floats({1});
    call.destroy();
}

static aclTensor* view(const std::vector<int64_t>& strides, int64_t offset, const std::vector<int64_t>& storage,
                       void* data) {
    const int64_t dims[] = {1, 1, 2, 2, 2};
    return aclCreateTensor(dims, 5, ACL_FLOAT, strides.data(), offset, ACL_FORMAT_NCDHW, storage.data(), storage.size(),
                           data);
}

static void views_and_storages() {
    Upsample call;
    EXPECT_OK(aclDestroyTensor(call.grad_out));
    const struct {
        std::vector<int64_t> strides;
        int64_t offset;
        std::vector<int64_t> storage;
        int code;
        const char* word;
    } cases[] = {
        {{8, 8, 4, 2, 1}, 0, {8}, 0, ""},
        {{0, 0, -4, -2, -1}, 7, {8}, 0, ""},
        {{0, 0, 0, 0, 0}, 7, {2, 4}, 0, ""},
        {{INT64_MAX, INT64_MAX, 4, 2, 1}, 0, {8}, 0, ""},  // strides of dims of 1 are never used
        {{8, 8, 4, 2, 1}, 1, {8}, 561103, "view_in_storage"},
        {{8, 8, 4, 2, 1}, -1, {8}, 561103, "begins before"},
        {{8, 8, 4, 2, -1}, 0, {8}, 561103, "begins before"},
        {{8, 8, 4, 2, 1}, 0, {7}, 561103, "reaches element 7, past the 7 elements"},
        {{8, 8, 4, 2, 1}, 0, {}, 561103, "view_in_storage"},
        {{8, 8, INT64_MAX, INT64_MAX, 1}, 0, {8}, 561103, "reaches far beyond"},
        {{8, 8, INT64_MIN, INT64_MIN, 1}, INT64_MIN, {8}, 561103, "view_in_storage"},
        {{8, 8, 4, 2, 1}, INT64_MAX, {8}, 561103, "reaches far beyond"},
        {{8, 8, 4, 2, 1}, 0, {-8}, 561103, "storage_shape"},
        {{8, 8, 4, 2, 1}, 0, {INT64_MAX, INT64_MAX}, 561103, "storage_shape"},
        {{8, 8, 4, 2, 1}, 0, {16}, 0, ""},  // 64 of the 32 + 32 bytes
        {{8, 8, 4, 2, 1}, 0, {17}, 161002, "storage_in_block"},
    };
    for (const auto& one : cases) {
        call.grad_out = view(one.strides, one.offset, one.storage, call.source);
        EXPECT_CODE(one.code, call.plan());
        if (one.code != 0) {
            EXPECT_MESSAGE("gradOut", one.word);
        } else {
            EXPECT_OK(call.run(nullptr));
            EXPECT_OK(aclrtSynchronizeStream(nullptr));
            EXPECT(call.value() == 8);
        }
        EXPECT_OK(aclDestroyTensor(call.grad_out));
    }
    // A block may hold several tensors.
    call.grad_out = view({8, 8, 4, 2, 1}, 0, {8}, static_cast<char*>(call.source) + 32);
    EXPECT_OK(call.plan());
    EXPECT_OK(aclDestroyAclOpExecutor(call.executor));
    EXPECT_OK(aclDestroyTensor(call.grad_out));
    call.grad_out = view({8, 8, 4, 2, 1}, 0, {8}, static_cast<char*>(call.source) + 36);
    EXPECT_CODE(161002, call.plan());
    EXPECT_MESSAGE("storage_in_block");
    EXPECT_OK(aclSetRawTensorAddr(call.grad_out, static_cast<char*>(call.source) + 2));
    EXPECT_CODE(161002, call.plan());
    EXPECT_MESSAGE("a multiple of the element's 4 bytes", "data_alignment");
    call.destroy();
}

// An empty tensor makes this operator succeed before it looks at anything else, types included.
static void nothing_to_do() {
    const int64_t none[] = {1, 0, 2, 2}, some[] = {1, 1, 2, 2};
    void* block = device_floats({1, 2, 3, 4});
    aclTensor* grad_output = aclCreateTensor(none, 4, ACL_FLOAT, nullptr, 0, ACL_FORMAT_NCHW, none, 4, nullptr);
    aclTensor* out = aclCreateTensor(some, 4, ACL_STRING, nullptr, 0, ACL_FORMAT_NCHW, some, 4, block);
    aclIntArray* sizes = int_array({1});
    uint64_t size = 1;
    aclOpExecutor* executor = nullptr;
    EXPECT_OK(
        aclnnUpsampleNearestExact2dBackwardGetWorkspaceSize(grad_output, sizes, sizes, 0, 0, out, &size, &executor));
    EXPECT(size == 0);
    EXPECT_OK(aclnnUpsampleNearestExact2dBackward(nullptr, 0, executor, nullptr));
    EXPECT_OK(aclrtSynchronizeStream(nullptr));
    EXPECT_OK(aclDestroyTensor(grad_output));
    EXPECT_OK(aclDestroyTensor(out));
    EXPECT_OK(aclDestroyIntArray(sizes));
    EXPECT_OK(aclrtFree(block));
}

static void streams() {
    Upsample call;
    aclrtContext own = nullptr, other = nullptr;
    aclrtStream stream = nullptr;
    EXPECT_OK(aclrtGetCurrentContext(&own));
    EXPECT_OK(aclrtCreateContext(&other, 0));
    EXPECT_OK(aclrtCreateStream(&stream));
    EXPECT_OK(aclrtSetCurrentContext(own));
    EXPECT_OK(call.plan());
    EXPECT_CODE(361001, call.run(stream));
    EXPECT_MESSAGE("another context", "runtime status 107003");
    EXPECT_OK(aclrtSetCurrentContext(other));
    EXPECT_OK(call.plan());
    EXPECT_OK(call.run(stream));
    EXPECT_OK(aclrtDestroyStream(stream));
    EXPECT(call.value() == 8);
    EXPECT_OK(aclrtDestroyContext(other));
    EXPECT_OK(call.plan());  // the first phase needs no context
    EXPECT_CODE(361001, call.run(nullptr));
    EXPECT_MESSAGE("runtime status 107002", "aclrtSetDevice");
    EXPECT_OK(aclrtSetCurrentContext(own));
    call.destroy();
}

// Indices in the block that the result is written to could change between their check and their use.
static void overlap() {
    char* block = static_cast<char*>(device_floats(std::vector<float>(64, 0)));
    const int64_t small[] = {1, 1, 1, 1, 1}, large[] = {1, 1, 2, 2, 2};
    aclTensor* grad_output = aclCreateTensor(small, 5, ACL_FLOAT, nullptr, 0, ACL_FORMAT_ND, small, 5, block);
    aclTensor* self = aclCreateTensor(large, 5, ACL_FLOAT, nullptr, 0, ACL_FORMAT_ND, large, 5, block + 64);
    aclTensor* indices = aclCreateTensor(small, 5, ACL_INT32, nullptr, 0, ACL_FORMAT_ND, small, 5, block + 128 + 28);
    aclTensor* grad_input = aclCreateTensor(large, 5, ACL_FLOAT, nullptr, 0, ACL_FORMAT_ND, large, 5, block + 128);
    aclIntArray *two = int_array({2}), *zero = int_array({0}), *one = int_array({1});
    for (int apart = 0; apart < 2; ++apart) {
        uint64_t size = 0;
        aclOpExecutor* executor = nullptr;
        void* workspace = nullptr;
        if (apart) EXPECT_OK(aclSetRawTensorAddr(indices, block + 128 + 32));
        EXPECT_OK(aclnnMaxPool3dWithArgmaxBackwardGetWorkspaceSize(grad_output, self, indices, two, two, zero, one,
                                                                   false, grad_input, &size, &executor));
        if (size > 0) EXPECT_OK(aclrtMalloc(&workspace, size, ACL_MEM_MALLOC_HUGE_FIRST));
        EXPECT_CODE(apart ? 0 : 161002, aclnnMaxPool3dWithArgmaxBackward(workspace, size, executor, nullptr));
        if (!apart) EXPECT_MESSAGE("gradInput and indices share memory", "overlap");
        EXPECT_OK(aclrtSynchronizeStream(nullptr));
        if (size > 0) EXPECT_OK(aclrtFree(workspace));
    }
    // A result whose elements lie on each other would be written by several threads at once.
    const int64_t flat[] = {0, 0, 0, 0, 0};
    aclTensor* folded = aclCreateTensor(large, 5, ACL_FLOAT, flat, 0, ACL_FORMAT_ND, small, 5, block + 128);
    uint64_t size = 0;
    aclOpExecutor* executor = nullptr;
    EXPECT_CODE(161002, aclnnMaxPool3dWithArgmaxBackwardGetWorkspaceSize(grad_output, self, indices, two, two, zero,
                                                                         one, false, folded, &size, &executor));
    EXPECT_MESSAGE("gradInput has several elements at one place", "overlap");
    EXPECT_OK(aclDestroyTensor(folded));
    const aclTensor* tensors[] = {grad_output, self, indices, grad_input};
    for (const aclTensor* tensor : tensors) EXPECT_OK(aclDestroyTensor(tensor));
    const aclIntArray* arrays[] = {two, zero, one};
    for (const aclIntArray* array : arrays) EXPECT_OK(aclDestroyIntArray(array));
    EXPECT_OK(aclrtFree(block));
}

int main() {
    EXPECT_OK(aclrtSetDevice(0));
    one_shot();
    repeatable();
    data_that_come_later();
    dead_and_foreign_handles();
    views_and_storages();
    nothing_to_do();
    streams();
    overlap();
    EXPECT_OK(aclrtResetDevice(0));
    return 0;
}
