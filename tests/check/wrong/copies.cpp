// Queued copies whose memory on the host is used too early, and batches that count on an order.
#include "pinned.h"

// The result is read right after its copy was queued.
// finds: race.host-copies
PROGRAM(pinned_result_read_early) {
    Session session;
    Gradients gradients;
    Pinned seen(16);
    seen.download(gradients, session.stream);
    if (fixed) wait(session.stream);
    std::printf("%g\n", seen.values[0]);
    wait(session.stream);
}

// A staging buffer gets the next values while its upload is queued.
// finds: race.host-copies
PROGRAM(staging_refilled) {
    Session session;
    Pinned staging(5000);
    Block one(staging.bytes()), two(staging.bytes());
    staging.fill(1);
    staging.upload(one, session.stream);
    if (fixed) wait(session.stream);
    staging.fill(2);
    staging.upload(two, session.stream);
    wait(session.stream);
    read(one);
    read(two);
}

// The host waits for the stream that computes, and reads what another one copies.
// finds: race.wrong-stream
PROGRAM(pinned_result_after_the_wrong_wait) {
    Session session;
    Stream second;
    Gradients gradients;
    Pinned seen(16);
    seen.download(gradients, second.handle);
    wait(fixed ? second.handle : session.stream);
    std::printf("%g\n", seen.values[15]);
    wait(second.handle);
}

// Of two copies only the first is waited for; the host writes where the second one does.
// finds: race.host-copies
PROGRAM(event_of_the_first_copy) {
    Session session;
    Event done;
    Gradients gradients;
    Pinned one(16), two(16);
    one.download(gradients, session.stream);
    if (!fixed) CHECK(aclrtRecordEvent(done.handle, session.stream));
    two.download(gradients, session.stream);
    if (fixed) CHECK(aclrtRecordEvent(done.handle, session.stream));
    CHECK(aclrtSynchronizeEvent(done.handle));
    one.values[0] = two.values[0] = 1;
    wait(session.stream);
}

// A host function looks at what another stream copies.
// finds: race.host-copies
PROGRAM(host_function_beside_a_copy) {
    Session session;
    Stream second;
    Event done;
    Gradients gradients;
    Pinned seen(16);
    Pinned* shown = &seen;
    seen.download(gradients, session.stream);
    if (fixed) CHECK(aclrtRecordEvent(done.handle, session.stream));
    if (fixed) CHECK(aclrtStreamWaitEvent(second.handle, done.handle));
    const aclrtHostFunc show = [](void* pinned) { std::printf("%g\n", (*static_cast<Pinned**>(pinned))->values[0]); };
    CHECK(aclrtLaunchHostFunc(second.handle, show, &shown));
    wait(second.handle);
    wait(session.stream);
}

// Rows of a page each are uploaded from a larger image, one of which the host changes.
// finds: race.host-copies
PROGRAM(row_of_an_upload_changed) {
    Session session;
    const size_t row = 4096, pitch = 2 * row;
    Pinned image(4 * pitch / sizeof(float));
    Block rows(4 * row);
    image.fill(1);
    CHECK(
        aclrtMemcpy2dAsync(rows.address, row, image.values, pitch, row, 4, ACL_MEMCPY_HOST_TO_DEVICE, session.stream));
    image.values[(fixed ? 3 * row : 2 * row) / sizeof(float)] = 2;
    wait(session.stream);
    read(rows);
}

// A patch shall lie over the background, but a batch has no order.
// finds: race.batch-copies
PROGRAM(background_and_patch_in_one_batch) {
    Session session;
    Pinned background(16), patch(4);
    Block image(background.bytes());
    background.fill(1);
    patch.fill(5);
    Batch batch, later;
    batch.add(image.address, background.values, background.bytes());
    (fixed ? later : batch).add(image.address, patch.values, patch.bytes());
    CHECK(batch.upload(session.stream));
    if (fixed) CHECK(later.upload(session.stream));
    wait(session.stream);
    read(image);
}

// Two results of a batch overlap on the host.
// finds: race.batch-copies
PROGRAM(batch_into_overlapping_rows) {
    Session session;
    Gradients one, two;
    std::vector<float> seen(32);
    Batch batch;
    batch.add(&seen[0], one.address, kGradientBytes);
    batch.add(&seen[fixed ? 16 : 15], two.address, kGradientBytes);
    CHECK(batch.download(session.stream));
    wait(session.stream);
}
