// Is a text JSON? aclInit must know; it needs none of the values.
#pragma once

#include <string>

namespace acltwin {

bool is_json(const std::string& text);

}  // namespace acltwin
