// The two phases by hand, call by call: what every aclnn program does. Plain C, apart from the name of the file.
//
// It prints:
//   gradInput: 52 68
#include <stdio.h>

#include "acl/acl.h"
#include "aclnnop/aclnn_upsample_nearest_3d_backward.h"

// [check]
static int failed(int status) {
    if (status != ACL_SUCCESS) printf("%d: %s\n", status, aclGetRecentErrMsg());
    return status != ACL_SUCCESS;
}
// [/check]

// [tensor]
// A block with the data, and the tensor that describes it.
static aclTensor* to_device(const float* data, size_t bytes, const int64_t* shape, void** block) {
    if (failed(aclrtMalloc(block, bytes, ACL_MEM_MALLOC_HUGE_FIRST))) return NULL;
    if (failed(aclrtMemcpy(*block, bytes, data, bytes, ACL_MEMCPY_HOST_TO_DEVICE))) return NULL;
    return aclCreateTensor(shape, 5, ACL_FLOAT, NULL, 0, ACL_FORMAT_NCDHW, shape, 5, *block);
}
// [/tensor]

int main(void) {
    // [start]
    aclrtStream stream = NULL;
    if (failed(aclInit(NULL))) return 1;
    if (failed(aclrtSetDevice(0))) return 1;
    if (failed(aclrtCreateStream(&stream))) return 1;
    // [/start]

    // [arguments]
    const float gradient[16] = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15};
    float result[2] = {0, 0};
    const int64_t grad_out_shape[5] = {1, 1, 2, 2, 4}, grad_input_shape[5] = {1, 1, 1, 1, 2};
    void *grad_out_block = NULL, *grad_input_block = NULL, *workspace = NULL;
    aclTensor* grad_out = to_device(gradient, sizeof gradient, grad_out_shape, &grad_out_block);
    aclTensor* grad_input = to_device(result, sizeof result, grad_input_shape, &grad_input_block);
    aclIntArray* output_size = aclCreateIntArray(grad_out_shape + 2, 3);
    aclIntArray* input_size = aclCreateIntArray(grad_input_shape, 5);
    // [/arguments]

    // [phases]
    uint64_t workspace_size = 0;
    aclOpExecutor* executor = NULL;
    if (failed(aclnnUpsampleNearest3dBackwardGetWorkspaceSize(grad_out, output_size, input_size, 2.0, 2.0, 2.0,
                                                              grad_input, &workspace_size, &executor)))
        return 1;
    if (workspace_size > 0 && failed(aclrtMalloc(&workspace, workspace_size, ACL_MEM_MALLOC_HUGE_FIRST))) return 1;
    if (failed(aclnnUpsampleNearest3dBackward(workspace, workspace_size, executor, stream))) return 1;
    if (failed(aclrtSynchronizeStream(stream))) return 1;
    // [/phases]

    // [result]
    if (failed(aclrtMemcpy(result, sizeof result, grad_input_block, sizeof result, ACL_MEMCPY_DEVICE_TO_HOST)))
        return 1;
    printf("gradInput: %g %g\n", result[0], result[1]);
    // [/result]

    // [end]
    aclDestroyTensor(grad_out);
    aclDestroyTensor(grad_input);
    aclDestroyIntArray(output_size);
    aclDestroyIntArray(input_size);
    aclrtFree(grad_out_block);
    aclrtFree(grad_input_block);
    if (workspace_size > 0) aclrtFree(workspace);
    aclrtDestroyStream(stream);
    aclrtResetDevice(0);
    aclFinalize();
    // [/end]
    return 0;
}
