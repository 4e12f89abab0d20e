// Host functions in streams.
#pragma once

#include "runtime/stream.h"

namespace acltwin {

// The calling thread is in a host function of this stream, and would wait for itself.
Failure check_not_inside(const Stream& stream);

// Nobody is subscribed to the stream any more; functions that wait for their thread are given up.
void end_reports_of(const Stream& stream, const Lock& lock);

void forget_parents_reports(const Lock& lock);  // in a forked child

}  // namespace acltwin
