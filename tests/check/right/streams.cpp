// Several streams, ordered by events or by the host.
#include "gallery.h"

// A chain over three streams, each waiting for the event of the one before.
// finds: nothing
PROGRAM(chain_of_events) {
    Session session;
    Stream second, third;
    Event computed, copied;
    Block gradients(kGradientBytes);
    Result result;
    float seen[2];
    Upsample upsample(gradients.address, result.address);
    CHECK(aclrtMemcpyAsync(gradients.address, kGradientBytes, kGradients, kGradientBytes, ACL_MEMCPY_HOST_TO_DEVICE,
                           session.stream));
    CHECK(aclrtRecordEvent(copied.handle, session.stream));
    CHECK(aclrtStreamWaitEvent(second.handle, copied.handle));
    upsample.launch(second.handle);
    CHECK(aclrtRecordEvent(computed.handle, second.handle));
    CHECK(aclrtStreamWaitEvent(third.handle, computed.handle));
    CHECK(aclrtMemcpyAsync(seen, sizeof seen, result.address, sizeof seen, ACL_MEMCPY_DEVICE_TO_HOST, third.handle));
    wait(third.handle);
}

// Two streams read one input and write results of their own.
// finds: nothing
PROGRAM(one_input_two_streams) {
    Session session;
    Stream second;
    Gradients gradients;
    Result result, other;
    Upsample one(gradients.address, result.address), two(gradients.address, other.address);
    one.launch(session.stream);
    two.launch(second.handle);
    CHECK(aclrtSynchronizeDevice());
    read(result);
    read(other);
}

// Two streams write the halves of one block.
// finds: nothing
PROGRAM(halves_of_one_block) {
    Session session;
    Stream second;
    Gradients gradients;
    Block results(2 * kResultBytes);
    Upsample one(gradients.address, results.address);
    Upsample two(gradients.address, static_cast<char*>(results.address) + kResultBytes);
    one.launch(session.stream);
    two.launch(second.handle);
    wait(session.stream);
    wait(second.handle);
    read(results);
}

// A join of two streams: the host waits for one that has waited for the other.
// finds: nothing
PROGRAM(waiting_for_who_has_waited) {
    Session session;
    Stream second;
    Event done;
    Gradients gradients;
    Result result;
    Upsample upsample(gradients.address, result.address);
    upsample.launch(second.handle);
    CHECK(aclrtRecordEvent(done.handle, second.handle));
    CHECK(aclrtStreamWaitEvent(session.stream, done.handle));
    wait(session.stream);
    read(result);
}

// The same event again and again, each time recorded before it is waited for.
// finds: nothing
PROGRAM(event_used_in_rounds) {
    Session session;
    Stream second;
    Event done;
    Gradients gradients;
    Result result;
    Upsample upsample(gradients.address, result.address);
    for (int round = 0; round < 5; ++round) {
        upsample.launch(session.stream);
        CHECK(aclrtRecordEvent(done.handle, session.stream));
        CHECK(aclrtStreamWaitEvent(second.handle, done.handle));
        float seen[2];
        CHECK(
            aclrtMemcpyAsync(seen, sizeof seen, result.address, sizeof seen, ACL_MEMCPY_DEVICE_TO_HOST, second.handle));
        wait(second.handle);
    }
}

// The host asks until the stream is done.
// finds: nothing
PROGRAM(stream_polled) {
    Session session;
    Gradients gradients;
    Result result;
    Upsample upsample(gradients.address, result.address);
    upsample.launch(session.stream);
    aclrtStreamStatus status = ACL_STREAM_STATUS_NOT_READY;
    while (status != ACL_STREAM_STATUS_COMPLETE) CHECK(aclrtStreamQuery(session.stream, &status));
    read(result);
}

// The host asks until an event is reached.
// finds: nothing
PROGRAM(event_polled) {
    Session session;
    Event done;
    Gradients gradients;
    Result result;
    Upsample upsample(gradients.address, result.address);
    upsample.launch(session.stream);
    CHECK(aclrtRecordEvent(done.handle, session.stream));
    aclrtEventRecordedStatus status = ACL_EVENT_RECORDED_STATUS_NOT_READY;
    while (status != ACL_EVENT_RECORDED_STATUS_COMPLETE) CHECK(aclrtQueryEventStatus(done.handle, &status));
    read(result);
}

// Everything on the default stream, which keeps its order by itself.
// finds: nothing
PROGRAM(default_stream_alone) {
    Session session;
    Block gradients(kGradientBytes);
    Result result;
    Upsample upsample(gradients.address, result.address);
    CHECK(aclrtMemsetAsync(gradients.address, kGradientBytes, 0, kGradientBytes, nullptr));
    upsample.launch(nullptr);
    CHECK(aclrtSynchronizeStreamWithTimeout(nullptr, -1));
    read(result);
}

// The time between two events is asked for after both.
// finds: nothing
PROGRAM(time_between_events) {
    Session session;
    Event start, end;
    Gradients gradients;
    Result result;
    Upsample upsample(gradients.address, result.address);
    CHECK(aclrtRecordEvent(start.handle, session.stream));
    upsample.launch(session.stream);
    CHECK(aclrtRecordEvent(end.handle, session.stream));
    CHECK(aclrtSynchronizeEventWithTimeout(end.handle, -1));
    float milliseconds = -1;
    CHECK(aclrtEventElapsedTime(&milliseconds, start.handle, end.handle));
    read(result);
}

// A context of one's own, with a stream in it.
// finds: nothing
PROGRAM(context_of_ones_own) {
    Session session;
    aclrtContext before = nullptr, own = nullptr;
    CHECK(aclrtGetCurrentContext(&before));
    CHECK(aclrtCreateContext(&own, 0));
    {
        Stream stream;
        Gradients gradients;
        Result result;
        Upsample upsample(gradients.address, result.address);
        upsample.launch(stream.handle);
        wait(stream.handle);
        read(result);
    }
    CHECK(aclrtSetCurrentContext(before));
    CHECK(aclrtDestroyContext(own));
}
