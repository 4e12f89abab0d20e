// Other programs' output, without the program that is checked noticing.
#pragma once

#include <string>

namespace acltwin::check {

// Runs command[0], found in PATH, and reads what it prints. False when it cannot be run or takes very long. The child
// is nobody's to wait for: no SIGCHLD, and the program's own wait() never sees it.
bool output_of(const char* const* command, std::string* output);

}  // namespace acltwin::check
