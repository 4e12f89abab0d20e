#include "runtime/check/findings.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <map>
#include <utility>

#include "core/environment.h"
#include "runtime/check/report.h"
#include "runtime/check/settings.h"
#include "runtime/check/suppressions.h"

namespace acltwin::check {
namespace {

constexpr size_t kMostTold = 1000, kMostCounted = 20'000;

// The same finding again: the same id and the same calls.
using Key = std::pair<Id, std::vector<CallId>>;

struct Told {
    Finding finding;
    uint64_t count = 0;
    bool suppressed = false;
};

struct Findings {
    std::map<Key, Told> told;
    uint64_t by_topic[kTopics] = {}, suppressed = 0;
};

Findings& findings(const Lock&) {
    static auto* instance = new Findings;
    return *instance;
}

// One write, so that what several processes say does not mix. What cannot be written is nobody's fault.
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
        static bool told = false;
        if (!std::exchange(told, true))
            note("ACLTWIN_CHECK_LOG is '" + *path + "', which cannot be written; correct it or unset it");
        return;
    }
    write_text(log, line);
    close(log);
}

Suppressions read_suppressions() {
    const char* path = environment_text("ACLTWIN_CHECK_SUPPRESS");
    if (path == nullptr) return {};
    const std::string setting = "ACLTWIN_CHECK_SUPPRESS is '" + std::string(path) + "', ";
    const int file = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (file < 0) {
        note(setting + "which cannot be read; correct it or unset it");
        return {};
    }
    std::string text;
    char part[4096];
    constexpr size_t kMostBytes = size_t(1) << 20;
    for (ssize_t bytes; text.size() < kMostBytes && (bytes = read(file, part, sizeof part)) > 0;)
        text.append(part, size_t(bytes));
    close(file);
    Suppressions result = parse_suppressions(text);
    if (!result.problem.empty()) note(setting + result.problem + "; correct that line");
    return result;
}

bool is_suppressed(const Finding& finding, const Lock& lock) {
    static const auto* suppressions = new Suppressions(read_suppressions());
    return !suppressions->lines.empty() && suppressions->match(name_of(finding.id), all_frames(finding, lock));
}

Key key_of(const Finding& finding) {
    Key key{finding.id, {finding.subject.made_by}};
    for (const Involved& involved : finding.calls) key.second.push_back(involved.call);
    return key;
}

}  // namespace

void note(const std::string& text) { write_text(STDERR_FILENO, "acltwin check: " + text + "\n"); }

void begin_log() { append_to_log({}); }

void tell(const Finding& finding, const Lock& lock) {
    if (!looks_for(topic_of(finding.id))) return;
    Findings& all = findings(lock);
    const Key key = key_of(finding);
    if (all.told.size() >= kMostCounted && all.told.count(key) == 0) return;
    const auto [at, is_new] = all.told.emplace(key, Told{});
    Told& told = at->second;
    ++told.count;
    if (!is_new) return;
    told.suppressed = is_suppressed(finding, lock);
    if (told.suppressed) {
        ++all.suppressed;
        return;
    }
    ++all.by_topic[int(topic_of(finding.id))];
    if (all.told.size() == kMostTold + 1) note("more findings are only counted; fix the first ones");
    if (all.told.size() > kMostTold) return;
    told.finding = finding;
    write_text(STDERR_FILENO, as_text(finding, lock));
    append_to_log(as_json(finding, 1, lock));
}

void tell_summary(const Lock& lock) {
    const Findings& all = findings(lock);
    std::string kinds;
    uint64_t sum = 0;
    for (int topic = 0; topic < kTopics; ++topic) {
        sum += all.by_topic[topic];
        if (all.by_topic[topic] == 0) continue;
        kinds += (kinds.empty() ? "" : ", ") + std::to_string(all.by_topic[topic]) + " " + name_of(Topic(topic));
    }
    std::string text = sum == 0 ? "no findings" : std::to_string(sum) + (sum == 1 ? " finding (" : " findings (");
    if (sum > 0) text += kinds + ")";
    if (all.suppressed > 0) text += ", " + std::to_string(all.suppressed) + " suppressed";
    note(text);
    for (const auto& [key, told] : all.told)  // how often the others came
        if (told.count > 1 && told.finding.id != Id::none) append_to_log(as_json(told.finding, told.count, lock));
}

void forget_findings(const Lock& lock) { findings(lock) = Findings(); }

}  // namespace acltwin::check
