// What a forked child does with the state it has inherited.
#pragma once

#include "runtime/lock.h"

namespace acltwin {

// Contexts, handles and blocks live on in the child. Work that was queued or running is the parent's: its threads do it
// there. Waiting for it in the child fails.
void abandon_parents_work(const Lock& lock);

}  // namespace acltwin
