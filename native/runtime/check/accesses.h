// What copies, memsets and launches do to blocks: order, bytes that nobody wrote, bytes beyond the end.
#pragma once

#include "runtime/check/state.h"

namespace acltwin::check {

// Reads and writes of one call at one block.
void read_block(State& state, Block& block, const Access& access, const Lock& lock);
void write_block(State& state, Block& block, const Access& access, const Lock& lock);

// A host function is queued, and its argument may be the address of what it reads.
void give_to_host_function(State& state, const Stream& stream, const void* argument, const Lock& lock);

// How many bytes beyond the requested ones the set reaches.
uint64_t bytes_beyond(const Block& block, const ByteSet& bytes);

// An access of this call, on a stream or by the host.
Access access_of_this_call(State& state, const Stream* stream, Actor actor, const Lock& lock);

}  // namespace acltwin::check
