// The life of an executor: one phase 2 or many, with living handles, on a stream of this context.
#include <cstring>

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
    EXPECT_MESSAGE("AclNN_Runtime_Error(EZ9903)", "gradOut", "not in a live device block", "device_address");
    EXPECT_OK(aclSetTensorAddr(call.executor, 0, call.grad_out, call.source));
    EXPECT_OK(call.run(nullptr));
    EXPECT_OK(aclDestroyAclOpExecutor(call.executor));  // queued work does not need it
    EXPECT_OK(aclrtSynchronizeStream(nullptr));
    EXPECT(call.value() == 8);
    EXPECT_OK(aclrtFree(other_source));
    EXPECT_OK(aclrtFree(other_result));
    call.destroy();
}

static float value_at(void* address) {
    float value = 0;
    EXPECT_OK(aclrtMemcpy(&value, 4, address, 4, ACL_MEMCPY_DEVICE_TO_HOST));
    return value;
}

typedef aclnnStatus SetAddress(aclOpExecutor*, size_t, aclTensor*, void*);
typedef aclnnStatus SetAddressInList(aclOpExecutor*, size_t, size_t, aclTensorList*, void*);

// Both spellings of the functions that move tensors; a list has the tensor at place 1.
static void moved(SetAddress* set_input, SetAddress* set_output, SetAddress* set_any) {
    Upsample call;
    void* other_source = device_floats(std::vector<float>(8, 2));
    void* other_result = device_floats({-1});
    void* address = nullptr;
    EXPECT_OK(call.plan());
    EXPECT_CODE(161002, set_any(call.executor, 0, call.grad_out, other_source));
    EXPECT_MESSAGE("TensorAddr", "aclSetAclOpExecutorRepeatable");
    EXPECT_OK(aclSetAclOpExecutorRepeatable(call.executor));
    EXPECT_OK(set_input(call.executor, 0, call.grad_out, other_source));
    EXPECT_OK(set_output(call.executor, 0, call.grad_input, other_result));
    EXPECT_OK(call.run(nullptr));
    EXPECT_OK(aclrtSynchronizeStream(nullptr));
    EXPECT(value_at(other_result) == 16 && call.value() == -1);
    EXPECT_OK(aclGetRawTensorAddr(call.grad_out, &address));
    EXPECT(address == other_source);  // the tensor itself has moved
    EXPECT_OK(set_any(call.executor, 0, call.grad_out, call.source));
    EXPECT_OK(set_any(call.executor, 1, call.grad_input, call.result));
    EXPECT_OK(call.run(nullptr));
    EXPECT_OK(aclrtSynchronizeStream(nullptr));
    EXPECT(call.value() == 8);

    EXPECT_CODE(161002, set_input(call.executor, 1, call.grad_input, other_source));
    EXPECT_CODE(161002, set_output(call.executor, 0, call.grad_out, other_source));
    EXPECT_MESSAGE("not the gradInput");
    EXPECT_CODE(161002, set_any(call.executor, 2, call.grad_out, other_source));
    EXPECT_MESSAGE("index is 2, expected 0 to 1");
    EXPECT_CODE(561103, set_any(call.executor, 0, nullptr, other_source));
    EXPECT_CODE(561103, set_any(call.executor, 0, call.grad_out, nullptr));
    EXPECT_OK(aclGetRawTensorAddr(call.grad_out, &address));
    EXPECT(address == call.source);  // refused calls move nothing, but those without an executor do
    EXPECT_CODE(561103, set_any(nullptr, 0, call.grad_out, other_source));
    EXPECT_MESSAGE("executor is null");
    EXPECT_OK(aclGetRawTensorAddr(call.grad_out, &address));
    EXPECT(address == other_source);
    EXPECT_OK(aclDestroyAclOpExecutor(call.executor));
    EXPECT_CODE(561000, set_any(call.executor, 0, call.grad_out, call.source));
    EXPECT_OK(aclrtFree(other_source));
    EXPECT_OK(aclrtFree(other_result));
    call.destroy();
}

static aclTensorList* list_with(const aclTensor* tensor) {
    const aclTensor* tensors[] = {float_tensor({1}, nullptr), tensor};
    return aclCreateTensorList(tensors, 2);
}

template <SetAddressInList* set>
static aclnnStatus set_in_list(aclOpExecutor* executor, size_t index, aclTensor* tensor, void* address) {
    static std::vector<aclTensorList*> kept;  // a list would take its tensors along
    kept.push_back(list_with(tensor));
    return set(executor, index, 1, kept.back(), address);
}

static void lists(SetAddressInList* set) {
    Upsample call;
    EXPECT_OK(call.plan());
    EXPECT_OK(aclSetAclOpExecutorRepeatable(call.executor));
    aclTensorList* list = list_with(call.grad_out);
    EXPECT_CODE(561103, set(call.executor, 0, 1, nullptr, call.source));
    EXPECT_MESSAGE("DynamicTensorAddr", "tensors is null");
    EXPECT_CODE(161002, set(call.executor, 0, 2, list, call.source));
    EXPECT_MESSAGE("relativeIndex is 2, expected less than 2");
    EXPECT_CODE(161002, set(call.executor, 0, SIZE_MAX, list, call.source));
    EXPECT_CODE(161002, set(call.executor, 0, 0, list, call.source));
    EXPECT_MESSAGE("not the gradOut");
    EXPECT_CODE(161002, set(call.executor, 0, 1, reinterpret_cast<aclTensorList*>(call.grad_out), call.source));
    EXPECT_MESSAGE("is an aclTensor, expected an aclTensorList");
    EXPECT_OK(set(call.executor, 0, 1, list, call.source));
    EXPECT_OK(aclDestroyTensor(call.grad_out));
    EXPECT_CODE(161002, set(call.executor, 0, 1, list, call.source));
    EXPECT_MESSAGE("has been destroyed");
    EXPECT_OK(aclDestroyTensorList(list));
    EXPECT_CODE(161002, set(call.executor, 0, 1, list, call.source));
    call.grad_out = nullptr;
    EXPECT_OK(aclDestroyAclOpExecutor(call.executor));
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
    EXPECT_MESSAGE("not in a live device block");
    EXPECT_CODE(161002, call.plan());
    EXPECT_MESSAGE("gradOut", "device_address");
    call.source = device_floats({1});
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

int main() {
    EXPECT_OK(aclrtSetDevice(0));
    one_shot();
    repeatable();
    moved(aclSetInputTensorAddr, aclSetOutputTensorAddr, aclSetTensorAddr);
    moved(AclSetInputTensorAddr, AclSetOutputTensorAddr, AclSetTensorAddr);
    moved(set_in_list<aclSetDynamicInputTensorAddr>, set_in_list<aclSetDynamicOutputTensorAddr>,
          set_in_list<aclSetDynamicTensorAddr>);
    moved(set_in_list<AclSetDynamicInputTensorAddr>, set_in_list<AclSetDynamicOutputTensorAddr>,
          set_in_list<AclSetDynamicTensorAddr>);
    lists(aclSetDynamicTensorAddr);
    lists(AclSetDynamicTensorAddr);
    data_that_come_later();
    dead_and_foreign_handles();
    nothing_to_do();
    streams();
    EXPECT_OK(aclrtResetDevice(0));
    return 0;
}
