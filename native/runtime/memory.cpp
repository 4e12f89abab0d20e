#include "runtime/memory.h"

#include <unistd.h>

#include <algorithm>
#include <iterator>
#include <map>

#include "core/huge_pages.h"
#include "core/output_pool.h"
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

// Pinned memory has its pages for itself where check mode may keep host code from them.
bool has_own_pages(size_t bytes, int device) { return bytes >= kHugePage || (check::on && device == kHost); }

bool is_host(const MemoryBlock& block) { return block.device() == kHost; }

}  // namespace

std::shared_ptr<MemoryBlock> MemoryBlock::allocate(size_t bytes, int device, size_t padding) {
    char* const data = allocate_or_empty_pool([&]() -> char* {
        if (has_own_pages(bytes, device)) return static_cast<char*>(map_pages(bytes));
        return new (std::align_val_t{kBlockAlignment}, std::nothrow) char[bytes]();
    });
    if (data == nullptr) return nullptr;
    char* const hidden = check::on && device != kHost ? check::reserve_addresses(bytes) : nullptr;
    std::shared_ptr<MemoryBlock> block(new MemoryBlock(hidden != nullptr ? hidden : data, data, bytes, device));
    block->padding_ = padding;
    return block;
}

std::shared_ptr<MemoryBlock> MemoryBlock::borrow(char* begin, char* data, size_t bytes, int device,
                                                 std::shared_ptr<const void> owner, const void* area) {
    std::shared_ptr<MemoryBlock> block(new MemoryBlock(begin, data, bytes, device));
    block->is_borrowed_ = true;
    block->owner_ = std::move(owner);
    block->area_ = area;
    return block;
}

MemoryBlock::~MemoryBlock() {
    if (is_borrowed_) return;
    if (has_own_pages(bytes_, device_))
        unmap_pages(data_, bytes_);
    else
        operator delete[](data_, std::align_val_t{kBlockAlignment});
}

void MemoryBlock::end_borrowing(Lock& lock) {
    mark_freed();
    wait_until(this, lock, [&] { return users_ == 0; });
}

// A block of its own stays for its holders. What is borrowed must still be there, and stays for as long as it is used.
BlockUse::BlockUse(const Held& held) : held_(held) {
    if (std::none_of(held.begin(), held.end(), [](const auto& block) { return block->is_borrowed(); })) return;
    const Lock lock = lock_runtime();
    if (failure()) return;
    for (const auto& block : held) ++block->users_;
    is_counted_ = true;
}

BlockUse::~BlockUse() {
    if (!is_counted_) return;
    const Lock lock = lock_runtime();
    for (const auto& block : held_)
        if (--block->users_ == 0) notify_change(block.get(), lock);
}

Failure BlockUse::failure() const {
    for (const auto& block : held_) {
        if (!block->freed()) continue;
        return refuse_by("freed_while_queued", kKernelException, "the block at ", static_cast<void*>(block->begin()),
                         " was freed while queued work used it; synchronise the stream before ",
                         block->is_mapped()     ? "aclrtUnmapMem"
                         : block->is_borrowed() ? "aclrtHostUnregister"
                         : is_host(*block)      ? "aclrtFreeHost"
                                                : "aclrtFree");
    }
    return {};
}

size_t physical_memory() { return physical_bytes; }

std::shared_ptr<MemoryBlock> block_holding(const void* address, const Lock& lock) {
    const Blocks& by_address = blocks(lock);
    const auto after = by_address.upper_bound(static_cast<const char*>(address));
    if (after == by_address.begin()) return nullptr;
    const auto& block = std::prev(after)->second;
    return static_cast<const char*>(address) < block->begin() + block->bytes() ? block : nullptr;
}

