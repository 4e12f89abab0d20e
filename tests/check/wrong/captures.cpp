// Captured work, done wrong: what it touches counts when it is executed, on the stream that it is executed on.
#include "captured.h"

// A block is freed between the capture and its execution.
// finds: use.stale-handle
PROGRAM(captured_block_freed) {
    Session session;
    Gradients gradients;
    Result result;
    Upsample upsample(gradients.address, result.address);
    begin_capture(session.stream);
    upsample.launch(session.stream);
    Captured captured(session.stream);
    if (!fixed) CHECK(aclrtFree(gradients.take()));
    worked(aclmdlRIExecuteAsync(captured.handle, session.stream));
    wait(session.stream);
    if (fixed) read(result);
}

// A block is freed while an execution may still read it.
// finds: race.free-in-use
PROGRAM(captured_block_freed_while_running) {
    Session session;
    Gradients gradients;
    Result result;
    Upsample upsample(gradients.address, result.address);
    begin_capture(session.stream);
    upsample.launch(session.stream);
    Captured captured(session.stream);
    captured.run(session.stream);
    if (fixed) wait(session.stream);
    CHECK(aclrtFree(gradients.take()));
    worked(aclrtSynchronizeStream(session.stream));
    read(result);
}

// The result is read before the execution is waited for.
// finds: race.kernel-and-copy
PROGRAM(captured_result_read_too_early) {
    Session session;
    Gradients gradients;
    Result result;
    Upsample upsample(gradients.address, result.address);
    begin_capture(session.stream);
    upsample.launch(session.stream);
    Captured captured(session.stream);
    captured.run(session.stream);
    if (fixed) wait(session.stream);
    read(result);
    wait(session.stream);
}

// Two streams of one capture write the same bytes, and come together only afterwards.
// finds: race.kernels
PROGRAM(captured_without_order) {
    Session session;
    Stream second;
    Event fork, between, join;
    Gradients gradients;
    Result result;
    Upsample one(gradients.address, result.address), two(gradients.address, result.address);
    begin_capture(session.stream);
    order(session.stream, second.handle, fork);
    one.launch(second.handle);
    if (fixed) order(second.handle, session.stream, between);
    two.launch(session.stream);
    order(second.handle, session.stream, join);
    Captured captured(session.stream);
    captured.run(session.stream);
    wait(session.stream);
    read(result);
}

// One capture is executed on two streams that nothing orders.
// finds: race.kernels
PROGRAM(captured_and_run_on_two_streams) {
    Session session;
    Stream second;
    Event done;
    Gradients gradients;
    Result result;
    Upsample upsample(gradients.address, result.address);
    begin_capture(session.stream);
    upsample.launch(session.stream);
    Captured captured(session.stream);
    captured.run(session.stream);
    if (fixed) order(session.stream, second.handle, done);
    captured.run(second.handle);
    wait(session.stream);
    wait(second.handle);
    read(result);
}

// What the kernel reads is not there when it is executed.
// finds: init.kernel-reads-unwritten
PROGRAM(captured_and_never_filled) {
    Session session;
    Block gradients(kGradientBytes);
    Result result;
    Upsample upsample(gradients.address, result.address);
    begin_capture(session.stream);
    upsample.launch(session.stream);
    Captured captured(session.stream);
    if (fixed)
        CHECK(aclrtMemcpy(gradients.address, kGradientBytes, kGradients, kGradientBytes, ACL_MEMCPY_HOST_TO_DEVICE));
    captured.run(session.stream);
    wait(session.stream);
    read(result);
}

// Captured work is destroyed while it may still run.
// finds: race.destroy-in-use
PROGRAM(captured_and_destroyed_too_early) {
    Session session;
    Gradients gradients;
    Result result;
    Upsample upsample(gradients.address, result.address);
    begin_capture(session.stream);
    upsample.launch(session.stream);
    Captured captured(session.stream);
    captured.run(session.stream);
    if (fixed) wait(session.stream);
    const bool was_refused = aclmdlRIDestroy(captured.handle) != 0;  // that depends on who was faster
    wait(session.stream);
    if (!was_refused) captured.handle = nullptr;
    read(result);
}

// Captured work is never destroyed.
// finds: leak.capture leak.context
PROGRAM(captured_and_kept) {
    CHECK(aclInit(nullptr));
    CHECK(aclrtSetDevice(0));
    {
        Stream stream;
        begin_capture(stream.handle);
        Captured captured(stream.handle);
        CHECK(aclmdlRIExecute(captured.handle, -1));
        if (!fixed) captured.handle = nullptr;
    }
    if (fixed) CHECK(aclrtResetDevice(0));
    CHECK(aclFinalize());
}
