// How many threads a piece of work deserves.
#pragma once

#include <algorithm>

#include "kernels/thread_pool.h"

namespace acltwin {

// Waking a thread costs up to 50 us: it must have a good deal more than that to do.
inline int threads_for(double nanoseconds) {
    constexpr double kWorthAThread = 50e3;
    return int(std::clamp(nanoseconds / kWorthAThread, 1.0, double(num_threads())));
}

}  // namespace acltwin
