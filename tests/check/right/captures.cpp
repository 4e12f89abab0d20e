// Captured work, done right.
#include "captured.h"

// Nothing is read or written by the capture: what a kernel needs is there when it is executed, each time.
// finds: nothing
PROGRAM(captured_before_its_data) {
    Session session;
    Block gradients(kGradientBytes);
    Result result;
    Upsample upsample(gradients.address, result.address);
    begin_capture(session.stream);
    upsample.launch(session.stream);
    Captured captured(session.stream);
    for (int i = 0; i < 3; ++i) {
        CHECK(aclrtMemcpy(gradients.address, kGradientBytes, kGradients, kGradientBytes, ACL_MEMCPY_HOST_TO_DEVICE));
        captured.run(session.stream);
        wait(session.stream);
        read(result);
    }
}

// Two streams take part, with events between them; the host function and the copy back are part of it.
// finds: nothing
PROGRAM(captured_on_two_streams) {
    Session session;
    Stream second;
    Event fork, join;
    Gradients gradients;
    Result one, two;
    void* host = nullptr;
    CHECK(aclrtMallocHost(&host, kResultBytes));
    Upsample here(gradients.address, one.address), there(gradients.address, two.address);
    Upsample again(gradients.address, two.address);
    begin_capture(session.stream);
    order(session.stream, second.handle, fork);
    there.launch(second.handle);
    here.launch(session.stream);
    order(second.handle, session.stream, join);
    again.launch(session.stream);
    CHECK(aclrtLaunchHostFunc(session.stream, [](void*) {}, nullptr));
    CHECK(aclrtMemcpyAsync(host, kResultBytes, two.address, kResultBytes, ACL_MEMCPY_DEVICE_TO_HOST, session.stream));
    {
        Captured captured(session.stream);
        captured.run(second.handle);
        captured.run(second.handle);
        wait(second.handle);
        CHECK(aclmdlRIExecute(captured.handle, -1));
        read(one);
    }
    CHECK(aclrtFreeHost(host));
}

// A workspace and blocks are freed when the capture has ended, which was given up or destroyed.
// finds: nothing
PROGRAM(captured_and_given_up) {
    Session session;
    Gradients gradients;
    Result result;
    Upsample upsample(gradients.address, result.address);
    begin_capture(session.stream);
    upsample.launch(session.stream);
    aclmdlRI captured = nullptr;
    CHECK(aclmdlRICaptureGetInfo(session.stream, nullptr, &captured));
    CHECK(aclmdlRIDestroy(captured));
}
