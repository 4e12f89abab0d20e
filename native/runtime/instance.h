// One process, one runtime. A handle of one copy of this library looks like a handle of another, and its blocks are
// nothing to the other: two copies at work in one process would mix up what belongs to whom.
#pragma once

#include <string>

#include "core/failure.h"

namespace acltwin {

// Makes this copy of the library the process's runtime; a failure that names both files if another copy is it already.
// Everything that begins a runtime's work asks first: initialising, taking a device, creating handles.
Failure claim_process();

// The end of a message that fails here because another copy is the process's runtime; empty when there is none.
std::string other_runtime_note();

}  // namespace acltwin
