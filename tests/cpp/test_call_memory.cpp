// The memory of a call: views, storages, blocks, workspaces, and what may not share memory.
#include <cstdlib>

#include "aclnnop/aclnn_max_pool3d_with_argmax_backward.h"
#include "upsample.h"

static aclTensor* view(const std::vector<int64_t>& strides, int64_t offset, const std::vector<int64_t>& storage,
                       void* data) {
    const int64_t dims[] = {1, 1, 2, 2, 2};
    return aclCreateTensor(dims, 5, ACL_FLOAT, strides.data(), offset, ACL_FORMAT_NCDHW, storage.data(), storage.size(),
                           data);
}

static void views_and_storages() {
    Upsample call;
    EXPECT_OK(aclDestroyTensor(call.grad_out));
    const struct {
        std::vector<int64_t> strides;
        int64_t offset;
        std::vector<int64_t> storage;
        int code;
        const char* word;
    } cases[] = {
        {{8, 8, 4, 2, 1}, 0, {8}, 0, ""},
        {{0, 0, -4, -2, -1}, 7, {8}, 0, ""},
        {{0, 0, 0, 0, 0}, 7, {2, 4}, 0, ""},
        {{INT64_MAX, INT64_MAX, 4, 2, 1}, 0, {8}, 0, ""},  // strides of dims of 1 are never used
        {{8, 8, 4, 2, 1}, 1, {8}, 561103, "view_in_storage"},
        {{8, 8, 4, 2, 1}, -1, {8}, 561103, "begins before"},
        {{8, 8, 4, 2, -1}, 0, {8}, 561103, "begins before"},
        {{8, 8, 4, 2, 1}, 0, {7}, 561103, "reaches element 7, past the 7 elements"},
        {{8, 8, 4, 2, 1}, 0, {}, 561103, "view_in_storage"},
        {{8, 8, INT64_MAX, INT64_MAX, 1}, 0, {8}, 561103, "reaches far beyond"},
        {{8, 8, INT64_MIN, INT64_MIN, 1}, INT64_MIN, {8}, 561103, "view_in_storage"},
        {{8, 8, 4, 2, 1}, INT64_MAX, {8}, 561103, "reaches far beyond"},
        {{8, 8, 4, 2, 1}, 0, {-8}, 561103, "storage_shape"},
        {{8, 8, 4, 2, 1}, 0, {INT64_MAX, INT64_MAX}, 561103, "storage_shape"},
        {{8, 8, 4, 2, 1}, 0, {int64_t(1) << 50}, 161002, "the memory of this machine"},
        {{8, 8, 4, 2, 1}, 0, {16}, 0, ""},  // 64 of the 32 + 32 bytes
        {{8, 8, 4, 2, 1}, 0, {17}, 161002, "storage_in_block"},
    };
    for (const auto& one : cases) {
        call.grad_out = view(one.strides, one.offset, one.storage, call.source);
        EXPECT_CODE(one.code, call.plan());
        if (one.code != 0) {
            EXPECT_MESSAGE("gradOut", one.word);
        } else {
            EXPECT_OK(call.run(nullptr));
            EXPECT_OK(aclrtSynchronizeStream(nullptr));
            EXPECT(call.value() == 8);
        }
        EXPECT_OK(aclDestroyTensor(call.grad_out));
    }
    // A block may hold several tensors.
    call.grad_out = view({8, 8, 4, 2, 1}, 0, {8}, static_cast<char*>(call.source) + 32);
    EXPECT_OK(call.plan());
    EXPECT_OK(aclDestroyAclOpExecutor(call.executor));
    EXPECT_OK(aclDestroyTensor(call.grad_out));
    call.grad_out = view({8, 8, 4, 2, 1}, 0, {8}, static_cast<char*>(call.source) + 36);
    EXPECT_CODE(161002, call.plan());
    EXPECT_MESSAGE("storage_in_block");
    EXPECT_OK(aclSetRawTensorAddr(call.grad_out, static_cast<char*>(call.source) + 2));
    EXPECT_CODE(161002, call.plan());
    EXPECT_MESSAGE("a multiple of the element's 4 bytes", "data_alignment");
    call.destroy();
}

// A pooling gradient, which needs a workspace: one window over a 2x2x2 plane, its maximum at cell 6.
struct Pool {
    char* block;
    aclTensor *grad_output, *self, *indices, *grad_input;
    aclIntArray *two, *zero, *one;
    uint64_t size;
    aclOpExecutor* executor;

