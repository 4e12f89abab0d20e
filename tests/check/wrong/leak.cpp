// What still lives at the end.
#include "gallery.h"

// Without a stream, and without an end: these programs leave things behind.
static void begin() {
    CHECK(aclInit(nullptr));
    CHECK(aclrtSetDevice(0));
}

// A block is never freed.
// finds: leak.block leak.context
PROGRAM(leaked_block) {
    begin();
    void* block = nullptr;
    CHECK(aclrtMalloc(&block, 4096, ACL_MEM_MALLOC_HUGE_FIRST));
    if (fixed) CHECK(aclrtFree(block));
    if (fixed) CHECK(aclrtResetDevice(0));
    CHECK(aclFinalize());
}

// A block in every round of a loop: one finding, with how many there are.
// finds: leak.block leak.context
PROGRAM(leaked_blocks_of_a_loop) {
    begin();
    for (int i = 0; i < 100; ++i) {
        void* block = nullptr;
        CHECK(aclrtMalloc(&block, 64, ACL_MEM_MALLOC_HUGE_FIRST));
        if (fixed) CHECK(aclrtFree(block));
    }
    if (fixed) CHECK(aclrtResetDevice(0));
    CHECK(aclFinalize());
}

// Host memory from the library is never given back.
// finds: leak.block
PROGRAM(leaked_host_block) {
    begin();
    void* staging = nullptr;
    CHECK(aclrtMallocHost(&staging, 4096));
    if (fixed) CHECK(aclrtFreeHost(staging));
    CHECK(aclrtResetDevice(0));
    CHECK(aclFinalize());
}

// A stream is never destroyed.
// finds: leak.stream leak.context
PROGRAM(leaked_stream) {
    begin();
    aclrtStream stream = nullptr;
    CHECK(aclrtCreateStream(&stream));
    if (fixed) CHECK(aclrtDestroyStream(stream));
    if (fixed) CHECK(aclrtResetDevice(0));
    CHECK(aclFinalize());
}

// An event is never destroyed.
// finds: leak.event leak.context
PROGRAM(leaked_event) {
    begin();
    aclrtEvent event = nullptr;
    CHECK(aclrtCreateEvent(&event));
    if (fixed) CHECK(aclrtDestroyEvent(event));
    if (fixed) CHECK(aclrtResetDevice(0));
    CHECK(aclFinalize());
}

// The device is never reset: its default context stays.
// finds: leak.context
PROGRAM(device_never_reset) {
    begin();
    if (fixed) CHECK(aclrtResetDevice(0));
    CHECK(aclFinalize());
}

// A context is never destroyed.
// finds: leak.context
PROGRAM(leaked_context) {
    CHECK(aclInit(nullptr));
    aclrtContext context = nullptr;
    CHECK(aclrtCreateContext(&context, 0));
    if (fixed) CHECK(aclrtDestroyContext(context));
    CHECK(aclFinalize());
}

// A tensor is never destroyed; its block is.
// finds: leak.tensor
PROGRAM(leaked_tensor) {
    Session session;
    Gradients gradients;
    aclTensor* tensor = describe({1, 1, 2, 2, 4}, ACL_FLOAT, gradients.address);
    if (fixed) CHECK(aclDestroyTensor(tensor));
}

// An array of sizes is never destroyed.
// finds: leak.array
PROGRAM(leaked_array) {
    Session session;
    const int64_t sizes[3] = {2, 2, 4};
    aclIntArray* array = aclCreateIntArray(sizes, 3);
    if (fixed) CHECK(aclDestroyIntArray(array));
}

// A repeatable executor is run, and never destroyed.
// finds: leak.executor
PROGRAM(leaked_executor) {
    Session session;
    Gradients gradients;
    Result result;
    Upsample upsample(gradients.address, result.address);
    CHECK(upsample.phase1());
    CHECK(aclSetAclOpExecutorRepeatable(upsample.executor));
    CHECK(upsample.phase2(session.stream));
    wait(session.stream);
    read(result);
    if (fixed) CHECK(aclDestroyAclOpExecutor(upsample.executor));
}

// Phase 1 without phase 2: nothing was computed, and the plan stays.
// finds: leak.executor-never-run
PROGRAM(executor_never_run) {
    Session session;
    Gradients gradients;
    Result result;
    Upsample upsample(gradients.address, result.address);
    CHECK(upsample.phase1());
    if (fixed) CHECK(upsample.phase2(session.stream));
    wait(session.stream);
    if (fixed) read(result);
}

// The program leaves at the first error, without what follows.
// finds: leak.array leak.block leak.context leak.stream leak.tensor
PROGRAM(early_return) {
    CHECK(aclInit(nullptr));
    CHECK(aclrtSetDevice(0));
    aclrtStream stream = nullptr;
    void* block = nullptr;
    const int64_t sizes[3] = {2, 2, 4};
    CHECK(aclrtCreateStream(&stream));
    CHECK(aclrtMalloc(&block, kGradientBytes, ACL_MEM_MALLOC_HUGE_FIRST));
    aclTensor* tensor = describe({1, 1, 2, 2, 4}, ACL_FLOAT, block);
    aclIntArray* array = aclCreateIntArray(sizes, 3);
    if (!fixed) return;
    CHECK(aclDestroyIntArray(array));
    CHECK(aclDestroyTensor(tensor));
    CHECK(aclrtFree(block));
    CHECK(aclrtDestroyStream(stream));
    CHECK(aclrtResetDevice(0));
    CHECK(aclFinalize());
}
