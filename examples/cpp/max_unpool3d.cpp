// Each element goes where its index says; an index outside the plane is found when the stream is synchronised.
//
// It prints:
//   outRef: 0 5 7 0
//   status 507015
//   AclNN_Runtime_Error(EZ9903)
#include "acl_session.h"
#include "aclnnop/aclnn_max_unpool3d.h"

aclError unpool(const Session& session, int64_t second_index, std::vector<float>* result) {
    DeviceTensor<float> self({5, 7}, {1, 1, 1, 1, 2}, ACL_FLOAT, ACL_FORMAT_ND);
    DeviceTensor<int64_t> indices({1, second_index}, {1, 1, 1, 1, 2}, ACL_INT64, ACL_FORMAT_ND);
    DeviceTensor<float> out_ref(std::vector<float>(4), {1, 1, 1, 1, 4}, ACL_FLOAT, ACL_FORMAT_ND);
    IntArray output_size({1, 1, 4}), stride({1, 1, 2}), padding({0, 0, 0});

    uint64_t workspace_size = 0;
    aclOpExecutor* executor = nullptr;
    CHECK(aclnnMaxUnpool3dGetWorkspaceSize(self.handle, indices.handle, output_size.handle, stride.handle,
                                           padding.handle, out_ref.handle, &workspace_size, &executor));
    const aclError status = run(aclnnMaxUnpool3d, workspace_size, executor, session.stream);
    if (status == ACL_SUCCESS) *result = out_ref.values();
    return status;
}

int main() {
    Session session;
    std::vector<float> out_ref;
    CHECK(unpool(session, 2, &out_ref));
    print("outRef", out_ref);
    const aclError status = unpool(session, 4, &out_ref);
    std::printf("status %d\n%s\n", int(status), aclGetRecentErrMsg());
    return 0;
}
