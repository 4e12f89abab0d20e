// The gradient of doubling a 1x1x2 volume on every axis: each input cell collects its eight copies.
//
// It prints:
//   gradInput: 52 68
#include "acl_session.h"
#include "aclnnop/aclnn_upsample_nearest_3d_backward.h"

int main() {
    Session session;
    std::vector<float> gradient(2 * 2 * 4);
    for (size_t i = 0; i < gradient.size(); ++i) gradient[i] = float(i);
    DeviceTensor<float> grad_out(gradient, {1, 1, 2, 2, 4}, ACL_FLOAT, ACL_FORMAT_NCDHW);
    DeviceTensor<float> grad_input({0, 0}, {1, 1, 1, 1, 2}, ACL_FLOAT, ACL_FORMAT_NCDHW);
    IntArray output_size({2, 2, 4}), input_size({1, 1, 1, 1, 2});

    uint64_t workspace_size = 0;
    aclOpExecutor* executor = nullptr;
    CHECK(aclnnUpsampleNearest3dBackwardGetWorkspaceSize(grad_out.handle, output_size.handle, input_size.handle, 2.0,
                                                         2.0, 2.0, grad_input.handle, &workspace_size, &executor));
    CHECK(run(aclnnUpsampleNearest3dBackward, workspace_size, executor, session.stream));
    print("gradInput", grad_input.values());
    return 0;
}
