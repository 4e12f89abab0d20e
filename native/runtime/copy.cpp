// aclrtMemcpy, aclrtMemset and their relatives.
#include "runtime/copy.h"

#include <algorithm>
#include <cstring>
#include <utility>

#include "runtime/callbacks.h"
#include "runtime/capture.h"
#include "runtime/context.h"
#include "runtime/peer.h"

namespace acltwin {
namespace {

constexpr int kKindsOfMemcpy = 6, kKindsOfMemcpyAsync = 8;

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
    if (side == Side::device && (block == nullptr || block->device() == kHost)) {
        if (check::on) check::will_refuse(check::Id::host_host_pointer_given, *address);
        return refuse_by("device_address", ACL_ERROR_RT_PARAM_INVALID, name, " ", static_cast<void*>(*address),
                         block == nullptr ? " is in no live device block" : " is host memory",
                         ", but kind says device, expected device memory; choose the kind that fits both addresses, or "
                         "allocate it with aclrtMalloc");
    }
    if (side == Side::device) return find_range(name, *address, bytes, kAnyDevice, lock, held, address);
    if (block == nullptr) return {};
    if (block->device() != kHost) {
        if (check::on) check::will_refuse(check::Id::use_wrong_kind, *address);
        return refuse(ACL_ERROR_RT_PARAM_INVALID, name, " ", static_cast<void*>(*address),
                      " is device memory, but kind says host, expected host memory; choose the kind that "
                      "fits both addresses");
    }
    const size_t available = bytes_from(block, *address, bytes, lock);
    if (available < bytes) {
        if (check::on) check::will_refuse(check::Id::bounds_copy_beyond_block, *address);
        return refuse(ACL_ERROR_RT_PARAM_INVALID, name, " needs ", bytes, " bytes from ", static_cast<void*>(*address),
                      ", expected at most ", block->asked_of(available),
                      ", which its block has there; allocate a larger block");
    }
    *address = block->data_at(*address);
    held->push_back(std::move(block));
    return {};
}

check::Rows source_rows(const Copy& copy) { return {copy.source, copy.source_pitch, copy.width, copy.height}; }

int device_holding(const void* address, const Lock& lock) {
    const auto block = block_holding(address, lock);
    return block != nullptr ? block->device() : kHost;
}

bool is_reached(int device, const Stream& stream, const Lock& lock) {
    return device == kHost || has_peer_access(stream.device(), device, lock) ||
           has_peer_access(device, stream.device(), lock);
}

// What check mode learns of a copy; a memset, or a copy from a buffer, has no source.
void note_copy(const Copy& copy, const Stream* stream, const Lock& lock) {
    const check::Rows destination = {copy.destination, copy.destination_pitch, copy.width, copy.height};
    const int to = device_holding(copy.destination, lock), from = device_holding(copy.source, lock);
    if (to != kHost && from != kHost && !has_peer_access(from, to, lock))
        check::copied_without_access(copy.source, from, to, lock);
    else if (stream != nullptr && !is_reached(to, *stream, lock))
        check::used_on_another_device(copy.destination, *stream, lock);
    else if (stream != nullptr && !is_reached(from, *stream, lock))
        check::used_on_another_device(copy.source, *stream, lock);
    if (copy.source == nullptr)
        check::filled(destination, stream, lock);
    else
        check::copied(destination, source_rows(copy), stream, lock);
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

// Queues `work`, which uses the held blocks and is what `copy` says, in the name of `function`.
Failure queue(const char* function, aclrtStream handle, Held held, const Copy& copy, std::function<void()> work,
              bool finish = false) {
    Task task;
    task.name = function;
    task.held = std::move(held);
    task.run = [work = std::move(work)](Stream&) {
        work();
        return Failure{};
    };
    if (check::on) task.note = [copy](const Stream& on, const Lock& lock) { note_copy(copy, &on, lock); };
    Lock lock = lock_runtime();
    std::shared_ptr<Stream> stream;
    if (Failure failure = find_stream(handle, lock, &stream)) return failure;
    if (Failure failure = finish ? check_not_inside(*stream) : Failure{}) return failure;
    if (Failure failure = finish ? refuse_ordinary_memory(*stream, lock) : Failure{}) return failure;
    if (Failure failure = stream->push(std::move(task), lock)) return failure;
    if (finish) stream->finish(lock);
    return {};
}

// This kind promises that the source may change as soon as the call returns.
Failure queue_buffered(const char* function, FoundCopy copy, aclrtStream stream) {
    std::shared_ptr<std::vector<char>> buffer;
    {
        const BlockUse use(copy.held);
        const HostAccess access(copy.user);
        if (access.failure()) return linger(access.failure());
        if (Failure failure = use.failure()) return failure;
        if (check::on) check::copied({}, source_rows(copy.asked), nullptr, lock_runtime());
        buffer = std::make_shared<std::vector<char>>(copy.data.source_bytes());
        Copy whole = one_row(buffer->data(), copy.data.source, buffer->size());
        whole.is_guarded = std::exchange(copy.data.is_guarded, false);
        whole.run();
    }
    copy.data.source = buffer->data();
    copy.asked.source = nullptr;  // it has been read already
    return queue(function, stream, std::move(copy.held), copy.asked, [data = copy.data, buffer] { data.run(); });
}

Failure find_copy_of_kind(const Copy& copy, int kind, int kinds, FoundCopy* found) {
    Sides sides;
    if (Failure failure = sides_of(kind, kinds, &sides)) return failure;
    return find_copy(copy, sides, lock_runtime(), found);
}

Failure copy_now(const Copy& copy, int kind) {
    FoundCopy found;
    if (Failure failure = find_copy_of_kind(copy, kind, kKindsOfMemcpy, &found)) return failure;
    return run_copy(found);
}

Failure copy_later(const char* function, const Copy& copy, int kind, aclrtStream stream) {
    FoundCopy found;
    if (Failure failure = find_copy_of_kind(copy, kind, kKindsOfMemcpyAsync, &found)) return failure;
    if (kind == ACL_MEMCPY_HOST_TO_BUF_TO_DEVICE) return queue_buffered(function, std::move(found), stream);
    return queue_copy(function, std::move(found), stream);
}

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

void Copy::run() const {
    for (size_t row = 0; row < height; ++row) {
        char* const to = destination + row * destination_pitch;
        const char* const from = source + row * source_pitch;
        if (is_guarded)
            check::move_bytes(to, from, width);
        else
            std::memmove(to, from, width);
    }
}

Copy rows(void* dst, size_t dpitch, const void* src, size_t spitch, size_t width, size_t height) {
    return {static_cast<char*>(dst), dpitch, static_cast<char*>(const_cast<void*>(src)), spitch, width, height};
}

Copy one_row(void* dst, const void* src, size_t count) { return rows(dst, count, src, count, count, 1); }

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

Failure find_copy(const Copy& copy, const Sides& sides, const Lock& lock, FoundCopy* found) {
    std::shared_ptr<Context> context;
    if (Failure failure = current_context(lock, &context)) return failure;
    found->asked = found->data = copy;
    if (Failure failure =
            hold("dst", sides.destination, copy.destination_bytes(), lock, &found->held, &found->data.destination))
        return failure;
    const size_t ends = found->held.size();
    if (Failure failure = hold("src", sides.source, copy.source_bytes(), lock, &found->held, &found->data.source))
        return failure;
    for (const auto& block : found->held) found->data.is_guarded |= check::on && block->device() == kHost;
    found->is_ordinary = ends == 0 || found->held.size() == ends;
    // It is the calling thread's until the call returns.
    if (found->is_ordinary) found->user = this_thread_as_host_user();
    return {};
}

Failure FoundCopy::run_now() const {
    const HostAccess access(user);
    if (!access.failure()) data.run();
    return access.failure();
}

// Like the device, it returns after the copy when one end is ordinary memory: the caller may free that right away.
// Check mode does not count on it, as not all releases do so.
Failure queue_copy(const char* function, FoundCopy copy, aclrtStream stream) {
    const HostUser user = copy.user;
    const bool is_ordinary = copy.is_ordinary;
    const Copy asked = copy.asked;
    Held held = copy.held;
    const auto work = [copy = std::move(copy)] { copy.run_now(); };  // or leaves it out: no failure of the stream
    if (Failure failure = queue(function, stream, std::move(held), asked, work, is_ordinary)) return failure;
    if (Failure failure = host_memory_gone(user, lock_runtime())) return linger(std::move(failure));
    return {};
}

Failure run_copy(const FoundCopy& copy) {
    if (Failure failure = refuse_unsafe(lock_runtime())) return failure;
    const BlockUse use(copy.held);
    if (Failure failure = use.failure()) return failure;
    if (check::on) note_copy(copy.asked, nullptr, lock_runtime());
    if (Failure failure = copy.run_now()) return linger(std::move(failure));
    return {};
}

}  // namespace acltwin

using namespace acltwin;

// Enumerations come from C and may hold any value: they are read as numbers from the start.
aclError aclrtMemcpy(void* dst, size_t destMax, const void* src, size_t count, aclrtMemcpyKind kind) {
    return answer(__func__, [&, kind = int(kind)]() -> Failure {
        if (count == 0) return {};
        if (Failure failure = check_addresses(dst, src)) return failure;
        if (Failure failure = check_count(count, destMax, "destMax")) return failure;
        return copy_now(one_row(dst, src, count), kind);
    });
}

aclError aclrtMemcpyAsync(void* dst, size_t destMax, const void* src, size_t count, aclrtMemcpyKind kind,
                          aclrtStream stream) {
    return answer(__func__, [&, function = __func__, kind = int(kind)]() -> Failure {
        if (count == 0) return {};
        if (Failure failure = check_addresses(dst, src)) return failure;
        if (Failure failure = check_count(count, destMax, "destMax")) return failure;
        return copy_later(function, one_row(dst, src, count), kind, stream);
    });
}

aclError aclrtMemcpy2d(void* dst, size_t dpitch, const void* src, size_t spitch, size_t width, size_t height,
                       aclrtMemcpyKind kind) {
    return answer(__func__, [&, kind = int(kind)]() -> Failure {
        if (width == 0 || height == 0) return {};
        if (Failure failure = check_addresses(dst, src)) return failure;
        if (Failure failure = check_pitches(dpitch, spitch, width, height)) return failure;
        return copy_now(rows(dst, dpitch, src, spitch, width, height), kind);
    });
}

aclError aclrtMemcpy2dAsync(void* dst, size_t dpitch, const void* src, size_t spitch, size_t width, size_t height,
                            aclrtMemcpyKind kind, aclrtStream stream) {
    return answer(__func__, [&, function = __func__, kind = int(kind)]() -> Failure {
        if (width == 0 || height == 0) return {};
        if (Failure failure = check_addresses(dst, src)) return failure;
        if (Failure failure = check_pitches(dpitch, spitch, width, height)) return failure;
        return copy_later(function, rows(dst, dpitch, src, spitch, width, height), kind, stream);
    });
}

aclError aclrtMemset(void* devPtr, size_t maxCount, int32_t value, size_t count) {
    return answer(__func__, [&]() -> Failure {
        Held held;
        char* data = static_cast<char*>(devPtr);
        if (Failure failure = check_memset(maxCount, count, &held, &data)) return failure;
        if (Failure failure = refuse_unsafe(lock_runtime())) return failure;
        const BlockUse use(held);
        if (Failure failure = use.failure()) return failure;
        if (check::on) note_copy(one_row(devPtr, nullptr, count), nullptr, lock_runtime());
        std::memset(data, value, count);
        return {};
    });
}

aclError aclrtMemsetAsync(void* devPtr, size_t maxCount, int32_t value, size_t count, aclrtStream stream) {
    return answer(__func__, [&, function = __func__]() -> Failure {
        Held held;
        char* data = static_cast<char*>(devPtr);
        if (Failure failure = check_memset(maxCount, count, &held, &data)) return failure;
        return queue(function, stream, std::move(held), one_row(devPtr, nullptr, count),
                     [=] { std::memset(data, value, count); });
    });
}
