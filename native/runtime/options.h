// What the environment chooses: how strictly operators judge, for which SoC, and how many devices there are.
#pragma once

#include <string>

#include "ops/operator.h"
#include "runtime/lock.h"

namespace acltwin {

struct Options {
    Profile profile = Profile::documented;  // ACLTWIN_PROFILE: documented, device
    Soc soc = Soc::ascend910b;              // ACLTWIN_SOC: Ascend910, Ascend910B, Ascend910_93, Ascend950
    const char* soc_name = "Ascend910B";    // as given, e.g. "Ascend910B3"; lives for ever
    int devices = 1;                        // ACLTWIN_DEVICES: 1 to kMaxDevices
    std::string problem;                    // empty, or which variable is wrong, what is expected, how to fix it
};
constexpr int kMaxDevices = 64;

// The environment is read at the first use, and again by each aclInit that starts a new life.
const Options& options(const Lock& lock);
void read_options_again(const Lock& lock);

}  // namespace acltwin
