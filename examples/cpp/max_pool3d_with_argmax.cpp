// Two results: the maximum of every window, and where it was.
//
// It prints:
//   out: 9 9 8
//   indices: 1 1 3
#include "acl_session.h"
#include "aclnnop/aclnn_max_pool3d_with_argmax.h"

int main() {
    Session session;
    DeviceTensor<float> self({1, 9, 2, 8, 3}, {1, 1, 1, 1, 5}, ACL_FLOAT, ACL_FORMAT_ND);
    DeviceTensor<float> out(std::vector<float>(3), {1, 1, 1, 1, 3}, ACL_FLOAT, ACL_FORMAT_ND);
    DeviceTensor<int32_t> indices(std::vector<int32_t>(3), {1, 1, 1, 1, 3}, ACL_INT32, ACL_FORMAT_ND);
    IntArray kernel_size({1, 1, 3}), stride({1, 1, 1}), padding({0, 0, 0}), dilation({1});

    uint64_t workspace_size = 0;
    aclOpExecutor* executor = nullptr;
    CHECK(aclnnMaxPool3dWithArgmaxGetWorkspaceSize(self.handle, kernel_size.handle, stride.handle, padding.handle,
                                                   dilation.handle, false, out.handle, indices.handle, &workspace_size,
                                                   &executor));
    CHECK(run(aclnnMaxPool3dWithArgmax, workspace_size, executor, session.stream));
    print("out", out.values());
    const std::vector<int32_t> places = indices.values();
    print("indices", std::vector<float>(places.begin(), places.end()));
    return 0;
}
