// Blocks of memory as calls make and end them.
#pragma once

#include "runtime/check/state.h"

namespace acltwin::check {

Block block_of_this_call(const void* begin, size_t requested, int device, const Lock& lock);
void end_block_at(const void* begin, const Lock& lock);

}  // namespace acltwin::check
