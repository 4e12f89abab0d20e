// The memory that is mapped to reserved addresses: pieces of one file.
#include <fcntl.h>
#include <sys/mman.h>

#include <cerrno>
#include <cstring>

#include "core/huge_pages.h"
#include "runtime/context.h"
#include "runtime/options.h"
#include "runtime/virtual_memory.h"

namespace acltwin {
namespace {

constexpr size_t kGiga = size_t(1) << 30;

// Each piece of memory has a part of the file of its own for ever. Guarded by the runtime's lock.
struct File {
    int descriptor = -1;
    off_t end = 0;
} file;

Failure read_property(const aclrtPhysicalMemProp* given, const Lock& lock, size_t* granularity, int* device) {
    if (given == nullptr)
        return refuse(ACL_ERROR_INVALID_PARAM,
                      "prop is null, expected the kind of memory; pass the address of an aclrtPhysicalMemProp");
    int handle_type, allocation_type, attribute, location;  // read as numbers: from C, they may be any
    std::memcpy(&handle_type, &given->handleType, sizeof handle_type);
    std::memcpy(&allocation_type, &given->allocationType, sizeof allocation_type);
    std::memcpy(&attribute, &given->memAttr, sizeof attribute);
    std::memcpy(&location, &given->location.type, sizeof location);
    if (handle_type != ACL_MEM_HANDLE_TYPE_NONE)
        return refuse(ACL_ERROR_RT_PARAM_INVALID, "prop->handleType is ", handle_type,
                      ", expected ACL_MEM_HANDLE_TYPE_NONE (0): the twin shares no memory between processes");
    if (allocation_type != ACL_MEM_ALLOCATION_TYPE_PINNED)
        return refuse(ACL_ERROR_RT_PARAM_INVALID, "prop->allocationType is ", allocation_type,
                      ", expected ACL_MEM_ALLOCATION_TYPE_PINNED (0); use that");
    if (location != ACL_MEM_LOCATION_TYPE_DEVICE)
        return refuse(ACL_ERROR_RT_PARAM_INVALID, "prop->location.type is ", location,
                      ", expected ACL_MEM_LOCATION_TYPE_DEVICE (1); use that, and aclrtMallocHost for the host");
    const int devices = options(lock).devices;
    if (given->location.id >= uint32_t(devices))
        return refuse(ACL_ERROR_RT_INVALID_DEVICEID, "prop->location.id is ", given->location.id,
                      ", expected a device, 0 to ", devices - 1, "; set ACLTWIN_DEVICES for more");
    if (attribute < ACL_DDR_MEM || attribute > ACL_MEM_P2P_HUGE1G)
        return refuse(ACL_ERROR_RT_PARAM_INVALID, "prop->memAttr is ", attribute,
                      ", expected an aclrtMemAttr; use ACL_HBM_MEM_HUGE, for example");
    switch (attribute) {
        case ACL_HBM_MEM_HUGE1G:
        case ACL_HBM_MEM_P2P_HUGE1G:
        case ACL_MEM_HUGE1G:
        case ACL_MEM_P2P_HUGE1G: *granularity = kGiga; break;
        case ACL_DDR_MEM_NORMAL:
        case ACL_HBM_MEM_NORMAL:
        case ACL_DDR_MEM_P2P_NORMAL:
        case ACL_HBM_MEM_P2P_NORMAL:
        case ACL_MEM_NORMAL:
        case ACL_MEM_P2P_NORMAL: *granularity = size_t(sysconf(_SC_PAGESIZE)); break;
        default: *granularity = kHugePage;
    }
    *device = int(given->location.id);
    return {};
}

Failure ensure_file(const Lock&) {
    if (file.descriptor >= 0) return {};
    file.descriptor = memfd_create("acltwin device memory", MFD_CLOEXEC);
    file.end = 0;
    return file.descriptor >= 0 ? Failure{} : system_refuses("a file in memory");
}

Failure make_memory(aclrtDrvMemHandle* handle, size_t size, const aclrtPhysicalMemProp* property, uint64_t flags) {
    if (handle == nullptr) return null_output("handle");
    if (size == 0)
        return refuse(ACL_ERROR_INVALID_PARAM,
                      "size is 0, expected a multiple of what aclrtMemGetAllocationGranularity gives; ask for that");
    if (Failure failure = check_flags(flags, 0)) return failure;
    const Lock lock = lock_runtime();
    std::shared_ptr<Context> context;
    if (Failure failure = current_context(lock, &context)) return failure;
    size_t granularity = 0;
    int device = kHost;
    if (Failure failure = read_property(property, lock, &granularity, &device)) return failure;
    if (size > physical_memory())
        return refuse(ACL_ERROR_RT_MEMORY_ALLOCATION, "size is ", size, " bytes, expected at most ", physical_memory(),
                      ", the memory of this machine; ask for less");
    const size_t bytes = (size + granularity - 1) / granularity * granularity;
    if (Failure failure = ensure_file(lock)) return failure;
    if (ftruncate(file.descriptor, file.end + off_t(bytes)) != 0) return system_refuses("so much memory");
    const auto physical = std::make_shared<Physical>(file.descriptor, file.end, size, bytes, granularity, device);
    file.end += off_t(bytes);
    *handle = add_handle(physical, lock);
    return {};
}

}  // namespace

Physical::~Physical() {
    if (process == getpid())  // a forked child leaves it to its parent
        fallocate(descriptor, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, offset, off_t(bytes));
}

Failure system_refuses(const char* what) {
    return refuse(ACL_ERROR_RT_MEMORY_ALLOCATION, "the system refuses ", what, " (", std::strerror(errno),
                  "); free memory, or ask for less");
}

Failure check_flags(uint64_t flags, uint64_t most) {
    if (flags <= most) return {};
    return refuse(ACL_ERROR_RT_PARAM_INVALID, "flags is ", flags, ", expected ", most == 0 ? "0" : "0 or 1",
                  "; pass 0");
}

Failure find_memory(aclrtDrvMemHandle handle, const Lock& lock, std::shared_ptr<Physical>* physical) {
    if (handle == nullptr)
        return refuse(ACL_ERROR_INVALID_PARAM, "handle is null, expected memory; pass what aclrtMallocPhysical gave");
    *physical = find_handle<Physical>(handle, lock);
    return *physical != nullptr ? Failure{} : bad_handle(ACL_ERROR_RT_INVALID_HANDLE, Kind::physical_memory, handle);
}

void forget_parents_file(const Lock&) {
    if (file.descriptor >= 0) close(file.descriptor);
    file.descriptor = -1;
}

}  // namespace acltwin

