// aclrtMemcpy, aclrtMemset and their relatives: check both ends, then copy now or queue the copy.
#include <algorithm>
#include <cstring>

#include "acl/acl_rt.h"
#include "runtime/context.h"
#include "runtime/memory.h"
#include "runtime/stream.h"

namespace acltwin {
namespace {

enum class Side { host, device, either };

struct Sides {
    Side destination = Side::either, source = Side::either;
};

constexpr int kKindsOfMemcpy = 6, kKindsOfMemcpyAsync = 8;

// Rows of `width` bytes; a plain copy is one row.
struct Copy {
    char* destination;
    size_t destination_pitch;
    const char* source;
    size_t source_pitch;
    size_t width, height;

    size_t destination_bytes() const { return (height - 1) * destination_pitch + width; }
    size_t source_bytes() const { return (height - 1) * source_pitch + width; }

    void run() const {
        for (size_t row = 0; row < height; ++row)
            std::memmove(destination + row * destination_pitch, source + row * source_pitch, width);
    }
};

using Held = std::vector<std::shared_ptr<MemoryBlock>>;

Failure sides_of(int kind, int kinds, Sides* sides) {
    static constexpr Sides kSides[] = {
        {Side::host, Side::host},     {Side::device, Side::host},   {Side::host, Side::device},
        {Side::device, Side::device}, {Side::either, Side::either}, {Side::device, Side::host},
        {Side::device, Side::device}, {Side::device, Side::device},
    };
    if (kind < 0 || kind >= kinds)
        return refuse(ACL_ERROR_INVALID_PARAM, "kind is ", kind, ", expected 0 to ", kinds - 1,
                      " (an aclrtMemcpyKind); use ACL_MEMCPY_HOST_TO_DEVICE, for example");
    *sides = kSides[kind];
    return {};
}

// A device range must lie in a block. A host range is the caller's own, unless it is known to be something else.
Failure hold(const char* name, Side side, const void* address, size_t bytes, const Lock& lock, Held* held) {
    std::shared_ptr<MemoryBlock> block = block_holding(address, lock);
    if (side == Side::either) side = block != nullptr && block->device() != kHost ? Side::device : Side::host;
    if (side == Side::device) {
        if (Failure failure = find_range(name, address, bytes, kAnyDevice, lock, &block)) return failure;
    } else if (block == nullptr) {
        return {};
    } else if (block->device() != kHost) {
        return refuse(
            ACL_ERROR_RT_PARAM_INVALID, name, " ", address,
            " is device memory, but kind says host, which could not read it on a device; choose the kind that "
            "fits both addresses");
    } else if (block->bytes_from(address) < bytes) {
        return refuse(ACL_ERROR_RT_PARAM_INVALID, name, " needs ", bytes, " bytes from ", address, ", its block has ",
                      block->bytes_from(address), "; allocate a larger block");
    }
    held->push_back(std::move(block));
    return {};
}

Failure check_copy(const Copy& copy, int kind, int kinds, Held* held) {
    Sides sides;
    if (Failure failure = sides_of(kind, kinds, &sides)) return failure;
    const Lock lock = lock_runtime();
    std::shared_ptr<Context> context;
    if (Failure failure = current_context(lock, &context)) return failure;
    if (Failure failure = hold("dst", sides.destination, copy.destination, copy.destination_bytes(), lock, held))
        return failure;
    return hold("src", sides.source, copy.source, copy.source_bytes(), lock, held);
}

Failure check_addresses(const void* dst, const void* src) {
    if (dst != nullptr && src != nullptr) return {};
    return refuse(ACL_ERROR_INVALID_PARAM, dst == nullptr ? "dst" : "src",
                  " is null, expected an address; allocate the memory first, and check the status of that call");
}

Failure check_count(size_t count, size_t most, const char* most_name) {
    if (count <= most) return {};
    return refuse(ACL_ERROR_RT_PARAM_INVALID, "count is ", count, " bytes, ", most_name, " is ", most,
                  "; copy no more than the destination holds");
}

Failure check_pitches(size_t dpitch, size_t spitch, size_t width, size_t height) {
    size_t bytes = 0;
    if (width > dpitch || width > spitch)
        return refuse(ACL_ERROR_RT_PARAM_INVALID, "width is ", width, " bytes, expected at most dpitch (", dpitch,
                      ") and spitch (", spitch, "); copy narrower rows, or correct the pitches");
    if (__builtin_mul_overflow(std::max(dpitch, spitch), height, &bytes))
        return refuse(ACL_ERROR_RT_PARAM_INVALID, "height is ", height, ", too large for any memory; correct it");
    return {};
}

// Queues `work`, which uses the held blocks.
Failure queue(aclrtStream handle, Held held, std::function<void()> work) {
    Task task{[held = std::move(held), work = std::move(work)] {
        if (Failure failure = still_owned(held)) return failure;
        work();
        return still_owned(held);
    }};
    const Lock lock = lock_runtime();
    std::shared_ptr<Stream> stream;
    if (Failure failure = find_stream(handle, lock, &stream)) return failure;
    return stream->push(std::move(task), lock);
}

Failure queue_copy(Copy copy, int kind, aclrtStream stream) {
    Held held;
    if (Failure failure = check_copy(copy, kind, kKindsOfMemcpyAsync, &held)) return failure;
    if (kind != ACL_MEMCPY_HOST_TO_BUF_TO_DEVICE) return queue(stream, std::move(held), [copy] { copy.run(); });
    // This kind promises that the source may change as soon as the call returns.
    auto buffer = std::make_shared<std::vector<char>>(copy.source, copy.source + copy.source_bytes());
    copy.source = buffer->data();
    return queue(stream, std::move(held), [copy, buffer] { copy.run(); });
}

Failure run_copy(const Copy& copy, int kind) {
    Held held;
    if (Failure failure = check_copy(copy, kind, kKindsOfMemcpy, &held)) return failure;
    copy.run();
    return {};
}

Copy one_row(void* dst, const void* src, size_t count) {
    return {static_cast<char*>(dst), count, static_cast<const char*>(src), count, count, 1};
}

Copy rows(void* dst, size_t dpitch, const void* src, size_t spitch, size_t width, size_t height) {
    return {static_cast<char*>(dst), dpitch, static_cast<const char*>(src), spitch, width, height};
}

Failure check_memset(void* address, size_t most, size_t count, Held* held) {
    if (address == nullptr)
        return refuse(ACL_ERROR_INVALID_PARAM,
                      "devPtr is null, expected an address; allocate the block with aclrtMalloc first");
    if (Failure failure = check_count(count, most, "maxCount")) return failure;
    const Lock lock = lock_runtime();
    std::shared_ptr<Context> context;
    if (Failure failure = current_context(lock, &context)) return failure;
    return hold("devPtr", Side::device, address, count, lock, held);
}

}  // namespace
}  // namespace acltwin

