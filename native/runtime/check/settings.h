// What the environment asks of check mode, read once when the library is loaded.
#pragma once

#include <string>

#include "runtime/check/ids.h"

namespace acltwin::check {

struct Settings {
    bool looks_for[kFindingKinds] = {};
    std::string unknown;  // of ACLTWIN_CHECK: the first word that is no kind

    bool any() const;
};

// "1" or "all", or a list such as "race,leak"; null, "" and "0" ask for nothing.
Settings parse_settings(const char* text);

const Settings& settings();  // ACLTWIN_CHECK

// Whether anything is looked for. Constant from the time that the library is loaded; hidden, so that one instruction
// reads it.
extern const bool on __attribute__((visibility("hidden")));
inline bool looks_for(FindingKind kind) { return settings().looks_for[int(kind)]; }

}  // namespace acltwin::check
