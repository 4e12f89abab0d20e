// Where a fault happened, found by a signal handler.
#pragma once

#include <cstdint>

namespace acltwin::check {

constexpr int kMostFaultFrames = 24;

// The frames' return addresses, the place of the fault first. `context`: the handler's third argument.
int fault_frames(const void* context, uintptr_t (&frames)[kMostFaultFrames]);

}  // namespace acltwin::check
