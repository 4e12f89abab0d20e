#include "runtime/device.h"

#include <algorithm>
#include <array>
#include <chrono>

#include "runtime/callbacks.h"
#include "runtime/capture.h"
#include "runtime/context.h"
#include "runtime/event.h"
#include "runtime/instance.h"
#include "runtime/memory.h"
#include "runtime/options.h"
#include "runtime/peer.h"
#include "runtime/virtual_memory.h"

namespace acltwin {
namespace {

// Guarded by the runtime's lock.
struct Device {
    uint64_t set_count = 0;                  // aclrtSetDevice minus aclrtResetDevice
    aclrtContext default_context = nullptr;  // alive while set_count > 0
};

Device& device_of(int32_t id, const Lock&) {
    static std::array<Device, kMaxDevices> devices;
    return devices[size_t(id)];
}

aclrtContext add_context(int32_t device, bool is_default, const Lock& lock) {
    const auto context = std::make_shared<Context>(device, is_default);
    context->handle = add_handle(context, lock);
    return context->handle;
}

Failure set_device(int32_t id) {
    const Lock lock = lock_runtime();
    if (Failure failure = check_device(id, lock)) return failure;
    Device& device = device_of(id, lock);
    if (device.set_count == 0) device.default_context = add_context(id, true, lock);
    ++device.set_count;
    make_current(device.default_context);
    return {};
}

// A host function of one of its streams would wait for itself.
Failure check_not_inside_context(aclrtContext handle, const Lock& lock) {
    Failure failure;
    const auto check = [&](const Stream& stream) {
        if (stream.context() == handle && !failure) failure = check_not_inside(stream);
    };
    HandleTable<Stream>::instance().for_each(lock, check);
    const auto context = find_handle<Context>(handle, lock);
    if (context != nullptr && context->default_stream != nullptr) check(*context->default_stream);
    return failure;
}

Failure reset_device(int32_t id) {
    Lock lock = lock_runtime();
    if (Failure failure = check_device(id, lock)) return failure;
    Device& device = device_of(id, lock);
    if (device.set_count == 0)
        return refuse(ACL_ERROR_RT_CONTEXT_RELEASE_ERROR, "device ", id,
                      " is not set, expected as many resets as aclrtSetDevice calls; call aclrtResetDevice once for "
                      "each of them");
    if (device.set_count == 1)
        if (Failure failure = check_not_inside_context(device.default_context, lock)) return failure;
    return --device.set_count == 0 ? destroy_context(device.default_context, lock) : Failure{};
}

std::vector<std::shared_ptr<Stream>> streams_of_device(int device, const Lock& lock) {
    std::vector<std::shared_ptr<Stream>> streams;
    HandleTable<Context>::instance().for_each(lock, [&](const Context& context) {
        if (context.device == device && context.default_stream != nullptr) streams.push_back(context.default_stream);
    });
    HandleTable<Stream>::instance().for_each(lock, [&](Stream& stream) {
        if (stream.device() == device) streams.push_back(stream.shared_from_this());
    });
    return streams;
}

Failure synchronize_device(int32_t timeout) {
    Lock lock = lock_runtime();
    std::shared_ptr<Context> context;
    if (Failure failure = current_context(lock, &context)) return failure;
    if (Failure failure = check_timeout(timeout)) return failure;
    using Clock = std::chrono::steady_clock;
    const auto end = Clock::now() + std::chrono::milliseconds(timeout);
    const auto time_left = [&] {  // for all streams together
        const auto left = std::chrono::ceil<std::chrono::milliseconds>(end - Clock::now()).count();
        return timeout < 0 ? -1 : int(std::max<int64_t>(0, left));
    };
    Failure first;
    for (const auto& stream : streams_of_device(context->device, lock)) {
        Failure failure = stream->synchronize(time_left(), lock);
        if (failure && !first) first = std::move(failure);
    }
    return first;
}

}  // namespace

Failure check_device(int32_t id, const Lock& lock) {
    if (Failure failure = claim_process()) return failure;
    const Options& chosen = options(lock);
    if (!chosen.problem.empty()) return refuse(ACL_ERROR_INVALID_PARAM, chosen.problem);
    if (id >= 0 && id < chosen.devices) return {};
    return refuse(ACL_ERROR_RT_INVALID_DEVICEID, "deviceId is ", id, ", but there ",
                  chosen.devices == 1 ? "is 1 device (0)"
                                      : sentence("are ", chosen.devices, " devices, 0 to ", chosen.devices - 1),
                  "; set ACLTWIN_DEVICES for more");
}

Failure create_context_on(int32_t id, const Lock& lock, aclrtContext* context) {
    if (Failure failure = check_device(id, lock)) return failure;
    *context = add_context(id, false, lock);
    return {};
}

// All that belongs to the context is out of reach before the wait begins: who sets the device meanwhile gets a fresh
// one. The device's memory is given back with the last context, as a real reset does, but not before queued work is
// done.
Failure destroy_context(aclrtContext handle, Lock& lock) {
    if (Failure failure = check_not_inside_context(handle, lock)) return failure;
    const auto context = remove_handle<Context>(handle, lock);
    if (context == nullptr) return bad_handle(ACL_ERROR_RT_INVALID_HANDLE, Kind::context, handle);
    const bool is_last = HandleTable<Context>::instance().count_if(
                             lock, [&](const Context& other) { return other.device == context->device; }) == 0;
    if (check::on) check::ending_context(handle, context->device, is_last, lock);
    auto captures = end_captures_of(handle, lock);
    auto streams = HandleTable<Stream>::instance().remove_if(
        lock, [&](const Stream& stream) { return stream.context() == handle; });
    if (context->default_stream != nullptr) streams.push_back(context->default_stream);
    HandleTable<Event>::instance().remove_if(lock, [&](const Event& event) { return event.context == handle; });
    Held blocks;
    VirtualMemory virtual_memory;
    if (is_last) {
        blocks = take_blocks_of(context->device, lock);
        virtual_memory = take_virtual_memory_of(context->device, lock);
        end_peer_access_of(context->device, lock);
    }
    for (const auto& stream : streams) end_reports_of(*stream, lock);
    for (const auto& stream : streams) stream->close(false, lock);
    end_virtual_memory(virtual_memory, lock);
    lock.unlock();  // giving memory back takes its time
    captures.clear();
    end_blocks(blocks);
    return {};
}

}  // namespace acltwin

