#include "runtime/device.h"

#include <array>
#include <mutex>
#include <unordered_set>

#include "runtime/context.h"
#include "runtime/instance.h"
#include "runtime/memory.h"
#include "runtime/options.h"

namespace acltwin {
namespace {

struct Device {
    uint64_t set_count = 0;                  // aclrtSetDevice minus aclrtResetDevice
    aclrtContext default_context = nullptr;  // alive while set_count > 0
    std::unordered_set<aclrtContext> contexts;

    // The device's memory is given back with the last context, as a real reset does.
    Failure release_context(aclrtContext context, int32_t id) {
        const auto gone = remove_handle<Context>(context);
        if (gone == nullptr) return bad_handle(ACL_ERROR_RT_INVALID_HANDLE, Kind::context, context);
        contexts.erase(context);
        gone->close();
        if (contexts.empty()) free_blocks_of(id);
        return {};
    }
};

struct Devices {
    // Held while a context ends: whoever sets the device meanwhile waits, and gets a fresh one.
    std::mutex mutex;
    std::array<Device, kMaxDevices> all;
};

Devices& devices() {
    static Devices* instance = new Devices;
    return *instance;
}

Failure check_device(int32_t id) {
    if (Failure failure = claim_process()) return failure;
    const Options chosen = options();
    if (!chosen.problem.empty()) return refuse(ACL_ERROR_INVALID_PARAM, chosen.problem);
    if (id >= 0 && id < chosen.devices) return {};
    return refuse(ACL_ERROR_RT_INVALID_DEVICEID, "deviceId is ", id, ", expected 0 to ", chosen.devices - 1,
                  "; set ACLTWIN_DEVICES for more devices");
}

Failure set_device(int32_t id) {
    if (Failure failure = check_device(id)) return failure;
    std::lock_guard<std::mutex> lock(devices().mutex);
    Device& device = devices().all[size_t(id)];
    if (device.set_count == 0) {
        device.default_context = Context::create(id, true)->handle();
        device.contexts.insert(device.default_context);
    }
    ++device.set_count;
    make_current(device.default_context);
    return {};
}

Failure reset_device(int32_t id) {
    if (Failure failure = check_device(id)) return failure;
    std::lock_guard<std::mutex> lock(devices().mutex);
    Device& device = devices().all[size_t(id)];
    if (device.set_count == 0)
        return refuse(ACL_ERROR_RT_CONTEXT_RELEASE_ERROR, "device ", id,
                      " is not set; call aclrtResetDevice once for each aclrtSetDevice");
    return --device.set_count == 0 ? device.release_context(device.default_context, id) : Failure{};
}

Failure synchronize_device() {
    std::shared_ptr<Context> context;
    if (Failure failure = current_context(&context)) return failure;
    std::unordered_set<aclrtContext> contexts;
    {
        std::lock_guard<std::mutex> lock(devices().mutex);
        contexts = devices().all[size_t(context->device)].contexts;
    }
    Failure first;
    for (aclrtContext handle : contexts) {
        const auto living = find_handle<Context>(handle);
        if (living == nullptr) continue;
        for (const auto& stream : living->streams()) {
            Failure failure = stream->synchronize(-1);
            if (failure && !first) first = std::move(failure);
        }
    }
    return first;
}

}  // namespace

Failure create_context_on(int32_t id, aclrtContext* context) {
    if (Failure failure = check_device(id)) return failure;
    std::lock_guard<std::mutex> lock(devices().mutex);
    *context = Context::create(id, false)->handle();
    devices().all[size_t(id)].contexts.insert(*context);
    return {};
}

Failure destroy_context_on(int32_t id, aclrtContext context) {
    std::lock_guard<std::mutex> lock(devices().mutex);
    return devices().all[size_t(id)].release_context(context, id);
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
        std::shared_ptr<Context> context;
        if (Failure failure = current_context(&context)) return failure;
        *deviceId = context->device;
        return {};
    });
}

aclError aclrtGetDeviceCount(uint32_t* count) {
    return answer(__func__, [&]() -> Failure {
        if (count == nullptr) return null_output("count");
        const Options chosen = options();
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
    return answer(__func__, [] { return synchronize_device(); });
}
