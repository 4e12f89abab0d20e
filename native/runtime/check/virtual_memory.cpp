// Memory that lies elsewhere: what is mapped to reserved addresses, and what the host has registered.
#include <cstring>

#include "runtime/check/accesses.h"
#include "runtime/check/hooks.h"
#include "runtime/check/objects.h"
#include "runtime/check/pinned_guard.h"
#include "runtime/check/races.h"
#include "runtime/memory.h"

namespace acltwin::check {
namespace {

Interval place_of(const Block& reservation, const MemoryBlock& block) {
    const uint64_t begin = uint64_t(block.begin() - reservation.begin);
    return {begin, begin + block.bytes()};
}

}  // namespace

void reserved(const void* begin, size_t bytes, int device, const Lock& lock) noexcept {
    guarded([&] {
        Block fresh = block_of_this_call(begin, bytes, device, lock);
        fresh.is_reserved = true;
        state(lock).blocks[fresh.begin] = std::move(fresh);
    });
}

void released(const void* begin, const Lock& lock) noexcept {
    guarded([&] { end_block_at(begin, lock); });
}

void mapped(const MemoryBlock& block, bool fresh, const Lock& lock) noexcept {
    guarded([&] {
        if (fresh) fill_new_block(block, block.bytes());
        Block* const reservation = block_at(state(lock), block.begin());
        if (reservation == nullptr) return;
        const Interval place = place_of(*reservation, block);
        if (fresh)
            reservation->written.forget(place);
        else
            reservation->written.write(ByteSet(place.begin, place.end - place.begin));  // where it was before
    });
}

void unmapping(const MemoryBlock& block, const Lock& lock) noexcept {
    guarded([&] {
        State& all = state(lock);
        Block* const reservation = block_at(all, block.begin());
        if (reservation == nullptr) return;
        end_bytes(all, *reservation, place_of(*reservation, block), "unmaps memory", lock);
    });
}

// What the host has put there counts as written; a queued copy that may still do so is too late.
void registered(const MemoryBlock& block, const Lock& lock) noexcept {
    guarded([&] {
        Block fresh = block_of_this_call(block.begin(), block.bytes(), block.device(), lock);
        fresh.written.write(ByteSet(0, block.bytes()));
        Block* const pinned = block_at(state(lock), block.data_at(block.begin()));
        if (pinned != nullptr && pinned->device == kHost) {
            pinned->is_registered = true;
            open_pages_of(*pinned, /*ends=*/false, lock);
        }
        fresh.host_address = reinterpret_cast<uintptr_t>(block.data_at(block.begin()));
        Access access = access_of_this_call(state(lock), nullptr, Actor::copy, lock);
        access.bytes = ByteSet(0, block.bytes());
        touch(state(lock), fresh, access, lock);
        state(lock).blocks[fresh.begin] = std::move(fresh);
    });
}

}  // namespace acltwin::check
