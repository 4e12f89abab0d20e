// Overlapping windows: a cell that was the maximum of two windows gets both gradients.
//
// It prints:
//   gradInput: 0 3 0 4 0
#include "acl_session.h"
#include "aclnnop/aclnn_max_pool3d_with_argmax_backward.h"

int main() {
    Session session;
    DeviceTensor<float> self({1, 9, 2, 8, 3}, {1, 1, 1, 1, 5}, ACL_FLOAT, ACL_FORMAT_ND);
    DeviceTensor<float> grad_output({1, 2, 4}, {1, 1, 1, 1, 3}, ACL_FLOAT, ACL_FORMAT_ND);
    DeviceTensor<int32_t> indices({1, 1, 3}, {1, 1, 1, 1, 3}, ACL_INT32, ACL_FORMAT_ND);
    DeviceTensor<float> grad_input(std::vector<float>(5), {1, 1, 1, 1, 5}, ACL_FLOAT, ACL_FORMAT_ND);
    IntArray kernel_size({1, 1, 3}), stride({1, 1, 1}), padding({0, 0, 0}), dilation({1});

    uint64_t workspace_size = 0;
    aclOpExecutor* executor = nullptr;
    CHECK(aclnnMaxPool3dWithArgmaxBackwardGetWorkspaceSize(
        grad_output.handle, self.handle, indices.handle, kernel_size.handle, stride.handle, padding.handle,
        dilation.handle, false, grad_input.handle, &workspace_size, &executor));
    CHECK(run(aclnnMaxPool3dWithArgmaxBackward, workspace_size, executor, session.stream));
    print("gradInput", grad_input.values());
    return 0;
}
