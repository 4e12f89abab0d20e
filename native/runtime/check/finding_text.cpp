#include "runtime/check/finding_text.h"

#include <algorithm>
#include <cstdio>

namespace acltwin::check {
namespace {

std::string line(const std::string& label, const std::string& text) {
    std::string padded = label;
    padded.resize(std::max<size_t>(padded.size() + 1, 10), ' ');
    return "    " + padded + text + "\n";
}

std::string quoted(const std::string& text) {
    std::string result = "\"";
    for (const char c : text) {
        char escape[8];
        if (c == '"' || c == '\\')
            result += {'\\', c};
        else if (static_cast<unsigned char>(c) < 0x20) {
            std::snprintf(escape, sizeof escape, "\\u%04x", unsigned(c));
            result += escape;
        } else
            result += c;
    }
    return result + "\"";
}

std::string pair(const char* key, const std::string& json) { return quoted(key) + ": " + json; }

std::string frame_json(const Frame& frame) {
    if (frame.file.empty() && frame.function.empty())
        return "{" + pair("library", quoted(frame.library)) + ", " + pair("offset", std::to_string(frame.offset)) + "}";
    std::string text = "{" + pair("function", quoted(frame.function));
    if (!frame.file.empty())
        text += ", " + pair("file", quoted(frame.file)) + ", " + pair("line", std::to_string(frame.line));
    else
        text += ", " + pair("library", quoted(frame.library)) + ", " + pair("offset", std::to_string(frame.offset));
    return text + "}";
}

std::string site_json(CallId call, const Lock& lock) {
    std::string text = "[";
    for (const Frame& frame : site_of(call, lock)) text += (text.size() > 1 ? ", " : "") + frame_json(frame);
    return text + "]";
}

std::string subject_json(const Subject& subject, const Lock& lock) {
    if (subject.kind.empty()) return "null";
    return "{" + pair("kind", quoted(subject.kind)) + ", " + pair("text", quoted(subject.text)) + ", " +
           pair("bytes", std::to_string(subject.bytes)) + ", " + pair("count", std::to_string(subject.count)) + ", " +
           pair("made_by", "{" + pair("function", quoted(function_of(subject.made_by, lock))) + ", " +
                               pair("site", site_json(subject.made_by, lock)) + "}") +
           "}";
}

}  // namespace

bool has_unknown_lines(const Finding& finding, const Lock& lock) {
    const auto is_unknown = [&](CallId call) {
        const std::vector<Frame> frames = site_of(call, lock);
        return !frames.empty() && frames[0].file.empty();
    };
    return is_unknown(finding.subject.made_by) ||
           std::any_of(finding.involved.begin(), finding.involved.end(),
                       [&](const Involved& involved) { return is_unknown(involved.call); });
}

std::string as_text(const Finding& finding, const Lock& lock) {
    std::string text = "acltwin check: " + std::string(name_of(finding.id)) + "\n  " + finding.what + "\n";
    const Subject& subject = finding.subject;
    if (!subject.kind.empty())
        text += line(subject.kind, subject.text + ", made by " + function_of(subject.made_by, lock) + " " +
                                       described_site(site_of(subject.made_by, lock)));
    for (const Involved& involved : finding.involved)
        text += line(involved.role, function_of(involved.call, lock) + involved.detail + " " +
                                        described_site(site_of(involved.call, lock)));
    return text + line("fix", finding.remedy);
}

std::string remark_json(const std::string& text) { return "{" + pair("remark", quoted(text)) + "}\n"; }

std::string as_json(const Finding& finding, uint64_t count, const Lock& lock) {
    std::string calls = "[";
    for (const Involved& involved : finding.involved)
        calls += (calls.size() > 1 ? ", {" : "{") + pair("role", quoted(involved.role)) + ", " +
                 pair("function", quoted(function_of(involved.call, lock))) + ", " +
                 pair("detail", quoted(involved.detail)) + ", " + pair("site", site_json(involved.call, lock)) + "}";
    return "{" + pair("id", quoted(name_of(finding.id))) + ", " + pair("kind", quoted(name_of(kind_of(finding.id)))) +
           ", " + pair("what", quoted(finding.what)) + ", " + pair("object", subject_json(finding.subject, lock)) +
           ", " + pair("calls", calls + "]") + ", " + pair("fix", quoted(finding.remedy)) + ", " +
           pair("count", std::to_string(count)) + "}\n";
}

}  // namespace acltwin::check
