// ACLTWIN_CHECK, files of suppressions, and the table of findings.
#include <cstring>
#include <set>

#include "expect.h"
#include "runtime/check/ids.h"
#include "runtime/check/settings.h"
#include "runtime/check/suppressions.h"

using namespace acltwin::check;

namespace {

std::string chosen(const char* text) {
    const Settings settings = parse_settings(text);
    std::string kinds = settings.unknown;
    for (int topic = 0; topic < kTopics; ++topic)
        if (settings.looks_for[topic]) kinds += std::string(" ") + name_of(Topic(topic));
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
        const std::string name = name_of(Id(i)), kind = name_of(topic_of(Id(i)));
        expect(name.compare(0, kind.size() + 1, kind + ".") == 0, name + " begins with its kind");
        expect(names.insert(name).second, name + " is there once");
        const size_t length = std::strlen(meanings()[i].sentence);
        expect(length > 20 && meanings()[i].sentence[length - 1] == '.', name + " has a sentence");
    }
}

Frame frame(const char* function, const char* file) {
    Frame result;
    result.function = function;
    result.file = file;
    return result;
}

void suppressions_match_ids_functions_and_files() {
    const Suppressions lines = parse_suppressions(
        "# what we know of\n"
        "\n"
        "leak.*\n"
        "race.kernels function=run_*   # both streams read\n"
        "init.copy-reads-unwritten function=main file=pool.cpp\n");
    expect(lines.problem.empty() && lines.lines.size() == 3, "comments and empty lines are none");
    const std::vector<Frame> frames = {frame("run_all", "/home/u/pool.cpp"), frame("main", "/home/u/main.cpp")};
    expect(lines.match("leak.block", {}), "a star is all of a kind");
    expect(!lines.match("race.host-copies", frames), "another id is another");
    expect(lines.match("race.kernels", frames), "a function of any frame");
    expect(!lines.match("race.kernels", {frame("main", "x.cpp")}), "or none");
    expect(!lines.match("init.copy-reads-unwritten", frames), "function and file belong to one frame");
    expect(lines.match("init.copy-reads-unwritten", {frame("main", "src/pool.cpp")}), "a file is known by its name");
}

void wrong_lines_are_named() {
    expect(parse_suppressions("leak.block\nleak.blok\n").problem == "line 2: no finding is called 'leak.blok'", "id");
    expect(parse_suppressions("leak.block main").problem == "line 1: 'main' is neither function=GLOB nor file=GLOB",
           "word");
    expect(parse_suppressions("*").problem == "line 1: no finding is called '*'", "a star alone");
    expect(parse_suppressions("leak.block\nleak.blok\n").lines.size() == 1, "the right lines hold");
}

}  // namespace

int main() {
    kinds_are_chosen_by_name();
    ids_are_a_kind_and_a_name();
    suppressions_match_ids_functions_and_files();
    wrong_lines_are_named();
}
