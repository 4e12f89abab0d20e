// Device bytes that are read, but that nobody has written.
#include "aclnnop/aclnn_max_unpool3d_backward.h"
#include "gallery.h"

// The copy to the device was forgotten.
// finds: init.kernel-reads-unwritten
PROGRAM(input_never_written) {
    Session session;
    Block gradients(kGradientBytes);
    Result result;
    Upsample upsample(gradients.address, result.address);
    if (fixed) CHECK(aclrtMemset(gradients.address, kGradientBytes, 0, kGradientBytes));
    upsample.launch(session.stream);
    wait(session.stream);
    read(result);
}

// Half of the input was copied: elements were counted, not bytes.
// finds: init.kernel-reads-unwritten
PROGRAM(input_half_written) {
    Session session;
    Block gradients(kGradientBytes);
    Result result;
    const size_t bytes = fixed ? 16 * sizeof(float) : 16;
    CHECK(aclrtMemcpy(gradients.address, kGradientBytes, kGradients, bytes, ACL_MEMCPY_HOST_TO_DEVICE));
    Upsample upsample(gradients.address, result.address);
    upsample.launch(session.stream);
    wait(session.stream);
    read(result);
}

// Only the last element is missing.
// finds: init.kernel-reads-unwritten
PROGRAM(last_element_missing) {
    Session session;
    Block gradients(kGradientBytes);
    Result result;
    const size_t count = fixed ? 16 : 15;
    CHECK(aclrtMemcpy(gradients.address, kGradientBytes, kGradients, count * sizeof(float), ACL_MEMCPY_HOST_TO_DEVICE));
    Upsample upsample(gradients.address, result.address);
    upsample.launch(session.stream);
    wait(session.stream);
    read(result);
}

// The indices of an unpooling were never written; zeros would be legal, so nothing else would notice.
// finds: init.kernel-reads-unwritten
PROGRAM(indices_never_written) {
    Session session;
    const float values[4] = {1, 2, 3, 4};
    const int64_t places[4] = {0, 1, 2, 3};
    Block gradient(values, sizeof values), self(values, sizeof values), indices(sizeof places), out(sizeof values);
    if (fixed) CHECK(aclrtMemcpy(indices.address, sizeof places, places, sizeof places, ACL_MEMCPY_HOST_TO_DEVICE));
    const std::vector<int64_t> shape = {1, 1, 1, 2, 2};
    Tensor grad(shape, ACL_FLOAT, gradient.address), input(shape, ACL_FLOAT, self.address);
    Tensor where(shape, ACL_INT64, indices.address), result(shape, ACL_FLOAT, out.address);
    IntArray size({1, 2, 2}), stride({1, 1, 1}), padding({0, 0, 0});
    uint64_t bytes = 0;
    aclOpExecutor* executor = nullptr;
    CHECK(aclnnMaxUnpool3dBackwardGetWorkspaceSize(grad.handle, input.handle, where.handle, size.handle, stride.handle,
                                                   padding.handle, result.handle, &bytes, &executor));
    CHECK(aclnnMaxUnpool3dBackward(nullptr, 0, executor, session.stream));
    if (worked(aclrtSynchronizeStream(session.stream))) read(out);
}

// A view takes every second element; the ones between them were written.
// finds: init.kernel-reads-unwritten
PROGRAM(view_of_the_unwritten_elements) {
    Session session;
    Block storage(2 * kGradientBytes);
    Result result;
    CHECK(aclrtMemcpy2d(storage.address, 8, kGradients, 4, 4, 16, ACL_MEMCPY_HOST_TO_DEVICE));
    const int64_t shape[] = {1, 1, 2, 2, 4}, strides[] = {32, 32, 16, 8, 2}, all[] = {32};
    const int64_t offset = fixed ? 0 : 1;
    Upsample upsample(aclCreateTensor(shape, 5, ACL_FLOAT, strides, offset, ACL_FORMAT_NCDHW, all, 1, storage.address),
                      result.address);
    upsample.launch(session.stream);
    wait(session.stream);
    read(result);
}

// A queued memset that is too short, and then the kernel on the same stream.
// finds: init.kernel-reads-unwritten
PROGRAM(queued_memset_too_short) {
    Session session;
    Block gradients(kGradientBytes);
    Result result;
    Upsample upsample(gradients.address, result.address);
    const size_t bytes = fixed ? kGradientBytes : kGradientBytes / 4;
    CHECK(aclrtMemsetAsync(gradients.address, kGradientBytes, 0, bytes, session.stream));
    upsample.launch(session.stream);
    wait(session.stream);
    read(result);
}

// A block is copied to the host, but no kernel has run.
// finds: init.copy-reads-unwritten
PROGRAM(result_of_no_kernel) {
    Session session;
    Gradients gradients;
    Result result;
    Upsample upsample(gradients.address, result.address);
    if (fixed) upsample.launch(session.stream);
    wait(session.stream);
    read(result);
}