    Pool() : block(static_cast<char*>(device_floats(std::vector<float>(64, 0)))), size(0), executor(nullptr) {
        const int64_t small[] = {1, 1, 1, 1, 1}, large[] = {1, 1, 2, 2, 2};
        const int32_t index = 6;
        grad_output = aclCreateTensor(small, 5, ACL_FLOAT, nullptr, 0, ACL_FORMAT_ND, small, 5, block);
        self = aclCreateTensor(large, 5, ACL_FLOAT, nullptr, 0, ACL_FORMAT_ND, large, 5, block + 64);
        indices = aclCreateTensor(small, 5, ACL_INT32, nullptr, 0, ACL_FORMAT_ND, small, 5, block + 192);
        grad_input = aclCreateTensor(large, 5, ACL_FLOAT, nullptr, 0, ACL_FORMAT_ND, large, 5, block + 128);
        EXPECT_OK(aclrtMemcpy(block + 192, 4, &index, 4, ACL_MEMCPY_HOST_TO_DEVICE));
        two = int_array({2});
        zero = int_array({0});
        one = int_array({1});
    }
    int plan(aclTensor* result) {
        return aclnnMaxPool3dWithArgmaxBackwardGetWorkspaceSize(grad_output, self, indices, two, two, zero, one, false,
                                                                result, &size, &executor);
    }
    int run(void* workspace, uint64_t workspace_size) {
        return aclnnMaxPool3dWithArgmaxBackward(workspace, workspace_size, executor, nullptr);
    }
    ~Pool() {
        const aclTensor* tensors[] = {grad_output, self, indices, grad_input};
        for (const aclTensor* tensor : tensors) EXPECT_OK(aclDestroyTensor(tensor));
        const aclIntArray* arrays[] = {two, zero, one};
        for (const aclIntArray* array : arrays) EXPECT_OK(aclDestroyIntArray(array));
        EXPECT_OK(aclrtFree(block));
    }
};

static void workspaces() {
    Pool call;
    EXPECT_OK(call.plan(call.grad_input));
    EXPECT(call.size > 0);
    const size_t size = call.size, guard = 64;
    char *workspace = nullptr, *tiny = nullptr, *host = static_cast<char*>(std::malloc(size));
    EXPECT_OK(aclrtMalloc(reinterpret_cast<void**>(&workspace), size + 2 * guard, ACL_MEM_MALLOC_HUGE_FIRST));
    EXPECT_OK(aclrtMalloc(reinterpret_cast<void**>(&tiny), 1, ACL_MEM_MALLOC_HUGE_FIRST));
    EXPECT_CODE(161002, call.run(workspace, size - 1));
    EXPECT_MESSAGE("workspaceSize is", "expected at least", "rule workspace_size]");
    EXPECT_OK(call.plan(call.grad_input));
    EXPECT_CODE(161002, call.run(nullptr, 0));
    EXPECT_OK(call.plan(call.grad_input));
    EXPECT_CODE(161001, call.run(nullptr, size));
    EXPECT_OK(call.plan(call.grad_input));
    EXPECT_CODE(361001, call.run(tiny, size));
    EXPECT_MESSAGE("workspace needs", "storage_in_block");
    EXPECT_OK(call.plan(call.grad_input));
    EXPECT_CODE(361001, call.run(host, size));
    EXPECT_MESSAGE("workspace", "not in a live device block");
    EXPECT_OK(call.plan(call.grad_input));
    EXPECT_CODE(361001, call.run(workspace + 2 * guard + 64, size));
    // Any place in a block will do, and not a byte beside it is touched.
    for (size_t shift = 0; shift <= guard; shift += 7) {
        EXPECT_OK(aclrtMemset(workspace, size + 2 * guard, 0x5a, size + 2 * guard));
        EXPECT_OK(call.plan(call.grad_input));
        EXPECT_OK(call.run(workspace + shift, size));
        EXPECT_OK(aclrtSynchronizeStream(nullptr));
        for (size_t i = 0; i < shift; ++i) EXPECT(workspace[i] == 0x5a);
        for (size_t i = shift + size; i < size + 2 * guard; ++i) EXPECT(workspace[i] == 0x5a);
    }
    EXPECT_OK(aclSetRawTensorAddr(call.grad_input, workspace + 64));
    EXPECT_OK(call.plan(call.grad_input));
    EXPECT_CODE(161002, call.run(workspace, size));
    EXPECT_MESSAGE("workspace and gradInput overlap in memory", "overlap");
    EXPECT_OK(aclrtFree(workspace));
    EXPECT_OK(aclrtFree(tiny));
    std::free(host);
}

// Indices in the memory that the result is written to could change between their check and their use.
static void overlap() {
    Pool call;
    void* workspace = nullptr;
    EXPECT_OK(call.plan(call.grad_input));
    EXPECT_OK(aclrtMalloc(&workspace, call.size, ACL_MEM_MALLOC_HUGE_FIRST));
    EXPECT_OK(call.run(workspace, call.size));
    EXPECT_OK(aclSetRawTensorAddr(call.indices, call.block + 128 + 28));
    EXPECT_OK(call.plan(call.grad_input));
    EXPECT_CODE(161002, call.run(workspace, call.size));
    EXPECT_MESSAGE("gradInput and indices overlap in memory", "overlap");
    // A result whose elements lie on each other would be written by several threads at once.
    const int64_t large[] = {1, 1, 2, 2, 2}, one[] = {1}, flat[] = {0, 0, 0, 0, 0};
    aclTensor* folded = aclCreateTensor(large, 5, ACL_FLOAT, flat, 0, ACL_FORMAT_ND, one, 1, call.block);
    EXPECT_CODE(161002, call.plan(folded));
    EXPECT_MESSAGE("gradInput has overlapping elements", "overlap");
    EXPECT_OK(aclDestroyTensor(folded));
    EXPECT_OK(aclrtSynchronizeStream(nullptr));
    EXPECT_OK(aclrtFree(workspace));
}

int main() {
    EXPECT_OK(aclrtSetDevice(0));
    views_and_storages();
    workspaces();
    overlap();
    EXPECT_OK(aclrtResetDevice(0));
    return 0;
}
