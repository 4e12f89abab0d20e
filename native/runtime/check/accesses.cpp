#include "runtime/check/accesses.h"

#include <algorithm>

#include "runtime/check/history.h"
#include "runtime/check/hooks.h"
#include "runtime/check/races.h"
#include "runtime/memory.h"
#include "runtime/stream.h"

namespace acltwin::check {
namespace {

std::string queued(const Access& access) { return access.by_host() ? "" : access.detail + " queued"; }

ByteSet bytes_of(const Block& block, const Rows& rows) {
    const int64_t first = int64_t(reinterpret_cast<uintptr_t>(rows.address) - reinterpret_cast<uintptr_t>(block.begin));
    const int64_t height = int64_t(rows.height), pitch = int64_t(rows.pitch);
    return ByteSet::view(first, rows.width, 1, &height, &pitch);
}

void check_end(const Block& block, const ByteSet& bytes, const char* side, const Access& access, const Lock& lock) {
    const uint64_t beyond = bytes_beyond(block, bytes);
    if (beyond == 0) return;
    Finding(Id::bounds_copy_beyond_block, function_of(access.call, lock) + " touches " + in_bytes(beyond) +
                                              " behind the end of its " + side +
                                              ": only the padding of this block hides it")
        .about(subject_of(block))
        .calls({access.involved()})
        .fix("copy no more than the block has, or ask for a larger block")
        .report(lock);
}

// The launch that should have written these bytes has failed, and a status said so.
void check_failed(const Block& block, const Access& access, const Lock& lock) {
    if (block.failed.launch == 0) return;
    Finding(Id::use_status_ignored, function_of(access.call, lock) + " copies a result of " +
                                        function_of(block.failed.launch, lock) + ", which has failed: status " +
                                        std::to_string(block.failed.status) + " said so")
        .about(subject_of(block))
        .calls({{"launch", "", block.failed.launch}, {"status", "", block.failed.reported_by}, access.involved()})
        .fix("look at the status of each call, and use no result of a launch that failed")
        .report(lock);
}

// Null: this end is in no memory that the program knows.
Block* touched_block(State& state, const Rows& rows, const Lock& lock) {
    if (rows.address == nullptr) return nullptr;
    return block_holding(rows.address, lock) != nullptr ? block_at(state, rows.address) : &state.host_memory;
}

// Rows that were written in one block are written in the other; of those that were not, the copy is remembered.
void carry_written(const Block& source, const Rows& from, const Involved& copy, Block& destination, const Rows& to) {
    if (source.written.missing(bytes_of(source, from)) > 0)
        note_loss(destination, {bytes_of(destination, to), Fate::brought_unwritten, copy, {}});
    const uint64_t begin = uint64_t(static_cast<const char*>(from.address) - source.begin);
    const uint64_t target = uint64_t(static_cast<const char*>(to.address) - destination.begin);
    for (size_t row = 0; row < from.height; ++row)
        destination.written.copy(source.written, begin + row * from.pitch, target + row * to.pitch, from.width);
}

}  // namespace

uint64_t bytes_beyond(const Block& block, const ByteSet& bytes) {
    const uint64_t end = bytes.hull().end;
    return end > block.requested ? end - block.requested : 0;
}

Access access_of_this_call(State& state, const Stream* stream, Actor actor, const Lock& lock) {
    Access access;
    access.actor = actor;
    access.sequence = ++state.sequence;
    access.call = this_call(lock);
    if (stream == nullptr) return access;
    const StreamState& on = stream_state(state, *stream);
    access.moment = state.timeline.queue(on.number);
    access.detail = " on " + described(on) + (state.is_recorded ? ", captured," : ",");
    return access;
}

void give_to_host_function(State& state, const Stream& stream, const void* argument, const Lock& lock) {
    Access access = access_of_this_call(state, &stream, Actor::host_function, lock);
    auto& functions = state.unfinished_functions;
    const auto is_over = [&](const Moment& one) { return one.before(state.timeline.host()); };
    functions.erase(std::remove_if(functions.begin(), functions.end(), is_over), functions.end());
    functions.push_back(access.moment);
    const Rows first_byte = {argument, 1, 1};
    Block* const block = touched_block(state, first_byte, lock);
    if (block == nullptr || !block->host_address) return;
    access.bytes = bytes_of(*block, first_byte);
    access.detail += " launched";
    touch(state, *block, access, lock);
}

void read_block(State& state, Block& block, const Access& access, const Lock& lock) {
    touch(state, block, access, lock);
    for (const CallId launch : block.unread) state.results[launch] = true;
    block.unread.clear();
}

void write_block(State& state, Block& block, const Access& access, const Lock& lock) {
    touch(state, block, access, lock);
    block.failed = FailedLaunch{};
    note_write(block, access);
}

void copied(const Rows& destination, const Rows& source, const Stream* stream, const Lock& lock) noexcept {
    guarded([&] {
        State& all = state(lock);
        Access access = access_of_this_call(all, stream, Actor::copy, lock);
        Block *const to = touched_block(all, destination, lock), *const from = touched_block(all, source, lock);
        const bool to_host = to != nullptr && to->device < 0, from_host = from == nullptr || from->device < 0;
        access.detail = std::string(" (") + (from_host ? "host" : "device") + " to " + (to_host ? "host)" : "device)") +
                        queued(access);
        Involved copy{"copy", access.detail, access.call};
        if (from != nullptr) {
            access.bytes = bytes_of(*from, source);
            check_end(*from, access.bytes, "source", access, lock);
            if (to_host) check_failed(*from, access, lock);
            if (to_host && !from_host)
                check_written(Id::init_copy_reads_unwritten, *from, access, "",
                              "copy after the launch that writes these bytes, or copy no more than it writes", lock);
            read_block(all, *from, access, lock);
        }
        if (to == nullptr) return;
        access.writes = true;
        access.bytes = bytes_of(*to, destination);
        check_end(*to, access.bytes, "destination", access, lock);
        if (from_host || to_host) return write_block(all, *to, access, lock);
        // On the device, what nobody wrote stays unwritten: it is a mistake only where it is used.
        touch(all, *to, access, lock);
        to->failed = FailedLaunch{};
        note_write(*to, access);
        if (looks_for(FindingKind::init)) carry_written(*from, source, copy, *to, destination);
    });
}

void copied_without_access(const void* source, int from, int to, const Lock& lock) noexcept {
    guarded([&] {
        const Block* const block = block_at(state(lock), source);
        if (block == nullptr) return;
        Finding(Id::use_no_peer_access, std::string(this_function()) + " copies from device " + std::to_string(from) +
                                            " to device " + std::to_string(to) + ", which " + std::to_string(from) +
                                            " has no access to")
            .about(subject_of(*block))
            .calls({{"copy", "", this_call(lock)}})
            .fix("call aclrtDeviceEnablePeerAccess(" + std::to_string(to) + ", 0) first, with device " +
                 std::to_string(from) + " set")
            .report(lock);
    });
}

void used_on_another_device(const void* address, const Stream& stream, const Lock& lock) noexcept {
    guarded([&] {
        State& all = state(lock);
        const Block* const block = block_at(all, address);
        if (block == nullptr) return;
        const std::string device = std::to_string(stream.device()), other = std::to_string(block->device);
        const StreamState& on = stream_state(all, stream);
        Finding(Id::use_wrong_device, std::string(this_function()) + " on " + described(on) + " of device " + device +
                                          " uses memory of device " + other + ", which it has no access to")
            .about(subject_of(*block))
            .calls({{"call", " on " + described(on) + ", queued", this_call(lock)}})
            .fix("use a stream of device " + other + ", or allocate the memory with device " + device + " set")
            .report(lock);
    });
}

void filled(const Rows& destination, const Stream* stream, const Lock& lock) noexcept {
    guarded([&] {
        State& all = state(lock);
        Block* block = block_at(all, destination.address);
        if (block == nullptr || destination.width == 0) return;
        Access access = access_of_this_call(all, stream, Actor::copy, lock);
        access.detail = queued(access);
        access.writes = true;
        access.bytes = bytes_of(*block, destination);
        check_end(*block, access.bytes, "block", access, lock);
        write_block(all, *block, access, lock);
    });
}

}  // namespace acltwin::check
