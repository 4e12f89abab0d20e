// A seed that is new every time, and printed: ACLTWIN_TEST_SEED repeats it.
#pragma once

#include <cstdio>
#include <cstdlib>
#include <random>

namespace acltwin {

inline uint64_t printed_seed() {
    const char* given = std::getenv("ACLTWIN_TEST_SEED");
    const uint64_t seed = given != nullptr ? std::strtoull(given, nullptr, 10) : std::random_device()();
    std::fprintf(stderr, "seed %llu\n", static_cast<unsigned long long>(seed));
    return seed;
}

}  // namespace acltwin
