// aclrtMemcpy, aclrtMemset and their relatives: check both ends, then copy now or queue the copy.
#include <algorithm>
#include <cstring>

#include "acl/acl_rt.h"
#include "runtime/context.h"
#include "runtime/interpreter.h"
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
    char* source;  // only read
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
// Moves the address to where the data are.
Failure hold(const char* name, Side side, size_t bytes, const Lock& lock, Held* held, char** address) {
    std::shared_ptr<MemoryBlock> block = block_holding(*address, lock);
    if (side == Side::either) side = block != nullptr && block->device() != kHost ? Side::device : Side::host;
    if (side == Side::device) {
        if (Failure failure = find_range(name, *address, bytes, kAnyDevice, lock, &block)) return failure;
    } else if (block == nullptr) {
        return {};
    } else if (block->device() != kHost) {
        if (check::on) check::will_refuse(check::Id::use_wrong_kind, *address);
        return refuse(ACL_ERROR_RT_PARAM_INVALID, name, " ", static_cast<void*>(*address),
                      " is device memory, but kind says host, expected host memory; choose the kind that "
                      "fits both addresses");
    } else if (block->bytes_from(*address) < bytes) {
        if (check::on) check::will_refuse(check::Id::bounds_copy_beyond_block, *address);
        return refuse(ACL_ERROR_RT_PARAM_INVALID, name, " needs ", bytes, " bytes from ", static_cast<void*>(*address),
                      ", expected at most ", block->bytes_from(*address),
                      ", what its block has there; allocate a larger block");
    }
    *address = block->data_at(*address);
    held->push_back(std::move(block));
    return {};
}

// Moves both addresses to where the data are.
Failure check_copy(int kind, int kinds, Copy* copy, Held* held) {
    Sides sides;
    if (Failure failure = sides_of(kind, kinds, &sides)) return failure;
    const Lock lock = lock_runtime();
    std::shared_ptr<Context> context;
    if (Failure failure = current_context(lock, &context)) return failure;
    if (Failure failure = hold("dst", sides.destination, copy->destination_bytes(), lock, held, &copy->destination))
        return failure;
    return hold("src", sides.source, copy->source_bytes(), lock, held, &copy->source);
}

// What check mode learns of a copy; a memset, or a copy from a buffer, has no source.
void note_copy(const Copy& copy, const Stream* stream, const Lock& lock) {
    const auto rows = [&](const char* address, size_t pitch) -> check::Rows {
        if (block_holding(address, lock) == nullptr) return {};
        return {address, pitch, copy.width, copy.height};
    };
    const check::Rows destination = rows(copy.destination, copy.destination_pitch);
    if (copy.source == nullptr)
        check::filled(destination, stream, lock);
    else
        check::copied(destination, rows(copy.source, copy.source_pitch), stream, lock);
}

Failure check_addresses(const void* dst, const void* src) {
    if (dst != nullptr && src != nullptr) return {};
    return refuse(ACL_ERROR_INVALID_PARAM, dst == nullptr ? "dst" : "src",
                  " is null, expected an address; allocate the memory first, and check the status of that call");
}

Failure check_count(size_t count, size_t most, const char* most_name) {
    if (count <= most) return {};
    if (check::on) check::will_refuse(check::Id::bounds_copy_beyond_block);
    return refuse(ACL_ERROR_RT_PARAM_INVALID, "count is ", count, " bytes, expected at most ", most_name, " = ", most,
                  "; set ", most_name, " to the size of the destination, or lower count");
}

Failure check_pitches(size_t dpitch, size_t spitch, size_t width, size_t height) {
    size_t bytes = 0;
    if (check::on && (width > dpitch || width > spitch)) check::will_refuse(check::Id::bounds_copy_beyond_block);
    if (width > dpitch || width > spitch)
        return refuse(ACL_ERROR_RT_PARAM_INVALID, "width is ", width, " bytes, expected at most dpitch (", dpitch,
                      ") and spitch (", spitch, "); copy narrower rows, or correct the pitches");
    if (__builtin_mul_overflow(std::max(dpitch, spitch), height, &bytes))
        return refuse(ACL_ERROR_RT_PARAM_INVALID, "height is ", height, ", too large for any memory; correct it");
    return {};
}

// Memory of the caller's own has no block. It is the calling thread's until the call returns.
HostUser user_of(const Held& held) { return held.size() < 2 ? this_thread_as_host_user() : HostUser{}; }

