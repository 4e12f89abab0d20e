// Findings: reported once, on standard error and in the log, counted when they come again, summed up at the end.
#pragma once

#include <string>
#include <vector>

#include "runtime/check/ids.h"
#include "runtime/check/sites.h"
#include "runtime/lock.h"

namespace acltwin::check {

// The thing a finding is about, and the call that made it.
struct Subject {
    std::string kind;  // "block", "stream", ...; empty: there is none
    std::string text;  // "0x7f00 (4096 bytes)"
    CallId made_by = 0;
    uint64_t bytes = 0;
    uint64_t count = 1;
};

struct Involved {
    std::string role;    // "write", "read", "free", ...
    std::string detail;  // between the function's name and its place: " on stream 0x3, launched"
    CallId call = 0;
};

// Finding(id, what).about(subject).calls({...}).fix(remedy).report(lock)
struct Finding {
    Id id = Id::none;
    std::string what;
    Subject subject;
    std::vector<Involved> involved;
    std::string remedy;

    Finding() = default;
    Finding(Id id, std::string what) : id(id), what(std::move(what)) {}

    Finding& about(Subject thing) {
        subject = std::move(thing);
        return *this;
    }
    Finding& calls(std::initializer_list<Involved> more) {
        involved.insert(involved.end(), more);
        return *this;
    }
    Finding& fix(std::string text) {
        remedy = std::move(text);
        return *this;
    }
    // Unless it was reported before, or nobody looks for its kind.
    void report(const Lock& lock, uint64_t times = 1) const;
};

// The process uses the library: its log is there from now on, with or without findings.
void begin_log();

// A line on standard error that is no finding.
void note(const std::string& text);
// The same of what the run has shown; in the log, if findings go only there.
void remark(const std::string& text);

// At the end of the process: how many findings there were.
void report_summary(const Lock& lock);
// In a forked child: the findings so far are the parent's.
void forget_findings(const Lock& lock);

}  // namespace acltwin::check
