// More bytes than were asked for: the padding of a block hides it, until it does not.
#include "gallery.h"

// A tensor of 16 floats over a block of 15; the padding takes the last one.
// finds: bounds.tensor-beyond-block
PROGRAM(tensor_beyond_block) {
    Session session;
    Block gradients(kGradients, fixed ? kGradientBytes : kGradientBytes - sizeof(float));
    Result result;
    Upsample upsample(gradients.address, result.address);
    upsample.launch(session.stream);
    wait(session.stream);
    read(result);
}

// The result has two cells, its block one.
// finds: bounds.tensor-beyond-block
PROGRAM(result_beyond_block) {
    Session session;
    Gradients gradients;
    Block result(fixed ? kResultBytes : sizeof(float));
    Upsample upsample(gradients.address, result.address);
    upsample.launch(session.stream);
    wait(session.stream);
    read(result);
}

// An int32 index in a block of one byte.
// finds: bounds.tensor-beyond-block
PROGRAM(wide_index_in_a_narrow_block) {
    Session session;
    Block gradient(kGradients + 1, sizeof(float)), image(kGradients, 8 * sizeof(float)), result(kPoolResultBytes);
    Block indices("\7\0\0", fixed ? sizeof(int32_t) : 1);
    Tensor grad_out({1, 1, 1, 1, 1}, ACL_FLOAT, gradient.address), self({1, 1, 2, 2, 2}, ACL_FLOAT, image.address);
    Tensor where({1, 1, 1, 1, 1}, ACL_INT32, indices.address), grad_input({1, 1, 2, 2, 2}, ACL_FLOAT, result.address);
    IntArray kernel({2, 2, 2}), padding({0, 0, 0}), dilation({1, 1, 1});
    uint64_t bytes = 0;
    aclOpExecutor* executor = nullptr;
    CHECK(aclnnMaxPool3dWithArgmaxBackwardGetWorkspaceSize(grad_out.handle, self.handle, where.handle, kernel.handle,
                                                           kernel.handle, padding.handle, dilation.handle, false,
                                                           grad_input.handle, &bytes, &executor));
    Block workspace(bytes);
    CHECK(aclnnMaxPool3dWithArgmaxBackward(workspace.address, bytes, executor, session.stream));
    if (worked(aclrtSynchronizeStream(session.stream))) read(result);
}

// An offset pushes the last elements of a tensor over the end of its block.
// finds: bounds.tensor-beyond-block
PROGRAM(offset_beyond_block) {
    Session session;
    Gradients gradients;
    Result result;
    const int64_t offset = fixed ? 0 : 4;
    const int64_t shape[] = {1, 1, 2, 2, 4}, all[] = {16 + offset};
    Upsample upsample(
        aclCreateTensor(shape, 5, ACL_FLOAT, nullptr, offset, ACL_FORMAT_NCDHW, all, 1, gradients.address),
        result.address);
    upsample.launch(session.stream);
    wait(session.stream);
    read(result);
}

// 16 floats are copied into a block of 15.
// finds: bounds.copy-beyond-block
PROGRAM(copy_beyond_block) {
    Session session;
    Block block(fixed ? kGradientBytes : kGradientBytes - sizeof(float));
    CHECK(aclrtMemcpy(block.address, kGradientBytes, kGradients, kGradientBytes, ACL_MEMCPY_HOST_TO_DEVICE));
    read(block);
}

// One float more is read than the block has.
// finds: bounds.copy-beyond-block
PROGRAM(read_beyond_block) {
    Session session;
    Block block(kGradients, 15 * sizeof(float));
    read(block.address, (fixed ? 15 : 16) * sizeof(float));
}

// The copy is larger than its destination, whose size the program has stated rightly.
// finds: bounds.copy-beyond-block
PROGRAM(copy_beyond_destination) {
    Session session;
    Gradients gradients;
    float seen[8];
    const size_t bytes = fixed ? sizeof seen : kGradientBytes;
    worked(aclrtMemcpy(seen, sizeof seen, gradients.address, bytes, ACL_MEMCPY_DEVICE_TO_HOST));
}

// A memset of a whole block that counts its padding.
// finds: bounds.copy-beyond-block
PROGRAM(memset_beyond_block) {
    Session session;
    Block block(60);
    const size_t bytes = fixed ? 60 : 64;
    CHECK(aclrtMemset(block.address, bytes, 0, bytes));
    read(block);
}

// The last row of a copy of rows leaves the block.
// finds: bounds.copy-beyond-block
PROGRAM(rows_beyond_block) {
    Session session;
    Block block(kGradientBytes - 4);
    const size_t rows = fixed ? 3 : 4;
    CHECK(aclrtMemcpy2d(block.address, 16, kGradients, 16, 16, rows, ACL_MEMCPY_HOST_TO_DEVICE));
    read(block.address, 3 * 16);
}

// Less workspace than phase 1 has asked for, and the program says so.
// finds: bounds.workspace-too-small
PROGRAM(workspace_too_small) {
    Session session;
    Block result(kPoolResultBytes);
    Pool pool(result.address);
    const uint64_t size = fixed ? pool.workspace_size : pool.workspace_size / 2;
    Block workspace(size);
    if (!worked(pool.phase2(workspace.address, size, session.stream))) return;
    wait(session.stream);
    read(result);
}

// Less workspace than phase 1 has asked for, but the size of that is passed on.
// finds: bounds.workspace-too-small
PROGRAM(workspace_smaller_than_said) {
    Session session;
    Block result(kPoolResultBytes);
    Pool pool(result.address);
    Block workspace(fixed ? pool.workspace_size : pool.workspace_size - 8);
    if (!worked(pool.phase2(workspace.address, pool.workspace_size, session.stream))) return;
    wait(session.stream);
    read(result);
}
