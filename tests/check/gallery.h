// What the programs of the gallery share, so that each shows little but its mistake.
//
// A program is a function with a line "// finds: ..." above it: what check mode must report, and nothing else. `fixed`
// asks for the same program without the mistake, which must give no finding at all.
#ifndef ACLTWIN_TESTS_CHECK_GALLERY_H
#define ACLTWIN_TESTS_CHECK_GALLERY_H

#include <cstring>
#include <map>
#include <string>
#include <utility>

#include "acl_session.h"
#include "aclnnop/aclnn_max_pool3d_with_argmax_backward.h"
#include "aclnnop/aclnn_upsample_nearest_3d.h"
#include "aclnnop/aclnn_upsample_nearest_3d_backward.h"

typedef void (*Program)(bool fixed);

inline std::map<std::string, Program>& programs() {
    static std::map<std::string, Program> listed;
    return listed;
}

struct Listed {
    Listed(const char* name, Program program) { programs()[name] = program; }
};

#define PROGRAM(name)                               \
    static void name(bool fixed);                   \
    static const Listed listed_##name(#name, name); \
    static void name(bool fixed)

// A block on the device, freed at the end unless it was taken.
struct Block {
    void* address;
    size_t bytes;

    // Nothing is written into it.
    explicit Block(size_t bytes) : address(nullptr), bytes(bytes) {
        CHECK(aclrtMalloc(&address, bytes, ACL_MEM_MALLOC_HUGE_FIRST));
    }
    Block(const void* data, size_t bytes) : address(nullptr), bytes(bytes) {
        CHECK(aclrtMalloc(&address, bytes, ACL_MEM_MALLOC_HUGE_FIRST));
        CHECK(aclrtMemcpy(address, bytes, data, bytes, ACL_MEMCPY_HOST_TO_DEVICE));
    }
    ~Block() {
        if (address != nullptr) aclrtFree(address);
    }
    Block(const Block&) = delete;
    Block& operator=(const Block&) = delete;

    // The caller frees it.
    void* take() {
        void* taken = address;
        address = nullptr;
        return taken;
    }
};

// 16 gradients, and the room for the 2 cells that they flow into.
static const float kGradients[16] = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15};
static const size_t kGradientBytes = sizeof kGradients, kResultBytes = 2 * sizeof(float);

struct Gradients : Block {
    Gradients() : Block(kGradients, kGradientBytes) {}
};

struct Result : Block {
    Result() : Block(kResultBytes) {}
};

inline aclTensor* describe(const std::vector<int64_t>& shape, aclDataType type, void* data) {
    return aclCreateTensor(shape.data(), shape.size(), type, nullptr, 0, ACL_FORMAT_NCDHW, shape.data(), shape.size(),
                           data);
}

struct Tensor {
    aclTensor* handle;
    explicit Tensor(aclTensor* handle) : handle(handle) {}
    Tensor(const std::vector<int64_t>& shape, aclDataType type, void* data) : handle(describe(shape, type, data)) {}
    ~Tensor() {
        if (handle != nullptr) aclDestroyTensor(handle);
    }
    Tensor(const Tensor&) = delete;
    Tensor& operator=(const Tensor&) = delete;
};

// The gradient of doubling a 1x1x2 volume: 16 floats in, 2 out, no workspace.
struct Upsample {
    Tensor grad_out, grad_input;
    IntArray output_size, input_size;
    aclOpExecutor* executor;
    uint64_t workspace_size;

    Upsample(void* gradients, void* result) : Upsample(describe({1, 1, 2, 2, 4}, ACL_FLOAT, gradients), result) {}
    Upsample(aclTensor* gradients, void* result)
        : grad_out(gradients),
          grad_input({1, 1, 1, 1, 2}, ACL_FLOAT, result),
          output_size({2, 2, 4}),
          input_size({1, 1, 1, 1, 2}),
          executor(nullptr),
          workspace_size(0) {}

    aclnnStatus phase1() {
        return aclnnUpsampleNearest3dBackwardGetWorkspaceSize(grad_out.handle, output_size.handle, input_size.handle,
                                                              2.0, 2.0, 2.0, grad_input.handle, &workspace_size,
                                                              &executor);
    }
    aclnnStatus phase2(aclrtStream stream) { return aclnnUpsampleNearest3dBackward(nullptr, 0, executor, stream); }

    void launch(aclrtStream stream) {
        CHECK(phase1());
        CHECK(phase2(stream));
    }
};

// The gradient of pooling 2x2x2 cells into one: it needs a workspace.
struct Pool {
    Block gradient, image, indices;
    Tensor grad_out, self, where, grad_input;
    IntArray kernel, stride, padding, dilation;
    aclOpExecutor* executor;
    uint64_t workspace_size;

    explicit Pool(void* result)
        : gradient(kGradients + 1, sizeof(float)),
          image(kGradients, 8 * sizeof(float)),
          indices("\7\0\0", sizeof(int32_t)),
          grad_out({1, 1, 1, 1, 1}, ACL_FLOAT, gradient.address),
          self({1, 1, 2, 2, 2}, ACL_FLOAT, image.address),
          where({1, 1, 1, 1, 1}, ACL_INT32, indices.address),
          grad_input({1, 1, 2, 2, 2}, ACL_FLOAT, result),
          kernel({2, 2, 2}),
          stride({2, 2, 2}),
          padding({0, 0, 0}),
          dilation({1, 1, 1}),
          executor(nullptr),
          workspace_size(0) {
        CHECK(aclnnMaxPool3dWithArgmaxBackwardGetWorkspaceSize(
            grad_out.handle, self.handle, where.handle, kernel.handle, stride.handle, padding.handle, dilation.handle,
            false, grad_input.handle, &workspace_size, &executor));
    }
    aclnnStatus phase2(void* workspace, uint64_t size, aclrtStream stream) {
        return aclnnMaxPool3dWithArgmaxBackward(workspace, size, executor, stream);
    }
};
static const size_t kPoolResultBytes = 8 * sizeof(float);

struct Stream {
    aclrtStream handle;
    Stream() : handle(nullptr) { CHECK(aclrtCreateStream(&handle)); }
    ~Stream() {
        if (handle != nullptr) aclrtDestroyStream(handle);
    }
    Stream(const Stream&) = delete;
    Stream& operator=(const Stream&) = delete;
};

struct Event {
    aclrtEvent handle;
    Event() : handle(nullptr) { CHECK(aclrtCreateEvent(&handle)); }
    ~Event() {
        if (handle != nullptr) aclrtDestroyEvent(handle);
    }
    Event(const Event&) = delete;
    Event& operator=(const Event&) = delete;
};

// For threads other than the first.
struct OnDevice {
    OnDevice() { CHECK(aclrtSetDevice(0)); }
    ~OnDevice() { aclrtResetDevice(0); }
};

inline void wait(aclrtStream stream) { CHECK(aclrtSynchronizeStream(stream)); }

// For calls that a mistake lets fail: says so, and the program goes on.
inline bool worked(int status) {
    if (status == ACL_SUCCESS) return true;
    const char* message = aclGetRecentErrMsg();
    std::printf("status %d: %s\n", status, message != nullptr ? message : "no message");
    return false;
}

// Copies a block to the host.
inline std::vector<float> read(const void* block, size_t bytes) {
    std::vector<float> seen(bytes / sizeof(float));
    worked(aclrtMemcpy(seen.data(), bytes, block, bytes, ACL_MEMCPY_DEVICE_TO_HOST));
    return seen;
}
inline std::vector<float> read(const Block& block) { return read(block.address, block.bytes); }

#endif
