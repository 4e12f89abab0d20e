#include "runtime/peer.h"

#include <bitset>

#include "acl/acl_rt.h"
#include "runtime/context.h"
#include "runtime/device.h"
#include "runtime/options.h"

namespace acltwin {
namespace {

// [from][to], guarded by the runtime's lock.
std::bitset<kMaxDevices> enabled[kMaxDevices];

Failure check_pair(int32_t device, const char* peer_name, int32_t peer, const Lock& lock) {
    if (Failure failure = check_device(peer, lock)) return failure;
    if (device != peer) return {};
    return refuse(ACL_ERROR_RT_PARAM_INVALID, peer_name, " is ", peer,
                  ", the device itself, expected another one; a device reaches its own memory without it");
}

// The device of the calling thread, and another one.
Failure check_peer(int32_t peer, const Lock& lock, int* device) {
    std::shared_ptr<Context> context;
    if (Failure failure = current_context(lock, &context)) return failure;
    *device = context->device;
    return check_pair(*device, "peerDeviceId", peer, lock);
}

}  // namespace

bool has_peer_access(int from, int to, const Lock&) { return from == to || enabled[from][size_t(to)]; }

void end_peer_access_of(int device, const Lock&) {
    enabled[device].reset();
    for (auto& peers : enabled) peers.reset(size_t(device));
}

}  // namespace acltwin

using namespace acltwin;

aclError aclrtDeviceCanAccessPeer(int32_t* canAccessPeer, int32_t deviceId, int32_t peerDeviceId) {
    return answer(__func__, [&]() -> Failure {
        if (canAccessPeer == nullptr) return null_output("canAccessPeer");
        const Lock lock = lock_runtime();
        if (Failure failure = check_device(deviceId, lock)) return failure;
        if (Failure failure = check_pair(deviceId, "peerDeviceId", peerDeviceId, lock)) return failure;
        *canAccessPeer = 1;
        return {};
    });
}

aclError aclrtDeviceEnablePeerAccess(int32_t peerDeviceId, uint32_t flags) {
    return answer(__func__, [&]() -> Failure {
        const Lock lock = lock_runtime();
        int device = 0;
        if (Failure failure = check_peer(peerDeviceId, lock, &device)) return failure;
        if (flags != 0)
            return refuse(ACL_ERROR_RT_PARAM_INVALID, "flags is ", flags, ", expected 0, no others are known; pass 0");
        enabled[device].set(size_t(peerDeviceId));
        return {};
    });
}

aclError aclrtDeviceDisablePeerAccess(int32_t peerDeviceId) {
    return answer(__func__, [&]() -> Failure {
        const Lock lock = lock_runtime();
        int device = 0;
        if (Failure failure = check_peer(peerDeviceId, lock, &device)) return failure;
        if (!enabled[device][size_t(peerDeviceId)])
            return refuse(ACL_ERROR_RT_PARAM_INVALID, "device ", device, " has no access to device ", peerDeviceId,
                          ", expected an enabled one; call aclrtDeviceEnablePeerAccess first, on the same device");
        enabled[device].reset(size_t(peerDeviceId));
        return {};
    });
}
