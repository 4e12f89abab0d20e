// Objects behind handles and blocks of memory: who made them, who ended them.
#include "runtime/check/objects.h"

#include <cstring>

#include "runtime/capture.h"
#include "runtime/check/ending.h"
#include "runtime/check/hooks.h"
#include "runtime/check/pinned_guard.h"
#include "runtime/check/races.h"
#include "runtime/check/refusals.h"
#include "runtime/event.h"
#include "runtime/memory.h"
#include "runtime/stream.h"

namespace acltwin::check {
namespace {

constexpr size_t kMostGone = 4096;  // dead things that are remembered

const void* owner_of(acltwin::Kind kind, const void* object) {
    if (kind == acltwin::Kind::stream) return static_cast<const Stream*>(object)->context();
    if (kind == acltwin::Kind::event) return static_cast<const Event*>(object)->context;
    if (kind == acltwin::Kind::capture) return static_cast<const Capture*>(object)->context();
    return nullptr;
}

template <class Map, class Order, class Entry>
void remember_gone(Map& map, Order& order, typename Map::key_type key, const Entry& entry) {
    map[key] = entry;
    order.push_back(key);
    if (order.size() <= kMostGone) return;
    map.erase(order.front());
    order.pop_front();
}

void end_object(State& state, std::map<const void*, Object>::iterator object, CallId by) {
    const void* handle = object->first;
    remember_gone(state.gone, state.gone_order, handle, Gone{object->second.kind, object->second.made_by, by});
    state.events.erase(handle);
    state.executions.erase(handle);
    state.objects.erase(object);
}

void end_block(State& state, std::map<const char*, Block>::iterator block, CallId by) {
    const GoneBlock gone{block->second.requested, block->second.made_by, by};
    remember_gone(state.gone_blocks, state.gone_blocks_order, block->first, gone);
    state.blocks.erase(block);
}

}  // namespace

void made(acltwin::Kind kind, const void* handle, const void* object, const Lock& lock) noexcept {
    guarded([&] {
        State& all = state(lock);
        Object fresh{kind};
        fresh.made_by = this_call(lock);
        fresh.sequence = ++all.sequence;
        fresh.owner = owner_of(kind, object);
        all.objects[handle] = fresh;
        if (kind == acltwin::Kind::stream) stream_state(all, *static_cast<const Stream*>(object)).handle = handle;
        if (kind == acltwin::Kind::executor) planned_call(all);
    });
}

void ended(const void* handle, const Lock& lock) noexcept {
    guarded([&] {
        State& all = state(lock);
        const auto found = all.objects.find(handle);
        if (found != all.objects.end()) end_object(all, found, this_call(lock));
    });
}

void ending_context(const void* context, int device, bool blocks, const Lock& lock) noexcept {
    guarded([&] {
        State& all = state(lock);
        report_ending_context(all, context, device, blocks, lock);
        for (auto at = all.objects.begin(); at != all.objects.end();) {
            const auto object = at++;
            if (object->second.owner == context) end_object(all, object, this_call(lock));
        }
        for (auto at = all.blocks.begin(); blocks && at != all.blocks.end();) {
            const auto block = at++;
            if (block->second.device == device) end_block(all, block, this_call(lock));
        }
    });
}

// Not a number in every floating type, -1 in every integer, which no index is. The padding stays zero: relying on it is
// a finding of its own.
void fill_new_block(const MemoryBlock& block, size_t requested) noexcept {
    if (looks_for(FindingKind::init) && block.device() != kHost)
        std::memset(block.data_at(block.begin()), 0xff, requested);
}

Block block_of_this_call(const void* begin, size_t requested, int device, const Lock& lock) {
    State& all = state(lock);
    Block fresh;
    fresh.begin = static_cast<const char*>(begin);
    fresh.requested = requested;
    fresh.device = device;
    fresh.made_by = this_call(lock);
    fresh.sequence = ++all.sequence;
    if (device != kHost) fresh.written = Shadow(requested);
    all.gone_blocks.erase(fresh.begin);
    return fresh;
}

void end_block_at(const void* begin, const Lock& lock) {
    State& all = state(lock);
    const auto found = all.blocks.find(static_cast<const char*>(begin));
    if (found != all.blocks.end()) end_block(all, found, this_call(lock));
}

void made_block(const MemoryBlock& block, size_t requested, const Lock& lock) noexcept {
    guarded([&] {
        Block fresh = block_of_this_call(block.begin(), requested, block.device(), lock);
        if (block.device() == kHost) {
            fresh.host_address = reinterpret_cast<uintptr_t>(block.begin());
            forget_accesses(state(lock), fresh);
        }
        state(lock).blocks[fresh.begin] = std::move(fresh);
    });
}

void freeing_block(const MemoryBlock& block, const Lock& lock) noexcept {
    guarded([&] {
        State& all = state(lock);
        const auto found = all.blocks.find(block.begin());
        if (found == all.blocks.end()) return;
        end_bytes(all, found->second, {0, block.bytes()}, "frees a block", lock);
        open_pages_of(found->second, /*ends=*/true, lock);
        end_block(all, found, this_call(lock));
    });
}

}  // namespace acltwin::check
