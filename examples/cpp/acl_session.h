// What every example needs: a check that explains failures, a device with a stream, tensors with their blocks.
#pragma once

#include <cstdio>
#include <cstdlib>
#include <vector>

#include "acl/acl.h"
#include "aclnn/aclnn_base.h"

inline void check(int status, const char* what) {
    if (status == ACL_SUCCESS) return;
    const char* message = aclGetRecentErrMsg();
    std::fprintf(stderr, "%s gave %d: %s\n", what, status, message != nullptr ? message : "no message");
    std::exit(1);
}
#define CHECK(call) check((call), #call)

struct Session {
    aclrtStream stream;

    Session() : stream(nullptr) {
        CHECK(aclInit(nullptr));
        CHECK(aclrtSetDevice(0));
        CHECK(aclrtCreateStream(&stream));
    }
    ~Session() {
        aclrtDestroyStream(stream);
        aclrtResetDevice(0);
        aclFinalize();
    }
    Session(const Session&) = delete;
    Session& operator=(const Session&) = delete;
};

// A contiguous tensor and its block on the device.
template <class Element>
struct DeviceTensor {
    std::vector<int64_t> shape;
    size_t count;
    void* block;
    aclTensor* handle;

    DeviceTensor(const std::vector<Element>& values, const std::vector<int64_t>& shape, aclDataType type,
                 aclFormat format)
        : shape(shape), count(values.size()), block(nullptr), handle(nullptr) {
        const size_t bytes = count * sizeof(Element);
        CHECK(aclrtMalloc(&block, bytes, ACL_MEM_MALLOC_HUGE_FIRST));
        CHECK(aclrtMemcpy(block, bytes, values.data(), bytes, ACL_MEMCPY_HOST_TO_DEVICE));
        handle =
            aclCreateTensor(shape.data(), shape.size(), type, nullptr, 0, format, shape.data(), shape.size(), block);
    }
    ~DeviceTensor() {
        aclDestroyTensor(handle);
        aclrtFree(block);
    }
    DeviceTensor(const DeviceTensor&) = delete;
    DeviceTensor& operator=(const DeviceTensor&) = delete;

    std::vector<Element> values() const {
        std::vector<Element> host(count);
        const size_t bytes = count * sizeof(Element);
        CHECK(aclrtMemcpy(host.data(), bytes, block, bytes, ACL_MEMCPY_DEVICE_TO_HOST));
        return host;
    }
};

struct IntArray {
    aclIntArray* handle;
    explicit IntArray(const std::vector<int64_t>& values) : handle(aclCreateIntArray(values.data(), values.size())) {}
    ~IntArray() { aclDestroyIntArray(handle); }
    IntArray(const IntArray&) = delete;
    IntArray& operator=(const IntArray&) = delete;
};

// Phase 2: the workspace that phase 1 asked for, the call, and waiting for it, which is when failures of the kernel
// show.
inline aclError run(aclnnStatus (*phase2)(void*, uint64_t, aclOpExecutor*, aclrtStream), uint64_t workspace_size,
                    aclOpExecutor* executor, aclrtStream stream) {
    void* workspace = nullptr;
    if (workspace_size > 0) CHECK(aclrtMalloc(&workspace, workspace_size, ACL_MEM_MALLOC_HUGE_FIRST));
    CHECK(phase2(workspace, workspace_size, executor, stream));
    const aclError status = aclrtSynchronizeStream(stream);
    if (workspace_size > 0) CHECK(aclrtFree(workspace));
    return status;
}

inline void print(const char* name, const std::vector<float>& values) {
    std::printf("%s:", name);
    for (float value : values) std::printf(" %g", value);
    std::printf("\n");
}
