// What the ACL door costs in C: one full operator cycle with 16 elements, its parts, and a bare call beside them.
// Build and run: g++ -O2 -std=c++11 benchmarks/acl_door.cpp $(acltwin sdk --cflags --libs) -o acl_door && ./acl_door
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <vector>

#include "acl/acl.h"
#include "aclnnop/aclnn_upsample_nearest_exact3d_backward.h"

static void require(int status) {
    if (status == 0) return;
    std::fprintf(stderr, "%d: %s\n", status, aclGetRecentErrMsg());
    std::exit(1);
}

static const int64_t kLarge[] = {1, 2, 2, 2, 2}, kSmall[] = {1, 2, 1, 1, 1};

struct Cycle {
    void *source, *result;
    aclTensor *grad_out, *grad_input;
    aclIntArray *output_size, *input_size;
    aclrtStream stream;

    void create() {
        grad_out = aclCreateTensor(kLarge, 5, ACL_FLOAT, nullptr, 0, ACL_FORMAT_NCDHW, kLarge, 5, source);
        grad_input = aclCreateTensor(kSmall, 5, ACL_FLOAT, nullptr, 0, ACL_FORMAT_NCDHW, kSmall, 5, result);
        output_size = aclCreateIntArray(kLarge + 2, 3);
        input_size = aclCreateIntArray(kSmall, 5);
    }
    aclOpExecutor* plan() {
        uint64_t size = 0;
        aclOpExecutor* executor = nullptr;
        require(aclnnUpsampleNearestExact3dBackwardGetWorkspaceSize(grad_out, output_size, input_size, 0, 0, 0,
                                                                    grad_input, &size, &executor));
        return executor;
    }
    void run(aclOpExecutor* executor) { require(aclnnUpsampleNearestExact3dBackward(nullptr, 0, executor, stream)); }
    void destroy() {
        aclDestroyTensor(grad_out);
        aclDestroyTensor(grad_input);
        aclDestroyIntArray(output_size);
        aclDestroyIntArray(input_size);
    }
};

// The least of many rounds: other programs only ever add time.
static double nanoseconds(int calls, const std::function<void()>& body) {
    double least = 1e30;
    for (int round = 0; round < 60; ++round) {
        const auto start = std::chrono::steady_clock::now();
        for (int i = 0; i < calls; ++i) body();
        const std::chrono::duration<double, std::nano> time = std::chrono::steady_clock::now() - start;
        least = std::min(least, time.count() / calls);
    }
    return least;
}

static void launches_of_a_large_kernel(aclrtStream stream) {
    const int64_t large[] = {8, 16, 32, 64, 64}, small[] = {8, 16, 16, 32, 32};  // 67 MB in, 8 MB out
    Cycle call{};
    call.stream = stream;
    require(aclrtMalloc(&call.source, size_t(8) * 16 * 32 * 64 * 64 * 4, ACL_MEM_MALLOC_HUGE_FIRST));
    require(aclrtMalloc(&call.result, size_t(8) * 16 * 16 * 32 * 32 * 4, ACL_MEM_MALLOC_HUGE_FIRST));
    require(aclrtMemset(call.source, size_t(8) * 16 * 32 * 64 * 64 * 4, 0, size_t(8) * 16 * 32 * 64 * 64 * 4));
    call.grad_out = aclCreateTensor(large, 5, ACL_FLOAT, nullptr, 0, ACL_FORMAT_NCDHW, large, 5, call.source);
    call.grad_input = aclCreateTensor(small, 5, ACL_FLOAT, nullptr, 0, ACL_FORMAT_NCDHW, small, 5, call.result);
    call.output_size = aclCreateIntArray(large + 2, 3);
    call.input_size = aclCreateIntArray(small, 5);
    double launch = 1e30, whole = 1e30;
    for (int round = 0; round < 20; ++round) {
        aclOpExecutor* executor = call.plan();
        const auto start = std::chrono::steady_clock::now();
        call.run(executor);
        const auto launched = std::chrono::steady_clock::now();
        require(aclrtSynchronizeStream(stream));
        const auto end = std::chrono::steady_clock::now();
        launch = std::min(launch, std::chrono::duration<double, std::micro>(launched - start).count());
        whole = std::min(whole, std::chrono::duration<double, std::micro>(end - start).count());
    }
    std::printf("large kernel: launch returns after %.1f us, done after %.0f us\n", launch, whole);
    call.destroy();
    require(aclrtFree(call.source));
    require(aclrtFree(call.result));
}

int main() {
    require(aclInit(nullptr));
    require(aclrtSetDevice(0));
    Cycle cycle{};
    require(aclrtCreateStream(&cycle.stream));
    require(aclrtMalloc(&cycle.source, 64, ACL_MEM_MALLOC_HUGE_FIRST));
    require(aclrtMalloc(&cycle.result, 8, ACL_MEM_MALLOC_HUGE_FIRST));
    require(aclrtMemset(cycle.source, 64, 0, 64));
    volatile size_t sink = 0;
    std::printf("bare call: %.1f ns\n", nanoseconds(100000, [&] { sink = aclDataTypeSize(ACL_FLOAT); }));
    std::printf("full cycle: %.0f ns\n", nanoseconds(500, [&] {
                    cycle.create();
                    cycle.run(cycle.plan());
                    require(aclrtSynchronizeStream(cycle.stream));
                    cycle.destroy();
                }));
    std::printf("  create and destroy: %.0f ns\n", nanoseconds(5000, [&] {
                    cycle.create();
                    cycle.destroy();
                }));
    cycle.create();
    aclOpExecutor* executor = cycle.plan();
    require(aclSetAclOpExecutorRepeatable(executor));
    std::printf("  phase 2 and synchronise: %.0f ns\n", nanoseconds(500, [&] {
                    cycle.run(executor);
                    require(aclrtSynchronizeStream(cycle.stream));
                }));
    launches_of_a_large_kernel(cycle.stream);
    return 0;
}
