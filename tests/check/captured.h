// Captures, for programs of the gallery.
#ifndef ACLTWIN_TESTS_CHECK_CAPTURED_H
#define ACLTWIN_TESTS_CHECK_CAPTURED_H

#include "gallery.h"

inline void begin_capture(aclrtStream stream) { CHECK(aclmdlRICaptureBegin(stream, ACL_MODEL_RI_CAPTURE_MODE_GLOBAL)); }

struct Captured {
    aclmdlRI handle;

    explicit Captured(aclrtStream stream) : handle(nullptr) { CHECK(aclmdlRICaptureEnd(stream, &handle)); }
    ~Captured() {
        if (handle != nullptr) aclmdlRIDestroy(handle);
    }
    Captured(const Captured&) = delete;
    Captured& operator=(const Captured&) = delete;

    void run(aclrtStream stream) { CHECK(aclmdlRIExecuteAsync(handle, stream)); }
};

// `second` takes part in the capture of `first`, and later comes back.
inline void order(aclrtStream first, aclrtStream second, const Event& event) {
    CHECK(aclrtRecordEvent(event.handle, first));
    CHECK(aclrtStreamWaitEvent(second, event.handle));
}

#endif
