// How many threads a piece of work deserves.
#pragma once

#include <algorithm>

#include "core/thread_pool.h"

namespace acltwin {

// A thread that is still awake joins at once, one that sleeps after about 50 us. Until then the caller works alone, so
// a late one costs little.
inline int threads_for(double nanoseconds) {
    constexpr double kWorthAThread = 50e3;
    return int(std::clamp(nanoseconds / kWorthAThread, 1.0, double(num_threads())));
}

}  // namespace acltwin
