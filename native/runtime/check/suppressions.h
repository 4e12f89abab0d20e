// Findings that the user knows and does not want to see.
#pragma once

#include <string>
#include <vector>

#include "runtime/check/symbols.h"

namespace acltwin::check {

// One line of the file: FINDING-ID [function=GLOB] [file=GLOB]. The id may end in ".*"; a function and a file must be
// those of one frame.
struct Suppression {
    std::string id, function, file;  // empty: any

    bool matches(const char* finding, const std::vector<Frame>& frames) const;
};

struct Suppressions {
    std::vector<Suppression> lines;
    std::string problem;  // the first line that cannot be read, and why

    bool match(const char* finding, const std::vector<Frame>& frames) const;
};

Suppressions parse_suppressions(const std::string& text);

}  // namespace acltwin::check
