// Which bytes of a block hold something, and why the others do not.
#pragma once

#include "runtime/check/state.h"

namespace acltwin::check {

void note_write(Block& block, const Access& access);
void note_loss(Block& block, Loss loss);

// These bytes hold nothing any more.
void lose(Block& block, const Access& access, Fate fate, const Involved& dropped_by);

// The finding that some of the bytes which are read hold nothing; `as` says as what they are read. The id and the fix
// apply to bytes that nobody has ever written.
void check_written(Id id, const Block& block, const Access& access, const std::string& as, const char* fix,
                   const Lock& lock);

}  // namespace acltwin::check
