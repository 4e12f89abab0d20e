// A finding as text for people and as a line of JSON.
#pragma once

#include "runtime/check/findings.h"

namespace acltwin::check {

// The frames of all its calls, as they are shown.
std::vector<Frame> all_frames(const Finding& finding, const Lock& lock);
std::string as_text(const Finding& finding, const Lock& lock);
std::string as_json(const Finding& finding, uint64_t count, const Lock& lock);

}  // namespace acltwin::check
