#include "runtime/options.h"

#include <cstdio>
#include <cstring>
#include <optional>
#include <set>

#include "acl/acl_rt.h"
#include "core/environment.h"
#include "runtime/error.h"

namespace acltwin {
namespace {

void read_profile(Options& options) {
    const char* value = environment_text("ACLTWIN_PROFILE");
    if (value == nullptr || std::strcmp(value, "documented") == 0) return;
    if (std::strcmp(value, "device") == 0)
        options.profile = Profile::device;
    else
        options.problem =
            sentence("ACLTWIN_PROFILE is '", value, "', expected documented or device; correct it or unset it");
}

// Names are handed out by aclrtGetSocName, so they stay; there are only as many as the environment ever had.
const char* keep_name(const char* name) {
    static std::set<std::string>* names = new std::set<std::string>;
    return names->insert(name).first->c_str();
}

// SoC names carry a suffix for the variant (Ascend910B3, Ascend910_9391); the longest family that begins the name
// counts.
void read_soc(Options& options) {
    static const struct {
        const char* family;
        Soc soc;
    } kFamilies[] = {{"Ascend910_93", Soc::ascend910_93},
                     {"Ascend910B", Soc::ascend910b},
                     {"Ascend950", Soc::ascend950},
                     {"Ascend910", Soc::ascend910}};
    const char* value = environment_text("ACLTWIN_SOC");
    if (value == nullptr) return;
    for (const auto& [family, soc] : kFamilies) {
        if (std::strncmp(value, family, std::strlen(family)) != 0) continue;
        options.soc = soc;
        options.soc_name = keep_name(value);
        return;
    }
    options.problem = sentence("ACLTWIN_SOC is '", value,
                               "', expected Ascend910, Ascend910B, Ascend910_93 or Ascend950 (a suffix such as "
                               "Ascend910B3 is fine); correct it or unset it");
}

Options read_environment() {
    const std::string warning = take_environment_warning();
    if (!warning.empty()) std::fprintf(stderr, "acltwin: warning: %s\n", warning.c_str());
    Options options;
    options.problem = environment_problem();
    read_profile(options);
    read_soc(options);
    options.devices = int(read_number("ACLTWIN_DEVICES", 1, kMaxDevices, options.devices, &options.problem));
    return options;
}

std::optional<Options>& current() {
    static auto* instance = new std::optional<Options>;
    return *instance;
}

}  // namespace

const Options& options(const Lock& lock) {
    if (!current()) read_options_again(lock);
    return *current();
}

void read_options_again(const Lock&) { current() = read_environment(); }

}  // namespace acltwin

const char* aclrtGetSocName(void) {
    const acltwin::Lock lock = acltwin::lock_runtime();
    return acltwin::options(lock).soc_name;
}
