// Settings from environment variables, read once; a wrong one is reported, never guessed around.
#pragma once

#include <cstdint>
#include <string>

#include "core/export.h"

namespace acltwin {

// The variable's value; null when it is unset or empty.
const char* environment_text(const char* variable);

// The variable's value as a whole number in [least, most]; `otherwise` when it is unset or empty. A value that is
// neither gives `otherwise`, and `problem` says so.
int64_t read_number(const char* variable, int64_t least, int64_t most, int64_t otherwise, std::string* problem);
// The same; the problem is remembered for environment_problem.
int64_t environment_number(const char* variable, int64_t least, int64_t most, int64_t otherwise);

// Remembers that a variable has a value nobody can use. The first one counts.
void report_environment_problem(const std::string& text);

// Empty, or what is wrong with a variable, what is expected and how to fix it.
ACLTWIN_API std::string environment_problem();

// A sentence about variables that begin with ACLTWIN_ and mean nothing, with the known names nearest to theirs. Empty
// if there are none, and after the first call: the user is told once.
ACLTWIN_API std::string take_environment_warning();

}  // namespace acltwin
