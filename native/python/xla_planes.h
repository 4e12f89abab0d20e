// A program that runs on several devices must not end on one of them: the others would wait for it until XLA ends the
// process. There, a plane with an index outside of it is marked instead. So are the planes of XLA's padding, which
// nobody reads, where a batch does not divide by the number of devices.
#pragma once

#include "python/xla_frame.h"

namespace acltwin {

// Runs a checked call plane by plane. The results of a plane that fails are NaN; integers have their lowest value, or
// their highest one without a sign.
void run_planes(const FrameCall& read);

}  // namespace acltwin
