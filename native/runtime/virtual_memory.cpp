// Reserved addresses, and what is mapped there.
#include "runtime/virtual_memory.h"

#include <sys/mman.h>

#include <map>

#include "core/huge_pages.h"
#include "runtime/context.h"

namespace acltwin {

struct Reservation {
    Reservation(char* begin, char* data, size_t bytes, int device)
        : begin(begin), data(data), bytes(bytes), device(device) {}
    ~Reservation() {
        munmap(data, bytes);
        // Addresses that host code cannot follow stay reserved: a stale one is recognised for good.
    }
    Reservation(const Reservation&) = delete;
    Reservation& operator=(const Reservation&) = delete;

    char *const begin, *const data;  // as callers know it, and where mapped memory really is
    const size_t bytes;
    const int device;
};

namespace {

constexpr size_t kGiga = size_t(1) << 30;
constexpr size_t kMostReserved = size_t(1) << 46;  // more than processors have addresses for

// Pages that nobody can touch. They cost nothing.
char* reserve_pages(void* wanted, size_t bytes) {
    const int fixed = wanted != nullptr ? MAP_FIXED_NOREPLACE : 0;
    void* const pages = mmap(wanted, bytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | fixed, -1, 0);
    if (pages == MAP_FAILED) return nullptr;
    if (wanted == nullptr || pages == wanted) return static_cast<char*>(pages);
    munmap(pages, bytes);  // an old system, which takes the address for a hint
    return nullptr;
}

char* reserve_aligned(size_t bytes, size_t alignment) {
    char* const pages = reserve_pages(nullptr, bytes + alignment);
    if (pages == nullptr) return nullptr;
    const size_t before = -reinterpret_cast<uintptr_t>(pages) & (alignment - 1);
    if (before > 0) munmap(pages, before);
    munmap(pages + before + bytes, alignment - before);
    return pages + before;
}

// By first address, guarded by the runtime's lock.
using Reservations = std::map<const char*, std::shared_ptr<Reservation>>;

Reservations& reservations(const Lock&) {
    static auto* instance = new Reservations;
    return *instance;
}

// What is mapped where; it keeps memory whose handle is gone.
std::map<const char*, std::shared_ptr<Physical>>& mappings(const Lock&) {
    static auto* instance = new std::map<const char*, std::shared_ptr<Physical>>;
    return *instance;
}

std::shared_ptr<Reservation> reservation_holding(const void* address, const Lock& lock) {
    const auto after = reservations(lock).upper_bound(static_cast<const char*>(address));
    if (after == reservations(lock).begin()) return nullptr;
    const auto& found = std::prev(after)->second;
    return static_cast<const char*>(address) < found->begin + found->bytes ? found : nullptr;
}

Failure reserve(void** address, size_t size, size_t alignment, void* expected, uint64_t flags) {
    if (address == nullptr) return null_output("virPtr");
    if (size == 0)
        return refuse(ACL_ERROR_INVALID_PARAM, "size is 0, expected at least 1 byte; reserve what will be mapped");
    if (alignment != 0)
        return refuse(ACL_ERROR_RT_PARAM_INVALID, "alignment is ", alignment,
                      ", expected 0, which lets the runtime choose; pass 0");
    if (Failure failure = check_flags(flags, 1)) return failure;
    if (size > kMostReserved)
        return refuse(ACL_ERROR_RT_MEMORY_ALLOCATION, "size is ", size, " bytes, expected at most ", kMostReserved,
                      "; reserve less");
    const size_t bytes = (size + kHugePage - 1) / kHugePage * kHugePage;
    const size_t aligned_to = bytes >= kGiga ? kGiga : kHugePage;
    if (reinterpret_cast<uintptr_t>(expected) % aligned_to != 0)
        return refuse(ACL_ERROR_RT_PARAM_INVALID, "expectPtr is ", expected, ", expected a multiple of ", aligned_to,
                      " for this size; round it up, or pass null");
    const Lock lock = lock_runtime();
    std::shared_ptr<Context> context;
    if (Failure failure = current_context(lock, &context)) return failure;
    char* const begin = expected != nullptr ? reserve_pages(expected, bytes) : reserve_aligned(bytes, aligned_to);
    if (begin == nullptr && expected != nullptr)
        return refuse(ACL_ERROR_RT_PARAM_INVALID, "the addresses from expectPtr ", expected,
                      " on are taken, expected free ones; pass null and use what virPtr gives");
    if (begin == nullptr) return system_refuses("to reserve so many addresses");
    char* data = begin;
    if (check::on && check::guard_addresses(begin, bytes, lock)) {
        data = reserve_aligned(bytes, kHugePage);
        if (data == nullptr) return system_refuses("to reserve so many addresses");
    }
    reservations(lock)[begin] = std::make_shared<Reservation>(begin, data, bytes, context->device);
    if (check::on) check::reserved(begin, bytes, context->device, lock);
    *address = begin;
    return {};
}

Failure release(void* address) {
    std::shared_ptr<Reservation> gone;  // outlives the lock
    if (address == nullptr)
        return refuse(ACL_ERROR_INVALID_PARAM, "virPtr is null, expected what aclrtReserveMemAddress gave; pass that");
    const Lock lock = lock_runtime();
    const auto found = reservations(lock).find(static_cast<const char*>(address));
    if (found == reservations(lock).end())
        return refuse(ACL_ERROR_RT_PARAM_INVALID, "virPtr ", address,
                      " is not the start of reserved addresses, expected what aclrtReserveMemAddress gave; release "
                      "each reservation once, with its first address");
    const Held mapped = blocks_within(found->second->begin, found->second->bytes, lock);
    if (!mapped.empty())
        return refuse(ACL_ERROR_RT_PARAM_INVALID, "virPtr ", address, " still has memory mapped at ",
                      static_cast<void*>(mapped.front()->begin()),
                      ", expected none; call aclrtUnmapMem for each aclrtMapMem first");
    if (check::on) check::released(address, lock);
    gone = std::move(found->second);
    reservations(lock).erase(found);
    return {};
}

Failure check_place(const Physical& physical, void* address, size_t size, size_t offset, const Lock& lock,
                    std::shared_ptr<Reservation>* reservation) {
    if (offset != 0)
        return refuse(ACL_ERROR_RT_PARAM_INVALID, "offset is ", offset, ", expected 0; map memory from its beginning");
    if (size != physical.size || size % physical.granularity != 0)
        return refuse(ACL_ERROR_RT_PARAM_INVALID, "size is ", size, " bytes, expected the ", physical.size,
                      " that aclrtMallocPhysical was asked for, a multiple of ", physical.granularity,
                      "; round it up to what aclrtMemGetAllocationGranularity gives, in both calls");
    if (physical.mapped_at != nullptr)
        return refuse(ACL_ERROR_RT_PARAM_INVALID, "handle is mapped at ", static_cast<const void*>(physical.mapped_at),
                      " already, expected memory that is mapped nowhere; call aclrtUnmapMem first");
    *reservation = reservation_holding(address, lock);
    if (*reservation == nullptr)
        return refuse(ACL_ERROR_RT_PARAM_INVALID, "virPtr ", address,
                      " is not in reserved addresses, expected some of aclrtReserveMemAddress; reserve them first");
    const size_t before = size_t(static_cast<char*>(address) - (*reservation)->begin);
    if (before % physical.granularity != 0)
        return refuse(ACL_ERROR_RT_PARAM_INVALID, "virPtr ", address, " is ", before,
                      " bytes behind the start of its reservation, expected a multiple of ", physical.granularity,
                      "; map whole pieces one behind the other");
    if (size > (*reservation)->bytes - before)
        return refuse(ACL_ERROR_RT_PARAM_INVALID, "size is ", size, " bytes, expected at most ",
                      (*reservation)->bytes - before, ", what is reserved from virPtr on; reserve more");
    const Held others = blocks_within((*reservation)->begin, (*reservation)->bytes, lock);
    if (!others.empty() && others.front()->device() != physical.device)
        return refuse(ACL_ERROR_RT_PARAM_INVALID, "handle is memory of device ", physical.device,
                      ", but the reservation has memory of device ", others.front()->device(),
                      ", expected one device; reserve addresses for each");
    // What begins before may reach into it.
    const std::shared_ptr<MemoryBlock> first = block_holding(address, lock);
    const Held mapped = blocks_within(static_cast<char*>(address), size, lock);
    if (first != nullptr || !mapped.empty())
        return refuse(ACL_ERROR_RT_PARAM_INVALID, "virPtr ", address, " has memory mapped at ",
                      static_cast<void*>((first != nullptr ? first : mapped.front())->begin()),
                      " already, expected free addresses; call aclrtUnmapMem first");
    return {};
}

Failure map(void* address, size_t size, size_t offset, aclrtDrvMemHandle handle, uint64_t flags) {
    if (address == nullptr)
        return refuse(ACL_ERROR_INVALID_PARAM, "virPtr is null, expected a reserved address; reserve it first");
    if (Failure failure = check_flags(flags, 0)) return failure;
    const Lock lock = lock_runtime();
    std::shared_ptr<Context> context;
    if (Failure failure = current_context(lock, &context)) return failure;
    std::shared_ptr<Physical> physical;
    if (Failure failure = find_memory(handle, lock, &physical)) return failure;
    std::shared_ptr<Reservation> reservation;
    if (Failure failure = check_place(*physical, address, size, offset, lock, &reservation)) return failure;
    char* const begin = static_cast<char*>(address);
    char* const data = reservation->data + (begin - reservation->begin);
    const auto block = MemoryBlock::borrow(begin, data, size, physical->device, physical, reservation.get());
    if (mmap(data, size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED, physical->descriptor, physical->offset) ==
        MAP_FAILED)
        return system_refuses("to map memory");
    mappings(lock)[begin] = physical;
    add_block(block, lock);
    if (check::on) check::mapped(*block, !physical->was_mapped, lock);
    physical->mapped_at = begin;
    physical->was_mapped = true;
    return {};
}

// Waits for who uses it. Until its pages are gone it stays known, so that nothing else is mapped there.
void end_mapping(const MemoryBlock& block, Lock& lock) {
    mmap(block.data_at(block.begin()), block.bytes(), PROT_NONE,
         MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED, -1, 0);
    const auto mapping = mappings(lock).find(block.begin());
    mapping->second->mapped_at = nullptr;
    mappings(lock).erase(mapping);
    take_block(block.begin(), lock);
    notify_change(&mappings(lock), lock);
}

Failure unmap(void* address) {
    if (address == nullptr)
        return refuse(ACL_ERROR_INVALID_PARAM, "virPtr is null, expected an address that aclrtMapMem was given");
    std::shared_ptr<Physical> physical;  // outlives the lock: giving memory back takes its time
    Lock lock = lock_runtime();
    const std::shared_ptr<MemoryBlock> block = block_holding(address, lock);
    const auto mapping = mappings(lock).find(static_cast<const char*>(address));
    if (mapping == mappings(lock).end() || block == nullptr || block->freed())
        return refuse(ACL_ERROR_RT_PARAM_INVALID, "virPtr ", address,
                      " has no memory mapped, expected an address that aclrtMapMem was given; unmap each piece once, "
                      "with its first address");
    physical = mapping->second;
    if (check::on) check::unmapping(*block, lock);
    block->end_borrowing(lock);
    end_mapping(*block, lock);
    return {};
}

}  // namespace

VirtualMemory take_virtual_memory_of(int device, const Lock& lock) {
    VirtualMemory taken;
    taken.memory = HandleTable<Physical>::instance().remove_if(
        lock, [&](const Physical& physical) { return physical.device == device; });
    for (auto at = reservations(lock).begin(); at != reservations(lock).end();) {
        const std::shared_ptr<Reservation> reservation = at->second;
        at = reservation->device == device ? reservations(lock).erase(at) : std::next(at);
        for (const auto& block : blocks_within(reservation->begin, reservation->bytes, lock))
            if (reservation->device == device || block->device() == device) taken.mapped.push_back(block);
        if (reservation->device == device) taken.reservations.push_back(reservation);
    }
    return taken;
}

void end_virtual_memory(const VirtualMemory& taken, Lock& lock) {
    for (const auto& block : taken.mapped) {
        if (block->freed()) {  // another thread unmaps it
            wait_until(&mappings(lock), lock, [&] { return block_holding(block->begin(), lock) != block; });
            continue;
        }
        block->end_borrowing(lock);
        end_mapping(*block, lock);
    }
}

void forget_parents_virtual_memory(const Lock& lock) {
    for (const auto& [begin, physical] : mappings(lock)) take_block(begin, lock);
    mappings(lock).clear();
    // Their addresses stay taken, as long as the process lives.
    for (const auto& [begin, reservation] : reservations(lock)) new std::shared_ptr<Reservation>(reservation);
    reservations(lock).clear();
    HandleTable<Physical>::instance().remove_if(lock, [](const Physical&) { return true; });
    forget_parents_file(lock);
}

}  // namespace acltwin

using namespace acltwin;

aclError aclrtReserveMemAddress(void** virPtr, size_t size, size_t alignment, void* expectPtr, uint64_t flags) {
    return answer(__func__, [&] { return reserve(virPtr, size, alignment, expectPtr, flags); });
}

aclError aclrtReleaseMemAddress(void* virPtr) {
    return answer(__func__, [&] { return release(virPtr); });
}

aclError aclrtMapMem(void* virPtr, size_t size, size_t offset, aclrtDrvMemHandle handle, uint64_t flags) {
    return answer(__func__, [&] { return map(virPtr, size, offset, handle, flags); });
}

aclError aclrtUnmapMem(void* virPtr) {
    return answer(__func__, [&] { return unmap(virPtr); });
}
