// Devices: who uses one, and what ends with its last user.
#pragma once

#include <cstdint>

#include "acl/acl_base.h"
#include "core/failure.h"
#include "runtime/lock.h"

namespace acltwin {

// A failure when there is no device of this number.
Failure check_device(int32_t id, const Lock& lock);

Failure create_context_on(int32_t device, const Lock& lock, aclrtContext* context);
// Takes the context away at once, then waits for its streams.
Failure destroy_context(aclrtContext context, Lock& lock);

}  // namespace acltwin
