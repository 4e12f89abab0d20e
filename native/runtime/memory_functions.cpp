// The C functions of memory; how blocks are kept is in memory.cpp.
#include <unistd.h>

#include "acl/acl_rt.h"
#include "runtime/context.h"
#include "runtime/error.h"
#include "runtime/memory.h"

namespace acltwin {
namespace {

Failure context_device(const Lock& lock, int* device) {
    std::shared_ptr<Context> context;
    if (Failure failure = current_context(lock, &context)) return failure;
    *device = context->device;
    return {};
}

// What aclrtMalloc promises: room up to the next multiple of 32, and 32 bytes more that may be touched.
constexpr size_t kPadding = 32;
size_t round_up(size_t size) { return (size + 31) / 32 * 32; }

enum class Place { device, host };

Failure allocate_block(void** address, const char* name, size_t size, Place place, size_t padding) {
    int device = kHost;
    if (Failure failure = context_device(lock_runtime(), &device)) return failure;
    if (address == nullptr) return null_output(name);
    if (size == 0)
        return refuse(ACL_ERROR_INVALID_PARAM, "size is 0, expected at least 1 byte; skip the call for empty tensors");
    if (size > physical_memory())
        return refuse(ACL_ERROR_RT_MEMORY_ALLOCATION, "size is ", size, " bytes, expected at most ", physical_memory(),
                      ", the memory of this machine; use smaller tensors");
    std::shared_ptr<MemoryBlock> block =
        MemoryBlock::allocate(round_up(size) + padding, place == Place::host ? kHost : device,
                              /*padding=*/round_up(size) + padding - size);
    if (block == nullptr)
        return refuse(ACL_ERROR_RT_MEMORY_ALLOCATION, "the system has no ", size,
                      " bytes left; free blocks with aclrtFree, or use smaller tensors");
    if (check::on) check::fill_new_block(*block, size);
    const Lock lock = lock_runtime();
    // Another thread may have reset the device since: a block for it would never be given back.
    if (Failure failure = context_device(lock, &device)) return failure;
    add_block(block, lock);
    if (check::on) check::made_block(*block, size, lock);
    *address = block->begin();
    return {};
}

Failure free_block(void* address, const char* name, Place place) {
    const bool host = place == Place::host;
    std::shared_ptr<MemoryBlock> gone;  // outlives the lock: giving memory back takes its time
    if (address == nullptr)
        return refuse(ACL_ERROR_INVALID_PARAM, name,
                      " is null, expected a block; free only what a malloc function gave");
    const Lock lock = lock_runtime();
    int device = kHost;
    if (Failure failure = context_device(lock, &device)) return failure;
    const std::shared_ptr<MemoryBlock> found = block_holding(address, lock);
    if (found == nullptr || found->begin() != address || found->is_borrowed()) {
        if (check::on) check::will_refuse(check::Id::host_host_pointer_given, address);
        return refuse(ACL_ERROR_RT_PARAM_INVALID, name, " ", address,
                      " is not the start of a live block, expected an address that a malloc function gave; free each "
                      "block once, with the address its malloc gave");
    }
    if ((found->device() == kHost) != host)
        return refuse(ACL_ERROR_RT_PARAM_INVALID, name, " ", address, " is ", host ? "device" : "host",
                      " memory, expected ", host ? "host" : "device", " memory; use ",
                      host ? "aclrtFree" : "aclrtFreeHost");
    gone = take_block(address, lock);
    if (check::on) check::freeing_block(*gone, lock);
    gone->mark_freed();
    return {};
}

}  // namespace
}  // namespace acltwin

using namespace acltwin;

// The policies choose page sizes on the device; here the size decides, and unknown policies are accepted.
aclError aclrtMalloc(void** devPtr, size_t size, aclrtMemMallocPolicy) {
    return answer(__func__, [&] { return allocate_block(devPtr, "devPtr", size, Place::device, kPadding); });
}

aclError aclrtMallocAlign32(void** devPtr, size_t size, aclrtMemMallocPolicy) {
    return answer(__func__, [&] { return allocate_block(devPtr, "devPtr", size, Place::device, 0); });
}

aclError aclrtMallocCached(void** devPtr, size_t size, aclrtMemMallocPolicy) {
    return answer(__func__, [&] { return allocate_block(devPtr, "devPtr", size, Place::device, kPadding); });
}

aclError aclrtFree(void* devPtr) {
    return answer(__func__, [&] { return free_block(devPtr, "devPtr", Place::device); });
}

aclError aclrtMallocHost(void** hostPtr, size_t size) {
    return answer(__func__, [&] { return allocate_block(hostPtr, "hostPtr", size, Place::host, kPadding); });
}

aclError aclrtFreeHost(void* hostPtr) {
    return answer(__func__, [&] { return free_block(hostPtr, "hostPtr", Place::host); });
}

aclError aclrtGetMemInfo(aclrtMemAttr attr, size_t* free, size_t* total) {
    return answer(__func__, [&, attr = int(attr)]() -> Failure {
        if (free == nullptr || total == nullptr) return null_output(free == nullptr ? "free" : "total");
        if (attr < ACL_DDR_MEM || attr > ACL_HBM_MEM_NORMAL)
            return refuse(ACL_ERROR_INVALID_PARAM, "attr is ", attr,
                          ", expected 0 to 5 (an aclrtMemAttr); use ACL_HBM_MEM, for example");
        int device = kHost;
        if (Failure failure = context_device(lock_runtime(), &device)) return failure;
        *free = size_t(sysconf(_SC_AVPHYS_PAGES)) * size_t(sysconf(_SC_PAGESIZE));
        *total = physical_memory();
        return {};
    });
}
