#include "runtime/check/findings.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <map>
#include <set>
#include <utility>

#include "core/environment.h"
#include "runtime/check/finding_text.h"
#include "runtime/check/settings.h"

namespace acltwin::check {
namespace {

constexpr size_t kMostReported = 1000, kMostCounted = 20'000;

// The same finding again: the same id, and calls that would be shown alike.
using Key = std::pair<Id, std::vector<CallId>>;

struct Reported {
    Finding finding;
    uint64_t count = 0;
};

struct Findings {
    std::map<Key, Reported> all;
    uint64_t by_kind[kFindingKinds] = {};
};

Findings& findings(const Lock&) {
    static auto* instance = new Findings;
    return *instance;
}

// One write, so that lines of several processes do not mix. A failing write is ignored.
void write_text(int descriptor, const std::string& text) {
    size_t done = 0;
    while (done < text.size()) {
        const ssize_t bytes = write(descriptor, text.data() + done, text.size() - done);
        if (bytes < 0 && errno == EINTR) continue;
        if (bytes <= 0) return;
        done += size_t(bytes);
    }
}

void append_to_log(const std::string& line) {
    // Kept: a program may change its environment.
    static const auto* path =
        new std::string(environment_text("ACLTWIN_CHECK_LOG") != nullptr ? environment_text("ACLTWIN_CHECK_LOG") : "");
    if (path->empty()) return;
    const int log = open(path->c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0666);
    if (log < 0) {
        static bool is_noted = false;
        if (!std::exchange(is_noted, true))
            note("ACLTWIN_CHECK_LOG is '" + *path + "', which cannot be written; correct it or unset it");
        return;
    }
    write_text(log, line);
    close(log);
}

// `acltwin check` reads the log, and prints findings with the functions and lines that it finds in the program's files.
// Without a log, findings are never quiet.
const bool is_quiet =
    environment_number("ACLTWIN_CHECK_QUIET", 0, 1, 0) == 1 && environment_text("ACLTWIN_CHECK_LOG") != nullptr;

void print(const Finding& finding, const Lock& lock) {
    if (is_quiet) return;
    write_text(STDERR_FILENO, as_text(finding, lock));
    static bool is_noted = false;
    if (!has_unknown_lines(finding, lock) || std::exchange(is_noted, true)) return;
    note(
        "'acltwin check PROGRAM' shows functions and lines, 'acltwin check --read FILE' those of "
        "ACLTWIN_CHECK_LOG=FILE");
}

Key key_of(const Finding& finding, const Lock& lock) {
    Key key{finding.id, {shown_alike(finding.subject.made_by, lock)}};
    for (const Involved& involved : finding.involved) key.second.push_back(shown_alike(involved.call, lock));
    return key;
}

// "3 calls failed, and nobody asked why: aclrtMalloc at ..., ..."
std::string described_failures(const Findings& known, const Lock& lock) {
    uint64_t count = 0;
    std::set<std::string> places;  // in an order that does not depend on threads
    for (const auto& [key, reported] : known.all) {
        if (reported.finding.id != Id::use_refused_call) continue;
        const CallId call = reported.finding.involved.back().call;
        places.insert(function_of(call, lock) + " " + described_site(site_of(call, lock), 1));
        count += reported.count;
    }
    std::string text = std::to_string(count) + (count == 1 ? " call" : " calls") + " failed, and nobody asked why: ";
    for (const std::string& place : places) text += (place == *places.begin() ? "" : ", ") + place;
    return places.empty() ? "" : text;
}

}  // namespace

void note(const std::string& text) { write_text(STDERR_FILENO, "acltwin check: " + text + "\n"); }

void remark(const std::string& text) {
    if (is_quiet)
        append_to_log(remark_json(text));
    else
        note(text);
}

void begin_log() { append_to_log({}); }

void Finding::report(const Lock& lock, uint64_t times) const {
    if (!looks_for(kind_of(id))) return;
    Findings& known = findings(lock);
    const Key key = key_of(*this, lock);
    if (known.all.size() >= kMostCounted && known.all.count(key) == 0) return;
    const auto [at, is_new] = known.all.emplace(key, Reported{});
    at->second.count += times;
    if (!is_new) return;
    ++known.by_kind[int(kind_of(id))];
    if (known.all.size() == kMostReported + 1) note("more findings are only counted; fix the first ones");
    if (known.all.size() > kMostReported) return;
    at->second.finding = *this;
    print(*this, lock);
    append_to_log(as_json(*this, 1, lock));
}

void report_summary(const Lock& lock) {
    const Findings& known = findings(lock);
    std::string kinds;
    uint64_t sum = 0;
    for (int kind = 0; kind < kFindingKinds; ++kind) {
        sum += known.by_kind[kind];
        if (known.by_kind[kind] == 0) continue;
        kinds += (kinds.empty() ? "" : ", ") + std::to_string(known.by_kind[kind]) + " " + name_of(FindingKind(kind));
    }
    const std::string failures = described_failures(known, lock);
    if (!is_quiet && !failures.empty()) note(failures);
    if (!is_quiet)
        note(sum == 0 ? "no findings" : std::to_string(sum) + (sum == 1 ? " finding (" : " findings (") + kinds + ")");
    std::set<std::pair<std::string, std::string>> again;  // by place, too
    for (const auto& [key, reported] : known.all)         // how often the others came
        if (reported.count > 1 && reported.finding.id != Id::none)
            again.emplace(described_site(site_of(key.second.back(), lock)),
                          as_json(reported.finding, reported.count, lock));
    for (const auto& [place, line] : again) append_to_log(line);
}

void forget_findings(const Lock& lock) { findings(lock) = Findings(); }

}  // namespace acltwin::check
