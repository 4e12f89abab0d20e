// What a device has. The cores are this machine's: what programs choose by these numbers is how much work to hand out.
#include <unistd.h>

#include <algorithm>
#include <iterator>

#include "acl/acl_rt.h"
#include "runtime/device.h"
#include "runtime/error.h"
#include "runtime/memory.h"

namespace acltwin {
namespace {

int64_t cores() { return std::max(1L, sysconf(_SC_NPROCESSORS_ONLN)); }

int64_t cache_bytes() {
    const long last_level = sysconf(_SC_LEVEL3_CACHE_SIZE), second = sysconf(_SC_LEVEL2_CACHE_SIZE);
    return std::max({last_level, second, 1L << 20});
}

struct Attribute {
    int number;
    int64_t (*value)(uint32_t device);
};

Failure give(uint32_t device, const char* name, int number, const Attribute* known, size_t count, int64_t* value) {
    if (value == nullptr) return null_output("value");
    if (Failure failure = check_device(device > INT32_MAX ? -1 : int32_t(device), lock_runtime())) return failure;
    const Attribute* const end = known + count;
    const Attribute* const found = std::find_if(known, end, [&](const Attribute& one) { return one.number == number; });
    if (found == end)
        return refuse(ACL_ERROR_INVALID_PARAM, name, " is ", number,
                      ", which the twin has no value for, expected a number of cores or bytes; see the header");
    *value = found->value(device);
    return {};
}

constexpr Attribute kCapabilities[] = {
    {ACL_DEVICE_INFO_AI_CORE_NUM, [](uint32_t) { return cores(); }},
    {ACL_DEVICE_INFO_VECTOR_CORE_NUM, [](uint32_t) { return cores(); }},
    {ACL_DEVICE_INFO_L2_SIZE, [](uint32_t) { return cache_bytes(); }},
};

constexpr Attribute kAttributes[] = {
    {ACL_DEV_ATTR_AICPU_CORE_NUM, [](uint32_t) { return cores(); }},
    {ACL_DEV_ATTR_AICORE_CORE_NUM, [](uint32_t) { return cores(); }},
    {ACL_DEV_ATTR_CUBE_CORE_NUM, [](uint32_t) { return cores(); }},
    {ACL_DEV_ATTR_VECTOR_CORE_NUM, [](uint32_t) { return cores(); }},
    {ACL_DEV_ATTR_TOTAL_GLOBAL_MEM_SIZE, [](uint32_t) { return int64_t(physical_memory()); }},
    {ACL_DEV_ATTR_L2_CACHE_SIZE, [](uint32_t) { return cache_bytes(); }},
    {ACL_DEV_ATTR_SMP_ID, [](uint32_t) { return int64_t(0); }},
    {ACL_DEV_ATTR_PHY_CHIP_ID, [](uint32_t device) { return int64_t(device); }},
    {ACL_DEV_ATTR_IS_VIRTUAL, [](uint32_t) { return int64_t(0); }},
};

}  // namespace
}  // namespace acltwin

using namespace acltwin;

aclError aclGetDeviceCapability(uint32_t deviceId, aclDeviceInfo deviceInfo, int64_t* value) {
    return answer(__func__, [&, number = int(deviceInfo)] {
        return give(deviceId, "deviceInfo", number, kCapabilities, std::size(kCapabilities), value);
    });
}

aclError aclrtGetDeviceInfo(uint32_t deviceId, aclrtDevAttr attr, int64_t* value) {
    return answer(__func__, [&, number = int(attr)] {
        return give(deviceId, "attr", number, kAttributes, std::size(kAttributes), value);
    });
}
