#include "runtime/check/history.h"

#include <algorithm>

#include "runtime/check/settings.h"
#include "runtime/memory.h"

namespace acltwin::check {
namespace {

constexpr size_t kMostRemembered = 256;  // of one block

// The last one that touches these bytes; null when there is none.
template <class Entry>
const Entry* last_at(const std::deque<Entry>& all, Interval bytes) {
    const auto is_there = [&](const Entry& one) { return one.bytes.touches(bytes); };
    const auto found = std::find_if(all.rbegin(), all.rend(), is_there);
    return found != all.rend() ? &*found : nullptr;
}

template <class Entry>
void remember(std::deque<Entry>& all, Entry entry) {
    const auto is_covered = [&](const Entry& one) { return entry.bytes.surely_covers(one.bytes); };
    all.erase(std::remove_if(all.begin(), all.end(), is_covered), all.end());
    if (all.size() >= kMostRemembered) all.pop_front();
    all.push_back(std::move(entry));
}

// Why the bytes hold nothing; `before`, which may be null, has written them before that.
void explain(const Loss& loss, const Write* before, Finding* finding, const Lock& lock) {
    const std::string by = function_of(loss.by.call, lock);
    if (loss.fate == Fate::brought_unwritten) {
        finding->what += "; " + by + " brought them from a block where they were not";
        finding->calls({loss.by});
    } else if (loss.fate == Fate::workspace) {
        finding->id = Id::init_workspace_read;
        finding->what += " since " + by + " used them as its workspace of " + in_bytes(loss.bytes.count());
        if (before != nullptr) finding->calls({before->by});
        finding->calls({loss.by}).fix(
            "reserve as many bytes for a workspace as the first phase asks for, or write the bytes again behind it");
    } else {
        finding->id = Id::init_dropped_work;
        finding->what += ": " + by + " should have, and may have been dropped by " +
                         function_of(loss.dropped_by.call, lock) + " before it began";
        finding->calls({loss.by, loss.dropped_by})
            .fix("call aclrtSynchronizeStream before the stream is destroyed, or use no results of what was dropped");
    }
}

}  // namespace

void note_write(Block& block, const Access& access) {
    if (!looks_for(FindingKind::init) || block.device == kHost) return;
    block.written.write(access.bytes);
    remember(block.writes, Write{access.bytes, access.involved()});
}

void note_loss(Block& block, Loss loss) { remember(block.losses, std::move(loss)); }

void lose(Block& block, const Access& access, Fate fate, const Involved& dropped_by) {
    if (!looks_for(FindingKind::init)) return;
    Loss loss{access.bytes, fate, access.involved(), dropped_by};
    if (fate == Fate::workspace) loss.by.role = "workspace";
    access.bytes.for_each_run([&](Interval run) {
        block.written.forget(run);
        return true;
    });
    note_loss(block, std::move(loss));
}

void check_written(Id id, const Block& block, const Access& access, const std::string& as, const char* fix,
                   const Lock& lock) {
    const uint64_t missing = looks_for(FindingKind::init) ? block.written.missing(access.bytes) : 0;
    if (missing == 0) return;
    const uint64_t first = block.written.first_missing(access.bytes);
    Finding finding(id, function_of(access.call, lock) + " reads " + in_bytes(access.bytes.count()) + as + ", " +
                            std::to_string(missing) + " of which (the first at offset " + std::to_string(first) +
                            " of the block) nobody has written");
    finding.about(subject_of(block)).fix(fix);
    const Interval there = {first, first + 1};
    const Loss* const loss = last_at(block.losses, there);
    if (loss != nullptr) explain(*loss, last_at(block.writes, there), &finding, lock);
    finding.calls({access.involved()}).report(lock);
}

}  // namespace acltwin::check
