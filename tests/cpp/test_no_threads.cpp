// A system that gives no more threads: said for what it is, and what there is goes on working.
#include <pthread.h>

#include "upsample.h"

// No address space holds such a stack, so that every new thread fails.
static void set_stack_size(size_t bytes) {
    pthread_attr_t attributes;
    EXPECT(pthread_attr_init(&attributes) == 0);
    EXPECT(pthread_attr_setstacksize(&attributes, bytes) == 0);
    EXPECT(pthread_setattr_default_np(&attributes) == 0);
    EXPECT(pthread_attr_destroy(&attributes) == 0);
}

int main() {
    EXPECT_OK(aclrtSetDevice(0));
    aclrtStream old = nullptr, fresh = nullptr;
    aclrtEvent event = nullptr;
    EXPECT_OK(aclrtCreateStream(&old));
    EXPECT_OK(aclrtCreateEvent(&event));
    set_stack_size(size_t(1) << 60);

    EXPECT_CODE(207008, aclrtCreateStream(&fresh));
    EXPECT_MESSAGE("aclrtCreateStream", "no thread left", "ulimit -u", "[207008]");
    EXPECT(fresh == nullptr);
    EXPECT_CODE(207008, aclrtRecordEvent(event, nullptr));  // the default stream would have to be made
    EXPECT_OK(aclrtSynchronizeEvent(event));                // and so the event was not recorded
    Upsample call{3};
    EXPECT_OK(call.plan());
    EXPECT_CODE(361001, call.run(nullptr));
    EXPECT_MESSAGE("no thread left", "runtime status 207008");
    EXPECT_OK(call.plan());
    EXPECT_OK(call.run(old));
    EXPECT_OK(aclrtSynchronizeStream(old));
    EXPECT(call.value() == 24);
    call.destroy();

    set_stack_size(size_t(1) << 20);
    EXPECT_OK(aclrtCreateStream(&fresh));
    EXPECT_OK(aclrtRecordEvent(event, nullptr));
    EXPECT_OK(aclrtSynchronizeEvent(event));
    EXPECT_OK(aclrtResetDevice(0));
    return 0;
}
