#include "runtime/check/suppressions.h"

#include <fnmatch.h>

#include <cstring>
#include <sstream>

#include "runtime/check/ids.h"

namespace acltwin::check {
namespace {

bool fits(const std::string& glob, const std::string& text) {
    return glob.empty() || fnmatch(glob.c_str(), text.c_str(), 0) == 0;
}

bool id_fits(const std::string& wanted, const char* finding) {
    const size_t prefix = wanted.size() - 1;  // without the star
    if (wanted.size() >= 2 && wanted.compare(prefix - 1, 2, ".*") == 0)
        return std::strncmp(wanted.c_str(), finding, prefix) == 0;
    return wanted == finding;
}

bool is_known(const std::string& id) {
    for (int i = 0; i < kIds; ++i)
        if (id_fits(id, name_of(Id(i)))) return true;
    return false;
}

// Empty, or what is wrong with the line.
std::string parse_line(const std::string& line, std::vector<Suppression>* into) {
    std::istringstream words(line.substr(0, line.find('#')));
    Suppression one;
    if (!(words >> one.id)) return {};
    if (!is_known(one.id)) return "no finding is called '" + one.id + "'";
    for (std::string word; words >> word;) {
        if (word.compare(0, 9, "function=") == 0)
            one.function = word.substr(9);
        else if (word.compare(0, 5, "file=") == 0)
            one.file = word.substr(5);
        else
            return "'" + word + "' is neither function=GLOB nor file=GLOB";
    }
    into->push_back(std::move(one));
    return {};
}

// A file is known by its path or by its name alone.
bool file_fits(const std::string& glob, const std::string& file) {
    return fits(glob, file) || fits(glob, file_name(file));
}

}  // namespace

bool Suppression::matches(const char* finding, const std::vector<Frame>& frames) const {
    if (!id_fits(id, finding)) return false;
    if (function.empty() && file.empty()) return true;
    for (const Frame& frame : frames)
        if (fits(function, frame.function) && file_fits(file, frame.file)) return true;
    return false;
}

bool Suppressions::match(const char* finding, const std::vector<Frame>& frames) const {
    for (const Suppression& one : lines)
        if (one.matches(finding, frames)) return true;
    return false;
}

Suppressions parse_suppressions(const std::string& text) {
    Suppressions result;
    std::istringstream lines(text);
    int number = 0;
    for (std::string line; std::getline(lines, line);) {
        ++number;
        const std::string problem = parse_line(line, &result.lines);
        if (!problem.empty() && result.problem.empty())
            result.problem = "line " + std::to_string(number) + ": " + problem;
    }
    return result;
}

}  // namespace acltwin::check
