// The whole test framework: say what was expected and stop.
#pragma once

#include <cstdio>
#include <cstdlib>
#include <string>

inline void expect(bool condition, const std::string& what) {
    if (condition) return;
    std::fprintf(stderr, "FAILED: %s\n", what.c_str());
    std::exit(1);
}