using namespace acltwin;

aclError aclrtMallocPhysical(aclrtDrvMemHandle* handle, size_t size, const aclrtPhysicalMemProp* prop, uint64_t flags) {
    return answer(__func__, [&] { return make_memory(handle, size, prop, flags); });
}

aclError aclrtFreePhysical(aclrtDrvMemHandle handle) {
    return answer(__func__, [&]() -> Failure {
        std::shared_ptr<Physical> physical;  // outlives the lock
        const Lock lock = lock_runtime();
        if (Failure failure = find_memory(handle, lock, &physical)) return failure;
        remove_handle<Physical>(handle, lock);
        return {};
    });
}

aclError aclrtMemGetAllocationGranularity(aclrtPhysicalMemProp* prop, aclrtMemGranularityOptions option,
                                          size_t* granularity) {
    return answer(__func__, [&, option = int(option)]() -> Failure {
        if (granularity == nullptr) return null_output("granularity");
        if (option != ACL_RT_MEM_ALLOC_GRANULARITY_MINIMUM && option != ACL_RT_MEM_ALLOC_GRANULARITY_RECOMMENDED)
            return refuse(ACL_ERROR_RT_PARAM_INVALID, "option is ", option,
                          ", expected ACL_RT_MEM_ALLOC_GRANULARITY_MINIMUM (0) or _RECOMMENDED (1); use one of them");
        int device = kHost;
        return read_property(prop, lock_runtime(), granularity, &device);
    });
}
