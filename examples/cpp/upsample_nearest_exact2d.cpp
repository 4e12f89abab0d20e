// Bytes with the channels last: two pixels of three colours become three.
//
// It prints:
//   out: 10 20 30 110 120 130 110 120 130
#include "acl_session.h"
#include "aclnnop/aclnn_upsample_nearest_exact2d.h"

int main() {
    Session session;
    DeviceTensor<uint8_t> self({10, 20, 30, 110, 120, 130}, {1, 1, 2, 3}, ACL_UINT8, ACL_FORMAT_NHWC);
    DeviceTensor<uint8_t> out(std::vector<uint8_t>(9), {1, 1, 3, 3}, ACL_UINT8, ACL_FORMAT_NHWC);
    IntArray output_size({1, 3});

    uint64_t workspace_size = 0;
    aclOpExecutor* executor = nullptr;
    CHECK(aclnnUpsampleNearestExact2dGetWorkspaceSize(self.handle, output_size.handle, 0, 0, out.handle,
                                                      &workspace_size, &executor));
    CHECK(run(aclnnUpsampleNearestExact2d, workspace_size, executor, session.stream));
    const std::vector<uint8_t> pixels = out.values();
    print("out", std::vector<float>(pixels.begin(), pixels.end()));
    return 0;
}
