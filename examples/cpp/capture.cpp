// A step of two operators, captured once and run on other data: the largest value of each window, then twice as many.
//
// It prints:
//   out: 9 9 9 9 8 8
//   out: 5 5 4 4 3 3
#include "acl_session.h"
#include "aclnnop/aclnn_max_pool3d_with_argmax.h"
#include "aclnnop/aclnn_upsample_nearest_3d.h"

int main() {
    Session session;
    DeviceTensor<float> self(std::vector<float>(5), {1, 1, 1, 1, 5}, ACL_FLOAT, ACL_FORMAT_NCDHW);
    DeviceTensor<float> pooled(std::vector<float>(3), {1, 1, 1, 1, 3}, ACL_FLOAT, ACL_FORMAT_NCDHW);
    DeviceTensor<int32_t> indices(std::vector<int32_t>(3), {1, 1, 1, 1, 3}, ACL_INT32, ACL_FORMAT_NCDHW);
    DeviceTensor<float> out(std::vector<float>(6), {1, 1, 1, 1, 6}, ACL_FLOAT, ACL_FORMAT_NCDHW);
    IntArray kernel_size({1, 1, 3}), stride({1, 1, 1}), padding({0, 0, 0}), dilation({1}), output_size({1, 1, 6});

    // Phase 1 and workspaces come before the capture; both live for as long as it.
    uint64_t pool_size = 0, upsample_size = 0;
    aclOpExecutor *pool = nullptr, *upsample = nullptr;
    CHECK(aclnnMaxPool3dWithArgmaxGetWorkspaceSize(self.handle, kernel_size.handle, stride.handle, padding.handle,
                                                   dilation.handle, false, pooled.handle, indices.handle, &pool_size,
                                                   &pool));
    CHECK(aclnnUpsampleNearest3dGetWorkspaceSize(pooled.handle, output_size.handle, 0, 0, 0, out.handle, &upsample_size,
                                                 &upsample));
    void *pool_workspace = nullptr, *upsample_workspace = nullptr;
    if (pool_size > 0) CHECK(aclrtMalloc(&pool_workspace, pool_size, ACL_MEM_MALLOC_HUGE_FIRST));
    if (upsample_size > 0) CHECK(aclrtMalloc(&upsample_workspace, upsample_size, ACL_MEM_MALLOC_HUGE_FIRST));

    aclmdlRI step = nullptr;
    CHECK(aclmdlRICaptureBegin(session.stream, ACL_MODEL_RI_CAPTURE_MODE_GLOBAL));
    CHECK(aclnnMaxPool3dWithArgmax(pool_workspace, pool_size, pool, session.stream));
    CHECK(aclnnUpsampleNearest3d(upsample_workspace, upsample_size, upsample, session.stream));
    CHECK(aclmdlRICaptureEnd(session.stream, &step));

    for (const std::vector<float>& data : {std::vector<float>{1, 9, 2, 8, 3}, std::vector<float>{5, 4, 3, 2, 1}}) {
        CHECK(aclrtMemcpy(self.block, 20, data.data(), 20, ACL_MEMCPY_HOST_TO_DEVICE));
        CHECK(aclmdlRIExecuteAsync(step, session.stream));
        CHECK(aclrtSynchronizeStream(session.stream));
        print("out", out.values());
    }
    CHECK(aclmdlRIDestroy(step));
    if (pool_size > 0) CHECK(aclrtFree(pool_workspace));
    if (upsample_size > 0) CHECK(aclrtFree(upsample_workspace));
    return 0;
}