using namespace acltwin;

// Enumerations come from C and may hold any value: they are read as numbers from the start.
aclError aclrtMemcpy(void* dst, size_t destMax, const void* src, size_t count, aclrtMemcpyKind kind) {
    return answer(__func__, [&, kind = int(kind)]() -> Failure {
        if (count == 0) return {};
        if (Failure failure = check_addresses(dst, src)) return failure;
        if (Failure failure = check_count(count, destMax, "destMax")) return failure;
        return run_copy(one_row(dst, src, count), kind);
    });
}

aclError aclrtMemcpyAsync(void* dst, size_t destMax, const void* src, size_t count, aclrtMemcpyKind kind,
                          aclrtStream stream) {
    return answer(__func__, [&, kind = int(kind)]() -> Failure {
        if (count == 0) return {};
        if (Failure failure = check_addresses(dst, src)) return failure;
        if (Failure failure = check_count(count, destMax, "destMax")) return failure;
        return queue_copy(one_row(dst, src, count), kind, stream);
    });
}

aclError aclrtMemcpy2d(void* dst, size_t dpitch, const void* src, size_t spitch, size_t width, size_t height,
                       aclrtMemcpyKind kind) {
    return answer(__func__, [&, kind = int(kind)]() -> Failure {
        if (width == 0 || height == 0) return {};
        if (Failure failure = check_addresses(dst, src)) return failure;
        if (Failure failure = check_pitches(dpitch, spitch, width, height)) return failure;
        return run_copy(rows(dst, dpitch, src, spitch, width, height), kind);
    });
}

aclError aclrtMemcpy2dAsync(void* dst, size_t dpitch, const void* src, size_t spitch, size_t width, size_t height,
                            aclrtMemcpyKind kind, aclrtStream stream) {
    return answer(__func__, [&, kind = int(kind)]() -> Failure {
        if (width == 0 || height == 0) return {};
        if (Failure failure = check_addresses(dst, src)) return failure;
        if (Failure failure = check_pitches(dpitch, spitch, width, height)) return failure;
        return queue_copy(rows(dst, dpitch, src, spitch, width, height), kind, stream);
    });
}

aclError aclrtMemset(void* devPtr, size_t maxCount, int32_t value, size_t count) {
    return answer(__func__, [&]() -> Failure {
        Held held;
        if (Failure failure = check_memset(devPtr, maxCount, count, &held)) return failure;
        std::memset(devPtr, value, count);
        return {};
    });
}

aclError aclrtMemsetAsync(void* devPtr, size_t maxCount, int32_t value, size_t count, aclrtStream stream) {
    return answer(__func__, [&]() -> Failure {
        Held held;
        if (Failure failure = check_memset(devPtr, maxCount, count, &held)) return failure;
        return queue(stream, std::move(held), [=] { std::memset(devPtr, value, count); });
    });
}
