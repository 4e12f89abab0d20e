// A finding as text for people and as a line of JSON.
#pragma once

#include "runtime/check/findings.h"

namespace acltwin::check {

std::string as_text(const Finding& finding, const Lock& lock);
std::string remark_json(const std::string& text);
std::string as_json(const Finding& finding, uint64_t count, const Lock& lock);

// Whether `acltwin check` could say more about where its calls are.
bool has_unknown_lines(const Finding& finding, const Lock& lock);

}  // namespace acltwin::check
