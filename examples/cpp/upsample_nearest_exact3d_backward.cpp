// Channels last: the same two channels interleaved in memory, read in place because the format says NDHWC.
//
// It prints:
//   gradInput: 0 0 3 30 3 30 9 90
#include "acl_session.h"
#include "aclnnop/aclnn_upsample_nearest_exact3d_backward.h"

int main() {
    Session session;
    std::vector<float> gradient;
    for (int cell = 0; cell < 6; ++cell) {
        gradient.push_back(float(cell));       // channel 0
        gradient.push_back(float(10 * cell));  // channel 1
    }
    DeviceTensor<float> grad_out(gradient, {1, 1, 1, 6, 2}, ACL_FLOAT, ACL_FORMAT_NDHWC);
    DeviceTensor<float> grad_input(std::vector<float>(8), {1, 1, 1, 4, 2}, ACL_FLOAT, ACL_FORMAT_NDHWC);
    IntArray output_size({1, 1, 6}), input_size({1, 2, 1, 1, 4});  // always N, C, D, H, W

    uint64_t workspace_size = 0;
    aclOpExecutor* executor = nullptr;
    CHECK(aclnnUpsampleNearestExact3dBackwardGetWorkspaceSize(grad_out.handle, output_size.handle, input_size.handle, 0,
                                                              0, 0, grad_input.handle, &workspace_size, &executor));
    CHECK(run(aclnnUpsampleNearestExact3dBackward, workspace_size, executor, session.stream));
    print("gradInput", grad_input.values());
    return 0;
}
