// Memory of the caller's own that devices use under another address, and what any address is.
#include <sys/mman.h>
#include <unistd.h>

#include <map>

#include "acl/acl_rt.h"
#include "core/huge_pages.h"
#include "runtime/context.h"
#include "runtime/memory.h"

namespace acltwin {
namespace {

// Addresses that only the device can follow, as those that it gives.
struct DeviceAddresses {
    explicit DeviceAddresses(size_t bytes)
        : begin(mmap(nullptr, bytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0)), bytes(bytes) {}
    ~DeviceAddresses() {
        if (is_known()) munmap(begin, bytes);
    }
    DeviceAddresses(const DeviceAddresses&) = delete;
    DeviceAddresses& operator=(const DeviceAddresses&) = delete;

    bool is_known() const { return begin != MAP_FAILED; }

    void* const begin;
    const size_t bytes;
    std::shared_ptr<const MemoryBlock> host_block;  // which the memory is a part of, if it is the runtime's
};

// The blocks of registered memory by its address on the host, guarded by the runtime's lock.
using Registered = std::map<const char*, std::shared_ptr<MemoryBlock>>;

Registered& registered(const Lock&) {
    static auto* instance = new Registered;
    return *instance;
}

bool lives(const std::shared_ptr<MemoryBlock>& block, const Lock& lock) {
    return block_holding(block->begin(), lock) == block;
}

// Those of devices that were reset since are nobody's any more.
void forget_ended(const Lock& lock) {
    Registered& all = registered(lock);
    for (auto at = all.begin(); at != all.end();) at = lives(at->second, lock) ? std::next(at) : all.erase(at);
}

Registered::iterator registered_holding(const void* address, const Lock& lock) {
    Registered& all = registered(lock);
    const auto after = all.upper_bound(static_cast<const char*>(address));
    if (after == all.begin()) return all.end();
    const auto before = std::prev(after);
    return static_cast<const char*>(address) < before->first + before->second->bytes() ? before : all.end();
}

Failure check_registration(void* pointer, uint64_t size, int type, void** device_pointer) {
    if (pointer == nullptr)
        return refuse(ACL_ERROR_INVALID_PARAM, "ptr is null, expected host memory; pass its address");
    if (device_pointer == nullptr) return null_output("devPtr");
    if (type != ACL_HOST_REGISTER_MAPPED && type != ACL_HOST_REGISTER_IOMEMORY && type != ACL_HOST_REGISTER_READONLY)
        return refuse(ACL_ERROR_INVALID_PARAM, "type is ", type,
                      ", expected an aclrtHostRegisterType; use ACL_HOST_REGISTER_MAPPED");
    if (size == 0 || size > physical_memory())
        return refuse(ACL_ERROR_RT_PARAM_INVALID, "size is ", size, " bytes, expected 1 to ", physical_memory(),
                      ", the memory of this machine; pass the size of the memory");
    const size_t page = size_t(sysconf(_SC_PAGESIZE));
    if (reinterpret_cast<uintptr_t>(pointer) % page != 0)
        return refuse(ACL_ERROR_RT_PARAM_INVALID, "ptr is ", pointer,
                      ", expected the beginning of a page, a multiple of ", page,
                      "; allocate it with aclrtMallocHost or aligned_alloc");
    return {};
}

Failure register_memory(void* pointer, uint64_t size, int type, void** device_pointer) {
    if (Failure failure = check_registration(pointer, size, type, device_pointer)) return failure;
    const auto addresses = std::make_shared<DeviceAddresses>(size);
    if (!addresses->is_known())
        return refuse(ACL_ERROR_RT_MEMORY_ALLOCATION, "the system has no addresses left; register less memory");
    const Lock lock = lock_runtime();
    std::shared_ptr<Context> context;
    if (Failure failure = current_context(lock, &context)) return failure;
    forget_ended(lock);
    const char* const begin = static_cast<char*>(pointer);
    const auto behind = registered(lock).lower_bound(begin);
    if (registered_holding(pointer, lock) != registered(lock).end() ||
        (behind != registered(lock).end() && behind->first < begin + size))
        return refuse(ACL_ERROR_RT_PARAM_INVALID, "ptr ", pointer, " and ", size,
                      " bytes behind it are registered already, in part at least, expected other memory; call "
                      "aclrtHostUnregister first");
    const std::shared_ptr<MemoryBlock> host = block_holding(pointer, lock);
    if (host != nullptr && (host->device() != kHost || bytes_from(host, pointer, size, lock) < size))
        return refuse(ACL_ERROR_RT_PARAM_INVALID, "ptr ", pointer, " is ",
                      host->device() != kHost ? "device memory" : "in a block that is too short",
                      ", expected host memory of size bytes; pass memory of aclrtMallocHost or of your own");
    addresses->host_block = host;
    const auto block = MemoryBlock::borrow(static_cast<char*>(addresses->begin), static_cast<char*>(pointer), size,
                                           context->device, addresses);
    registered(lock)[begin] = block;
    add_block(block, lock);
    if (check::on) check::registered(*block, lock);
    *device_pointer = block->begin();
    return {};
}

// Afterwards the memory is the caller's alone: nothing touches it any more.
Failure unregister_memory(void* pointer) {
    if (pointer == nullptr)
        return refuse(ACL_ERROR_INVALID_PARAM, "ptr is null, expected memory that aclrtHostRegister was given");
    std::shared_ptr<MemoryBlock> block;  // outlives the lock
    Lock lock = lock_runtime();
    forget_ended(lock);
    const auto found = registered(lock).find(static_cast<const char*>(pointer));
    if (found == registered(lock).end())
        return refuse(ACL_ERROR_RT_PARAM_INVALID, "ptr ", pointer,
                      " is not the start of registered memory, expected the address that aclrtHostRegister was given; "
                      "unregister it once, with the host address");
    block = found->second;
    registered(lock).erase(found);
    take_block(block->begin(), lock);
    if (check::on) check::freeing_block(*block, lock);
    block->end_borrowing(lock);
    return {};
}

}  // namespace
}  // namespace acltwin

using namespace acltwin;

aclError aclrtHostRegister(void* ptr, uint64_t size, aclrtHostRegisterType type, void** devPtr) {
    return answer(__func__, [&, type = int(type)] { return register_memory(ptr, size, type, devPtr); });
}

aclError aclrtHostUnregister(void* ptr) {
    return answer(__func__, [&] { return unregister_memory(ptr); });
}

aclError aclrtPointerGetAttributes(const void* ptr, aclrtPtrAttributes* attributes) {
    return answer(__func__, [&]() -> Failure {
        if (attributes == nullptr) return null_output("attributes");
        if (ptr == nullptr)
            return refuse(ACL_ERROR_INVALID_PARAM, "ptr is null, expected an address; pass that of some memory");
        const Lock lock = lock_runtime();
        const std::shared_ptr<MemoryBlock> block = block_holding(ptr, lock);
        const auto on_host = registered_holding(ptr, lock);
        *attributes = aclrtPtrAttributes{};
        attributes->pageSize = uint32_t(sysconf(_SC_PAGESIZE));
        if (block != nullptr && block->device() != kHost) {
            attributes->location = {uint32_t(block->device()), ACL_MEM_LOCATION_TYPE_DEVICE};
            if (block->bytes() >= kHugePage) attributes->pageSize = uint32_t(kHugePage);
        } else {
            const bool known = block != nullptr || (on_host != registered(lock).end() && lives(on_host->second, lock));
            attributes->location.type = known ? ACL_MEM_LOCATION_TYPE_HOST : ACL_MEM_LOCATION_TYPE_UNREGISTERED;
        }
        return {};
    });
}
