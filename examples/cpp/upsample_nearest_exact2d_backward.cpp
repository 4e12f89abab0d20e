// One executor for many steps: planned once, run on one pair of blocks after the other.
//
// It prints:
//   out: 4 4
//   next out: 14 22
#include "acl_session.h"
#include "aclnnop/aclnn_upsample_nearest_exact2d_backward.h"

int main() {
    Session session;
    const std::vector<int64_t> large = {1, 1, 2, 4}, small = {1, 1, 1, 2};
    DeviceTensor<float> grad_output({1, 1, 1, 1, 1, 1, 1, 1}, large, ACL_FLOAT, ACL_FORMAT_NCHW);
    DeviceTensor<float> next_grad_output({1, 2, 3, 4, 5, 6, 7, 8}, large, ACL_FLOAT, ACL_FORMAT_NCHW);
    DeviceTensor<float> out({0, 0}, small, ACL_FLOAT, ACL_FORMAT_NCHW);
    DeviceTensor<float> next_out({0, 0}, small, ACL_FLOAT, ACL_FORMAT_NCHW);
    IntArray output_size({2, 4}), input_size(small);

    uint64_t workspace_size = 0;
    aclOpExecutor* executor = nullptr;
    CHECK(aclnnUpsampleNearestExact2dBackwardGetWorkspaceSize(grad_output.handle, output_size.handle, input_size.handle,
                                                              0, 0, out.handle, &workspace_size, &executor));
    CHECK(aclSetAclOpExecutorRepeatable(executor));
    CHECK(run(aclnnUpsampleNearestExact2dBackward, workspace_size, executor, session.stream));
    CHECK(aclSetInputTensorAddr(executor, 0, grad_output.handle, next_grad_output.block));
    CHECK(aclSetOutputTensorAddr(executor, 0, out.handle, next_out.block));
    CHECK(run(aclnnUpsampleNearestExact2dBackward, workspace_size, executor, session.stream));
    CHECK(aclDestroyAclOpExecutor(executor));
    print("out", out.values());
    print("next out", next_out.values());
    return 0;
}
