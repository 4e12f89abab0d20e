#include "runtime/check/settings.h"

#include <algorithm>
#include <cstring>
#include <iterator>
#include <sstream>

#include "core/environment.h"

namespace acltwin::check {

bool Settings::any() const {
    return std::any_of(std::begin(looks_for), std::end(looks_for), [](bool chosen) { return chosen; });
}

Settings parse_settings(const char* text) {
    Settings settings;
    if (text == nullptr || std::strcmp(text, "0") == 0) return settings;
    std::istringstream words(text);
    for (std::string word; std::getline(words, word, ',');) {
        word.erase(0, word.find_first_not_of(" \t"));
        word.erase(word.find_last_not_of(" \t") + 1);
        bool known = word.empty();
        for (int kind = 0; kind < kFindingKinds; ++kind) {
            if (word != "1" && word != "all" && word != name_of(FindingKind(kind))) continue;
            settings.looks_for[kind] = known = true;
        }
        if (!known && settings.unknown.empty()) settings.unknown = word;
    }
    return settings;
}

const Settings& settings() {
    static const Settings* instance = new Settings(parse_settings(environment_text("ACLTWIN_CHECK")));
    return *instance;
}

const bool on = settings().any();

}  // namespace acltwin::check