Failure run_for(const HostUser& user, const Copy& data) {
    const HostAccess access(user);
    if (!access.failure()) data.run();
    return access.failure();
}

// Queues `work`, which uses the held blocks and is what `copy` says.
Failure queue(aclrtStream handle, Held held, const Copy& copy, std::function<void()> work, bool finish = false) {
    Task task{[held = std::move(held), work = std::move(work)] {
        if (Failure failure = still_owned(held)) return failure;
        work();
        return still_owned(held);
    }};
    Lock lock = lock_runtime();
    std::shared_ptr<Stream> stream;
    if (Failure failure = find_stream(handle, lock, &stream)) return failure;
    if (Failure failure = stream->push(std::move(task), lock)) return failure;
    if (check::on) note_copy(copy, stream.get(), lock);
    if (finish) stream->finish(lock);
    return {};
}

// This kind promises that the source may change as soon as the call returns.
Failure queue_buffered(const Copy& copy, Copy data, Held held, const HostUser& user, aclrtStream stream) {
    std::shared_ptr<std::vector<char>> buffer;
    {
        const HostAccess access(user);
        if (access.failure()) return linger(access.failure());
        buffer = std::make_shared<std::vector<char>>(data.source, data.source + data.source_bytes());
    }
    data.source = buffer->data();
    Copy rest = copy;
    rest.source = nullptr;  // it has been read already
    return queue(stream, std::move(held), rest, [data, buffer] { data.run(); });
}

// Like the device, it returns after the copy when one end is ordinary memory: the caller may free that right away.
// Check mode does not count on it, as not all releases do so.
Failure queue_copy(const Copy& copy, int kind, aclrtStream stream) {
    Held held;
    Copy data = copy;
    if (Failure failure = check_copy(kind, kKindsOfMemcpyAsync, &data, &held)) return failure;
    const bool is_ordinary = held.size() < 2;
    const HostUser user = user_of(held);
    if (kind == ACL_MEMCPY_HOST_TO_BUF_TO_DEVICE) return queue_buffered(copy, data, std::move(held), user, stream);
    const auto work = [data, user] { run_for(user, data); };  // or leaves it out: that is no failure of the stream
    if (Failure failure = queue(stream, std::move(held), copy, work, is_ordinary)) return failure;
    if (Failure failure = host_memory_gone(user, lock_runtime())) return linger(std::move(failure));
    return {};
}

Failure run_copy(const Copy& copy, int kind) {
    Held held;
    Copy data = copy;
    if (Failure failure = check_copy(kind, kKindsOfMemcpy, &data, &held)) return failure;
    if (check::on) note_copy(copy, nullptr, lock_runtime());
    if (Failure failure = run_for(user_of(held), data)) return linger(std::move(failure));
    return {};
}

Copy rows(void* dst, size_t dpitch, const void* src, size_t spitch, size_t width, size_t height) {
    return {static_cast<char*>(dst), dpitch, static_cast<char*>(const_cast<void*>(src)), spitch, width, height};
}

Copy one_row(void* dst, const void* src, size_t count) { return rows(dst, count, src, count, count, 1); }

// Moves the address to where the data are.
Failure check_memset(size_t most, size_t count, Held* held, char** address) {
    if (*address == nullptr)
        return refuse(ACL_ERROR_INVALID_PARAM,
                      "devPtr is null, expected an address; allocate the block with aclrtMalloc first");
    if (Failure failure = check_count(count, most, "maxCount")) return failure;
    const Lock lock = lock_runtime();
    std::shared_ptr<Context> context;
    if (Failure failure = current_context(lock, &context)) return failure;
    return hold("devPtr", Side::device, count, lock, held, address);
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
        char* data = static_cast<char*>(devPtr);
        if (Failure failure = check_memset(maxCount, count, &held, &data)) return failure;
        if (check::on) note_copy(one_row(devPtr, nullptr, count), nullptr, lock_runtime());
        std::memset(data, value, count);
        return {};
    });
}

aclError aclrtMemsetAsync(void* devPtr, size_t maxCount, int32_t value, size_t count, aclrtStream stream) {
    return answer(__func__, [&]() -> Failure {
        Held held;
        char* data = static_cast<char*>(devPtr);
        if (Failure failure = check_memset(maxCount, count, &held, &data)) return failure;
        return queue(stream, std::move(held), one_row(devPtr, nullptr, count),
                     [=] { std::memset(data, value, count); });
    });
}