// More is copied back than the kernel has written.
// finds: init.copy-reads-unwritten
PROGRAM(more_copied_than_computed) {
    Session session;
    Gradients gradients;
    Block result(64);
    Upsample upsample(gradients.address, result.address);
    upsample.launch(session.stream);
    wait(session.stream);
    read(result.address, fixed ? kResultBytes : 64);
}

// A copy on the device hands unwritten bytes on.
// finds: init.copy-reads-unwritten
PROGRAM(unwritten_bytes_handed_on) {
    Session session;
    Block source(kGradientBytes), copy(kGradientBytes);
    if (fixed) CHECK(aclrtMemset(source.address, kGradientBytes, 1, kGradientBytes));
    CHECK(aclrtMemcpy(copy.address, kGradientBytes, source.address, kGradientBytes, ACL_MEMCPY_DEVICE_TO_DEVICE));
    read(copy);
}

// Memory that was freed and allocated again holds nothing.
// finds: init.copy-reads-unwritten
PROGRAM(block_allocated_again) {
    Session session;
    void* block = nullptr;
    CHECK(aclrtMalloc(&block, kGradientBytes, ACL_MEM_MALLOC_HUGE_FIRST));
    CHECK(aclrtMemcpy(block, kGradientBytes, kGradients, kGradientBytes, ACL_MEMCPY_HOST_TO_DEVICE));
    if (!fixed) CHECK(aclrtFree(block));
    if (!fixed) CHECK(aclrtMalloc(&block, kGradientBytes, ACL_MEM_MALLOC_HUGE_FIRST));
    read(block, kGradientBytes);
    CHECK(aclrtFree(block));
}

// A queued copy brings bytes that nobody has written, and a kernel reads them.
// finds: init.kernel-reads-unwritten
PROGRAM(unwritten_bytes_brought_to_a_kernel) {
    Session session;
    Block source(kGradientBytes), gradients(kGradientBytes);
    Result result;
    if (fixed) CHECK(aclrtMemset(source.address, kGradientBytes, 1, kGradientBytes));
    CHECK(aclrtMemcpyAsync(gradients.address, kGradientBytes, source.address, kGradientBytes,
                           ACL_MEMCPY_DEVICE_TO_DEVICE, session.stream));
    Upsample upsample(gradients.address, result.address);
    upsample.launch(session.stream);
    wait(session.stream);
    read(result);
}

// The room for a workspace is smaller than what the first phase asks for, and the next image lies behind it.
// finds: init.workspace-read
PROGRAM(workspace_over_the_next_image) {
    Session session;
    Block result(kPoolResultBytes), area(1 << 20);
    Result next_result;
    Pool pool(result.address);
    const size_t room = fixed ? pool.workspace_size : pool.workspace_size - 32;
    char* const next = static_cast<char*>(area.address) + room;
    CHECK(aclrtMemcpy(next, kGradientBytes, kGradients, kGradientBytes, ACL_MEMCPY_HOST_TO_DEVICE));
    CHECK(pool.phase2(area.address, pool.workspace_size, session.stream));
    wait(session.stream);
    read(result);
    Upsample upsample(next, next_result.address);
    upsample.launch(session.stream);
    wait(session.stream);
    read(next_result);
}

// A block that served as a workspace is copied as if it still had its values.
// finds: init.workspace-read
PROGRAM(workspace_copied_afterwards) {
    Session session;
    Block result(kPoolResultBytes);
    Pool pool(result.address);
    Block area(pool.workspace_size);
    CHECK(aclrtMemset(area.address, area.bytes, 0, area.bytes));
    CHECK(pool.phase2(area.address, area.bytes, session.stream));
    wait(session.stream);
    if (fixed) CHECK(aclrtMemset(area.address, area.bytes, 0, area.bytes));
    read(area);
    read(result);
}

// The stream is destroyed by force, and what it had to do is read.
// finds: init.dropped-work
PROGRAM(result_of_dropped_work) {
    Session session;
    Gradients gradients;
    Result result;
    CHECK(aclrtMemset(result.address, kResultBytes, 0, kResultBytes));
    Upsample upsample(gradients.address, result.address);
    aclrtStream stream = nullptr;
    CHECK(aclrtCreateStream(&stream));
    upsample.launch(stream);
    if (fixed) wait(stream);
    CHECK(aclrtDestroyStreamForce(stream));
    read(result);
}

// An upload may have been dropped, and a kernel reads what it should have brought.
// finds: init.dropped-work
PROGRAM(kernel_reads_a_dropped_upload) {
    Session session;
    Result result;
    Block gradients(kGradientBytes);
    std::vector<float> values(16, 1.0f);
    Upsample upsample(gradients.address, result.address);
    aclrtStream stream = nullptr;
    CHECK(aclrtCreateStream(&stream));
    CHECK(aclrtMemcpyAsync(gradients.address, kGradientBytes, values.data(), kGradientBytes, ACL_MEMCPY_HOST_TO_DEVICE,
                           stream));
    if (fixed) wait(stream);
    CHECK(aclrtDestroyStreamForce(stream));
    upsample.launch(session.stream);
    wait(session.stream);
    read(result);
}
