// Device memory is not host memory.
#include "gallery.h"

// Host code reads an element through a device pointer.
// finds: host.device-pointer-followed
PROGRAM(device_pointer_read) {
    Session session;
    Gradients gradients;
    float first = 0;
    if (fixed) first = read(gradients)[0];
    if (!fixed) first = *static_cast<volatile float*>(gradients.address);
    std::printf("%g\n", first);
}

// Host code writes the input straight into device memory.
// finds: host.device-pointer-followed
PROGRAM(device_pointer_written) {
    Session session;
    Block block(kGradientBytes);
    if (fixed) CHECK(aclrtMemset(block.address, kGradientBytes, 0, kGradientBytes));
    if (!fixed) std::memset(block.address, 0, kGradientBytes);
    read(block);
}

// The C library's memcpy instead of aclrtMemcpy.
// finds: host.device-pointer-followed
PROGRAM(plain_memcpy) {
    Session session;
    Gradients gradients;
    float seen[16];
    if (fixed) CHECK(aclrtMemcpy(seen, sizeof seen, gradients.address, sizeof seen, ACL_MEMCPY_DEVICE_TO_HOST));
    if (!fixed) std::memcpy(seen, gradients.address, sizeof seen);
    std::printf("%g\n", seen[1]);
}

// A block is still read after it was freed.
// finds: host.device-pointer-followed
PROGRAM(freed_pointer_read) {
    Session session;
    Gradients gradients;
    float* address = static_cast<float*>(gradients.address);
    const float first = fixed ? read(gradients)[0] : 0;
    CHECK(aclrtFree(gradients.take()));
    std::printf("%g\n", fixed ? first : *static_cast<volatile float*>(address));
}

// A tensor over host memory.
// finds: host.host-pointer-given
PROGRAM(host_pointer_in_a_tensor) {
    Session session;
    Gradients gradients;
    Result result;
    Upsample upsample(fixed ? gradients.address : const_cast<float*>(kGradients), result.address);
    if (!worked(upsample.phase1())) return;
    CHECK(upsample.phase2(session.stream));
    wait(session.stream);
    read(result);
}

// A tensor over memory of aclrtMallocHost, which is host memory, too.
// finds: host.host-pointer-given
PROGRAM(pinned_host_memory_in_a_tensor) {
    Session session;
    Gradients gradients;
    Result result;
    void* pinned = nullptr;
    CHECK(aclrtMallocHost(&pinned, kGradientBytes));
    std::memcpy(pinned, kGradients, kGradientBytes);
    Upsample upsample(fixed ? gradients.address : pinned, result.address);
    if (worked(upsample.phase1())) {
        CHECK(upsample.phase2(session.stream));
        wait(session.stream);
        read(result);
    }
    CHECK(aclrtFreeHost(pinned));
}

// A copy in the wrong direction: the host's array is taken for the device's.
// finds: host.host-pointer-given
PROGRAM(copy_in_the_wrong_direction) {
    Session session;
    Block block(kGradientBytes);
    float values[16] = {1};
    const aclrtMemcpyKind kind = fixed ? ACL_MEMCPY_HOST_TO_DEVICE : ACL_MEMCPY_DEVICE_TO_DEVICE;
    worked(aclrtMemcpy(block.address, kGradientBytes, values, sizeof values, kind));
}

// A host array is cleared with aclrtMemset.
// finds: host.host-pointer-given
PROGRAM(memset_of_host_memory) {
    Session session;
    float values[16] = {1};
    if (fixed) std::memset(values, 0, sizeof values);
    if (!fixed) worked(aclrtMemset(values, sizeof values, 0, sizeof values));
    std::printf("%g\n", values[0]);
}
