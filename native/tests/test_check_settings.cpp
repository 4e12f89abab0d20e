// ACLTWIN_CHECK and the table of findings.
#include <cstring>
#include <set>

#include "expect.h"
#include "runtime/check/ids.h"
#include "runtime/check/settings.h"

using namespace acltwin::check;

namespace {

std::string chosen(const char* text) {
    const Settings settings = parse_settings(text);
    std::string kinds = settings.unknown;
    for (int kind = 0; kind < kFindingKinds; ++kind)
        if (settings.looks_for[kind]) kinds += std::string(" ") + name_of(FindingKind(kind));
    return kinds;
}

void kinds_are_chosen_by_name() {
    expect(!parse_settings(nullptr).any() && !parse_settings("0").any() && !parse_settings("").any(), "off");
    expect(chosen("1") == " race init bounds host leak use", "1 is everything");
    expect(chosen("all") == chosen("1"), "all is 1");
    expect(chosen("leak, race") == " race leak", "a list, with blanks");
    expect(chosen("race,typo,use") == "typo race use", "an unknown word is named, the others hold");
}

void ids_are_a_kind_and_a_name() {
    std::set<std::string> names;
    for (int i = 0; i < kIds; ++i) {
        const std::string name = name_of(Id(i)), kind = name_of(kind_of(Id(i)));
        expect(name.compare(0, kind.size() + 1, kind + ".") == 0, name + " begins with its kind");
        expect(names.insert(name).second, name + " is there once");
        const size_t length = std::strlen(meanings()[i].sentence);
        expect(length > 20 && meanings()[i].sentence[length - 1] == '.', name + " has a sentence");
    }
}

}  // namespace

int main() {
    kinds_are_chosen_by_name();
    ids_are_a_kind_and_a_name();
}
