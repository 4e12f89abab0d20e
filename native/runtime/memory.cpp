#include "runtime/memory.h"

#include <unistd.h>

#include <iterator>
#include <map>

#include "acl/acl_rt.h"
#include "core/huge_pages.h"
#include "core/output_pool.h"
#include "runtime/context.h"
#include "runtime/error.h"

namespace acltwin {
namespace {

const size_t physical_bytes = size_t(sysconf(_SC_PHYS_PAGES)) * size_t(sysconf(_SC_PAGESIZE));

// The living blocks by first address. A freed block leaves at once, though its memory may have to wait.
using Blocks = std::map<const char*, std::shared_ptr<MemoryBlock>>;

Blocks& blocks(const Lock&) {
    static Blocks* instance = new Blocks;  // never destroyed: streams may still run while the process ends
    return *instance;
}

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
        MemoryBlock::allocate(round_up(size) + padding, place == Place::host ? kHost : device);
    if (block == nullptr)
        return refuse(ACL_ERROR_RT_MEMORY_ALLOCATION, "the system has no ", size,
                      " bytes left; free blocks with aclrtFree, or use smaller tensors");
    if (check::on) check::fill_new_block(*block, size);
    const Lock lock = lock_runtime();
    // Another thread may have reset the device since: a block for it would never be given back.
    if (Failure failure = context_device(lock, &device)) return failure;
    blocks(lock).emplace(block->begin(), block);
    if (check::on) check::made_block(*block, size, lock);
    *address = block->begin();
    return {};
}

bool is_host(const MemoryBlock& block) { return block.device() == kHost; }

Failure free_block(void* address, const char* name, Place place) {
    const bool host = place == Place::host;
    std::shared_ptr<MemoryBlock> gone;  // outlives the lock: giving memory back takes its time
    if (address == nullptr)
        return refuse(ACL_ERROR_INVALID_PARAM, name,
                      " is null, expected a block; free only what a malloc function gave");
    const Lock lock = lock_runtime();
    int device = kHost;
    if (Failure failure = context_device(lock, &device)) return failure;
    const auto found = blocks(lock).find(static_cast<const char*>(address));
    if (found == blocks(lock).end()) {
        if (check::on) check::will_refuse(check::Id::host_host_pointer_given, address);
        return refuse(ACL_ERROR_RT_PARAM_INVALID, name, " ", address,
                      " is not the start of a live block, expected an address that a malloc function gave; free each "
                      "block once, with the address its malloc gave");
    }
    if (is_host(*found->second) != host)
        return refuse(ACL_ERROR_RT_PARAM_INVALID, name, " ", address, " is ", host ? "device" : "host",
                      " memory, expected ", host ? "host" : "device", " memory; use ",
                      host ? "aclrtFree" : "aclrtFreeHost");
    gone = std::move(found->second);
    if (check::on) check::freeing_block(*gone, lock);
    gone->mark_freed();
    blocks(lock).erase(found);
    return {};
}

}  // namespace

std::shared_ptr<MemoryBlock> MemoryBlock::allocate(size_t bytes, int device) {
    char* const data = allocate_or_empty_pool([&]() -> char* {
        if (bytes >= kHugePage) return static_cast<char*>(map_pages(bytes));
        return new (std::align_val_t{kBlockAlignment}, std::nothrow) char[bytes]();
    });
    if (data == nullptr) return nullptr;
    char* const hidden = check::on && device != kHost ? check::reserve_addresses(bytes) : nullptr;
    return std::shared_ptr<MemoryBlock>(new MemoryBlock(hidden != nullptr ? hidden : data, data, bytes, device));
}

MemoryBlock::~MemoryBlock() {
    if (bytes_ >= kHugePage)
        unmap_pages(data_, bytes_);
    else
        operator delete[](data_, std::align_val_t{kBlockAlignment});
}

size_t physical_memory() { return physical_bytes; }

std::shared_ptr<MemoryBlock> block_holding(const void* address, const Lock& lock) {
    const Blocks& by_address = blocks(lock);
    const auto after = by_address.upper_bound(static_cast<const char*>(address));
    if (after == by_address.begin()) return nullptr;
    const auto& block = std::prev(after)->second;
    return static_cast<const char*>(address) < block->begin() + block->bytes() ? block : nullptr;
}

Failure find_range(const char* what, const void* address, size_t bytes, int device, const Lock& lock,
                   std::shared_ptr<MemoryBlock>* block) {
    *block = block_holding(address, lock);
    if (*block == nullptr || is_host(**block)) {
        if (check::on) check::will_refuse(check::Id::host_host_pointer_given, address);
        return refuse_by("device_address", ACL_ERROR_RT_PARAM_INVALID, what, " ", address,
                         " is not in a live device block, expected an address from aclrtMalloc; ",
                         *block == nullptr
                             ? "copy host data to the device first, and free blocks only after their last use"
                             : "this one is from aclrtMallocHost");
    }
    if (device != kAnyDevice && (*block)->device() != device)
        return refuse_by("device_address", ACL_ERROR_RT_PARAM_INVALID, what, " ", address, " is on device ",
                         (*block)->device(), ", expected device ", device, "; allocate it there");
    if ((*block)->bytes_from(address) < bytes) {
        if (check::on) check::will_refuse(check::Id::bounds_tensor_beyond_block, address);
        return refuse_by("storage_in_block", ACL_ERROR_RT_PARAM_INVALID, what, " needs ", bytes, " bytes from ",
                         address, ", expected at most ", (*block)->bytes_from(address),
                         ", which its block has there; allocate a larger block");
    }
    return {};
}

Failure still_owned(const std::vector<std::shared_ptr<MemoryBlock>>& held) {
    for (const auto& block : held) {
        if (!block->freed()) continue;
        return refuse_by("freed_while_queued", kKernelException, "the block at ", static_cast<void*>(block->begin()),
                         " was freed while queued work used it; synchronise the stream before aclrtFree");
    }
    return {};
}

std::vector<std::shared_ptr<MemoryBlock>> take_blocks_of(int device, const Lock& lock) {
    std::vector<std::shared_ptr<MemoryBlock>> taken;
    Blocks& by_address = blocks(lock);
    for (auto at = by_address.begin(); at != by_address.end();) {
        if (at->second->device() == device) {
            taken.push_back(at->second);
            at = by_address.erase(at);
        } else {
            ++at;
        }
    }
    return taken;
}

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
