// Which gradOut cells a gradInput cell collects along one axis. Both rounding rules end in the same kind of table.
#pragma once

#include <cstdint>
#include <vector>

#include "core/export.h"
#include "ops/operator.h"

namespace acltwin {

// begin[0..in]: gradInput cell i collects the gradOut cells [begin[i], begin[i + 1]). `scale` is the factor of the
// forward pass, out / in; 0 means none was given.
ACLTWIN_API std::vector<int64_t> interval_table(int64_t in, int64_t out, double scale, bool exact, MapRule rule);

// The device's table for any factor.
std::vector<int64_t> device_intervals(int64_t in, int64_t out, float factor, bool exact);
// The factor as the device usually finds it.
float device_factor(int64_t in, int64_t out, double scale);

}  // namespace acltwin
