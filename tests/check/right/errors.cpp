// Calls that fail, and programs that look at it.
#include "gallery.h"

// The status is looked at, the message asked for, and the program goes another way.
// finds: nothing
PROGRAM(failure_that_is_handled) {
    Session session;
    void* block = nullptr;
    for (size_t bytes = size_t(1) << 62; !worked(aclrtMalloc(&block, bytes, ACL_MEM_MALLOC_HUGE_FIRST)); bytes = 64) {
    }
    CHECK(aclrtFree(block));
}

// Two libraries in one process both call aclInit: the second call says that it has been done.
// finds: nothing
PROGRAM(initialised_by_two_libraries) {
    Session session;
    if (aclInit(nullptr) != ACL_ERROR_REPEAT_INITIALIZE) std::printf("not initialised before\n");
}

// A wait gives up after a while, which its status tells, and is tried again.
// finds: nothing
PROGRAM(wait_that_is_tried_again) {
    Session session;
    Gradients gradients;
    Result result;
    Upsample upsample(gradients.address, result.address);
    upsample.launch(session.stream);
    while (aclrtSynchronizeStreamWithTimeout(session.stream, 0) != ACL_SUCCESS) {
    }
    read(result);
}

// What was never set has no value, and asking for it says so.
// finds: nothing
PROGRAM(option_that_is_not_set) {
    Session session;
    int64_t value = 0;
    if (aclrtCtxGetSysParamOpt(ACL_OPT_DETERMINISTIC, &value) != ACL_SUCCESS) value = 1;
    CHECK(aclrtCtxSetSysParamOpt(ACL_OPT_DETERMINISTIC, value));
}