using namespace acltwin;

aclError aclrtSetDevice(int32_t deviceId) {
    return answer(__func__, [&] { return set_device(deviceId); });
}

aclError aclrtResetDevice(int32_t deviceId) {
    return answer(__func__, [&] { return reset_device(deviceId); });
}

aclError aclrtGetDevice(int32_t* deviceId) {
    return answer(__func__, [&]() -> Failure {
        if (deviceId == nullptr) return null_output("deviceId");
        const Lock lock = lock_runtime();
        std::shared_ptr<Context> context;
        if (Failure failure = current_context(lock, &context)) return failure;
        *deviceId = context->device;
        return {};
    });
}

aclError aclrtGetDeviceCount(uint32_t* count) {
    return answer(__func__, [&]() -> Failure {
        if (count == nullptr) return null_output("count");
        const Lock lock = lock_runtime();
        const Options& chosen = options(lock);
        if (!chosen.problem.empty()) return refuse(ACL_ERROR_INVALID_PARAM, chosen.problem);
        *count = uint32_t(chosen.devices);
        return {};
    });
}

aclError aclrtGetRunMode(aclrtRunMode* runMode) {
    return answer(__func__, [&]() -> Failure {
        if (runMode == nullptr) return null_output("runMode");
        *runMode = ACL_HOST;
        return {};
    });
}

aclError aclrtSynchronizeDevice(void) {
    return answer(__func__, [] { return synchronize_device(-1); });
}

aclError aclrtSynchronizeDeviceWithTimeout(int32_t timeout) {
    return answer(__func__, [&] { return synchronize_device(timeout); });
}
