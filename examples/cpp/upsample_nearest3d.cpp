// Three cells enlarged to five: each output cell copies the cell at or before its own place.
//
// It prints:
//   out: 1 1 2 2 3
#include "acl_session.h"
#include "aclnnop/aclnn_upsample_nearest_3d.h"

int main() {
    Session session;
    DeviceTensor<float> self({1, 2, 3}, {1, 1, 1, 1, 3}, ACL_FLOAT, ACL_FORMAT_NCDHW);
    DeviceTensor<float> out(std::vector<float>(5), {1, 1, 1, 1, 5}, ACL_FLOAT, ACL_FORMAT_NCDHW);
    IntArray output_size({1, 1, 5});

    uint64_t workspace_size = 0;
    aclOpExecutor* executor = nullptr;
    CHECK(aclnnUpsampleNearest3dGetWorkspaceSize(self.handle, output_size.handle, 0, 0, 0, out.handle, &workspace_size,
                                                 &executor));
    CHECK(run(aclnnUpsampleNearest3d, workspace_size, executor, session.stream));
    print("out", out.values());
    return 0;
}
