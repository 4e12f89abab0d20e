// Given scales: all three count together, and the output must be as large as they make it.
//
// It prints:
//   out: 1 1 2 3 3
//   status 161002
//   AclNN_Parameter_Error(EZ1001)
#include "acl_session.h"
#include "aclnnop/aclnn_upsample_nearest_exact3d.h"

int main() {
    Session session;
    DeviceTensor<float> self({1, 2, 3}, {1, 1, 1, 1, 3}, ACL_FLOAT, ACL_FORMAT_NCDHW);
    DeviceTensor<float> out(std::vector<float>(5), {1, 1, 1, 1, 5}, ACL_FLOAT, ACL_FORMAT_NCDHW);
    IntArray output_size({1, 1, 5});

    uint64_t workspace_size = 0;
    aclOpExecutor* executor = nullptr;
    CHECK(aclnnUpsampleNearestExact3dGetWorkspaceSize(self.handle, output_size.handle, 1, 1, 1.7, out.handle,
                                                      &workspace_size, &executor));
    CHECK(run(aclnnUpsampleNearestExact3d, workspace_size, executor, session.stream));
    print("out", out.values());

    const aclnnStatus status = aclnnUpsampleNearestExact3dGetWorkspaceSize(self.handle, output_size.handle, 1, 1, 2.5,
                                                                           out.handle, &workspace_size, &executor);
    std::printf("status %d\n%s\n", int(status), aclGetRecentErrMsg());
    return 0;
}
