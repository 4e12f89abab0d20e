// The gradient of unpooling, and what happens to an index that leaves its plane.
//
// It prints:
//   out: 60 10
//   status 507015
//   AclNN_Runtime_Error(EZ9903)
#include "acl_session.h"
#include "aclnnop/aclnn_max_unpool3d_backward.h"

static aclError gather(const Session& session, const DeviceTensor<float>& grad_output,
                       const DeviceTensor<int64_t>& indices, const DeviceTensor<float>& out) {
    IntArray output_size({2, 2, 2}), stride({2, 2, 2}), padding({0, 0, 0});
    uint64_t workspace_size = 0;
    aclOpExecutor* executor = nullptr;
    // `self` counts by its shape and type alone, so the result may stand for it.
    CHECK(aclnnMaxUnpool3dBackwardGetWorkspaceSize(grad_output.handle, out.handle, indices.handle, output_size.handle,
                                                   stride.handle, padding.handle, out.handle, &workspace_size,
                                                   &executor));
    return run(aclnnMaxUnpool3dBackward, workspace_size, executor, session.stream);
}

int main() {
    Session session;
    DeviceTensor<float> grad_output({0, 10, 20, 30, 40, 50, 60, 70}, {1, 1, 2, 2, 2}, ACL_FLOAT, ACL_FORMAT_NCDHW);
    DeviceTensor<int64_t> indices({6, 1}, {1, 1, 1, 1, 2}, ACL_INT64, ACL_FORMAT_NCDHW);
    DeviceTensor<int64_t> wrong_indices({6, 8}, {1, 1, 1, 1, 2}, ACL_INT64, ACL_FORMAT_NCDHW);
    DeviceTensor<float> out({0, 0}, {1, 1, 1, 1, 2}, ACL_FLOAT, ACL_FORMAT_NCDHW);

    CHECK(gather(session, grad_output, indices, out));
    print("out", out.values());
    std::printf("status %d\n", gather(session, grad_output, wrong_indices, out));
    std::printf("%s\n", aclGetRecentErrMsg());
    return 0;
}