namespace {

// Calls visit(block) for those that one memory from `first` on consists of, until it returns false.
template <class Visit>
void for_each_from(const std::shared_ptr<MemoryBlock>& first, const Lock& lock, const Visit& visit) {
    if (!first->is_borrowed()) return static_cast<void>(visit(first));
    const MemoryBlock* before = nullptr;
    for (auto at = blocks(lock).find(first->begin()); at != blocks(lock).end(); ++at) {
        if ((before != nullptr && !at->second->continues(*before)) || !visit(at->second)) return;
        before = at->second.get();
    }
}

}  // namespace

size_t bytes_from(const std::shared_ptr<MemoryBlock>& block, const void* address, size_t enough, const Lock& lock) {
    size_t bytes = 0;
    for_each_from(block, lock, [&](const auto& next) {
        bytes = size_t(next->begin() + next->bytes() - static_cast<const char*>(address));
        return bytes < enough;
    });
    return bytes;
}

Failure find_range(const char* what, void* address, size_t bytes, int device, const Lock& lock, Held* held,
                   char** data) {
    const std::shared_ptr<MemoryBlock> first = block_holding(address, lock);
    if (first == nullptr || is_host(*first)) {
        if (check::on) check::will_refuse(check::Id::host_host_pointer_given, address);
        return refuse_by("device_address", ACL_ERROR_RT_PARAM_INVALID, what, " ", address,
                         " is not in a live device block, expected an address from aclrtMalloc; ",
                         first == nullptr
                             ? "copy host data to the device first, and free blocks only after their last use"
                             : "this one is from aclrtMallocHost");
    }
    if (check::on && device != kAnyDevice && first->device() != device)
        check::will_refuse(check::Id::use_wrong_device, address);
    if (device != kAnyDevice && first->device() != device)
        return refuse_by("device_address", ACL_ERROR_RT_PARAM_INVALID, what, " ", address, " is on device ",
                         first->device(), ", expected device ", device, "; allocate it there");
    const size_t available = bytes_from(first, address, bytes, lock);
    if (available < bytes) {
        if (check::on) check::will_refuse(check::Id::bounds_tensor_beyond_block, address);
        return refuse_by("storage_in_block", ACL_ERROR_RT_PARAM_INVALID, what, " needs ", bytes, " bytes from ",
                         address, ", expected at most ", first->asked_of(available),
                         ", which its block has there; allocate a larger block");
    }
    const char* const end = static_cast<const char*>(address) + bytes;
    for_each_from(first, lock, [&](const auto& block) {
        if (block != first && block->begin() >= end) return false;
        held->push_back(block);
        return true;
    });
    *data = first->data_at(address);
    return {};
}

void add_block(const std::shared_ptr<MemoryBlock>& block, const Lock& lock) {
    blocks(lock).emplace(block->begin(), block);
}

std::shared_ptr<MemoryBlock> take_block(const void* begin, const Lock& lock) {
    const auto found = blocks(lock).find(static_cast<const char*>(begin));
    if (found == blocks(lock).end()) return nullptr;
    std::shared_ptr<MemoryBlock> taken = std::move(found->second);
    blocks(lock).erase(found);
    return taken;
}

Held take_blocks_of(int device, const Lock& lock) {
    Held taken;
    for (const auto& [begin, block] : blocks(lock))
        if (block->device() == device && !block->is_mapped()) taken.push_back(block);
    for (const auto& block : taken) take_block(block->begin(), lock);
    return taken;
}

Held blocks_within(const char* begin, size_t bytes, const Lock& lock) {
    Held found;
    for (auto at = blocks(lock).lower_bound(begin); at != blocks(lock).end() && at->first < begin + bytes; ++at)
        found.push_back(at->second);
    return found;
}

void end_blocks(const Held& ended) {
    for (const auto& block : ended) {
        if (!block->is_borrowed()) {
            block->mark_freed();
            continue;
        }
        Lock lock = lock_runtime();
        block->end_borrowing(lock);
    }
}

void forget_parents_uses(const Lock& lock) {
    for (const auto& [begin, block] : blocks(lock)) block->users_ = 0;
}

}  // namespace acltwin
