// Copies of one batch, which have no order.
#include <algorithm>

#include "runtime/check/hooks.h"
#include "runtime/check/state.h"
#include "runtime/memory.h"

namespace acltwin::check {
namespace {

// One end of a copy, by its address on the host if it has one.
struct End {
    Interval bytes;
    bool writes;
    size_t copy;
};

End end_of(State& state, const Rows& rows, bool writes, size_t copy, const Lock& lock) {
    uint64_t begin = reinterpret_cast<uintptr_t>(rows.address);
    const Block* const block = block_holding(rows.address, lock) != nullptr ? block_at(state, rows.address) : nullptr;
    if (block != nullptr && block->host_address)
        begin += *block->host_address - reinterpret_cast<uintptr_t>(block->begin);
    return {{begin, begin + rows.width}, writes, copy};
}

// The end that reaches farthest among those that begin before the ones that follow.
const End* farther(const End* one, const End* other) {
    return one == nullptr || other->bytes.end > one->bytes.end ? other : one;
}

void report_pair(State& state, const End& one, const End& other, const std::vector<Pair>& copies, const Lock& lock) {
    const auto [first, second] = std::minmax(one.copy, other.copy);
    const Rows& ends = one.writes ? copies[one.copy].destination : copies[other.copy].destination;
    const Block* const block = block_holding(ends.address, lock) != nullptr ? block_at(state, ends.address) : nullptr;
    Finding finding(Id::race_batch_copies,
                    "copies " + std::to_string(first) + " and " + std::to_string(second) + " of " + this_function() +
                        (one.writes && other.writes ? " write the same bytes" : " write and read the same bytes") +
                        ": the copies of a batch have no order");
    if (block != nullptr) finding.about(subject_of(*block));
    finding.calls({{"batch", "", this_call(lock)}})
        .fix("give each copy of a batch bytes of its own, and make the one that must come second a call of its own")
        .report(lock);
}

}  // namespace

void copies_in_batch(const std::vector<Pair>& copies, const Lock& lock) noexcept {
    guarded([&] {
        State& all = state(lock);
        std::vector<End> ends;
        for (size_t i = 0; i < copies.size(); ++i) {
            ends.push_back(end_of(all, copies[i].destination, true, i, lock));
            ends.push_back(end_of(all, copies[i].source, false, i, lock));
        }
        std::stable_sort(ends.begin(), ends.end(),
                         [](const End& a, const End& b) { return a.bytes.begin < b.bytes.begin; });
        const End *written = nullptr, *used = nullptr;
        for (const End& end : ends) {
            const End* const before = end.writes ? used : written;
            if (before != nullptr && before->copy != end.copy && before->bytes.end > end.bytes.begin)
                return report_pair(all, *before, end, copies, lock);  // one will do
            if (end.writes) written = farther(written, &end);
            used = farther(used, &end);
        }
    });
}

}  // namespace acltwin::check
