// A device, streams and events for tests of captures.
#ifndef ACLTWIN_TESTS_CPP_CAPTURE_H
#define ACLTWIN_TESTS_CPP_CAPTURE_H

#include "upsample.h"

static const aclmdlRICaptureMode kGlobal = ACL_MODEL_RI_CAPTURE_MODE_GLOBAL,
                                 kThreadLocal = ACL_MODEL_RI_CAPTURE_MODE_THREAD_LOCAL,
                                 kRelaxed = ACL_MODEL_RI_CAPTURE_MODE_RELAXED;

struct Streams {
    aclrtStream first, second;
    aclrtEvent fork, join;

    Streams() : first(nullptr), second(nullptr), fork(nullptr), join(nullptr) {
        EXPECT_OK(aclrtSetDevice(0));
        EXPECT_OK(aclrtCreateStream(&first));
        EXPECT_OK(aclrtCreateStream(&second));
        EXPECT_OK(aclrtCreateEvent(&fork));
        EXPECT_OK(aclrtCreateEvent(&join));
    }
    ~Streams() {
        EXPECT_OK(aclrtDestroyEvent(fork));
        EXPECT_OK(aclrtDestroyEvent(join));
        EXPECT_OK(aclrtDestroyStream(first));
        EXPECT_OK(aclrtDestroyStream(second));
        EXPECT_OK(aclrtResetDevice(0));
    }
    Streams(const Streams&) = delete;
    Streams& operator=(const Streams&) = delete;

    aclmdlRICaptureStatus status(aclrtStream stream) const {
        aclmdlRICaptureStatus found = ACL_MODEL_RI_CAPTURE_STATUS_NONE;
        EXPECT_OK(aclmdlRICaptureGetInfo(stream, &found, nullptr));
        return found;
    }
    void fork_and_join(bool joins) const {
        EXPECT_OK(aclrtRecordEvent(fork, first));
        EXPECT_OK(aclrtStreamWaitEvent(second, fork));
        if (!joins) return;
        EXPECT_OK(aclrtRecordEvent(join, second));
        EXPECT_OK(aclrtStreamWaitEvent(first, join));
    }
};

struct Bytes {
    unsigned char* device;
    unsigned char* host;  // the runtime's

    explicit Bytes(size_t count = 64) : device(nullptr), host(nullptr) {
        void *block = nullptr, *pinned = nullptr;
        EXPECT_OK(aclrtMalloc(&block, count, ACL_MEM_MALLOC_HUGE_FIRST));
        EXPECT_OK(aclrtMallocHost(&pinned, count));
        device = static_cast<unsigned char*>(block);
        host = static_cast<unsigned char*>(pinned);
    }
    ~Bytes() {
        if (device != nullptr) EXPECT_OK(aclrtFree(device));
        EXPECT_OK(aclrtFreeHost(host));
    }
    Bytes(const Bytes&) = delete;
    Bytes& operator=(const Bytes&) = delete;
};

#endif
