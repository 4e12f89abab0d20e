// Devices: who uses one, and what ends with its last user.
#pragma once

#include <cstdint>

#include "acl/acl_base.h"
#include "core/failure.h"

namespace acltwin {

Failure create_context_on(int32_t device, aclrtContext* context);
Failure destroy_context_on(int32_t device, aclrtContext context);

}  // namespace acltwin
