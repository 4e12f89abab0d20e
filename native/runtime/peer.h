// Peer access: which device may copy to which.
#pragma once

#include "runtime/lock.h"

namespace acltwin {

bool has_peer_access(int from, int to, const Lock& lock);
void end_peer_access_of(int device, const Lock& lock);  // it is reset

}  // namespace acltwin
