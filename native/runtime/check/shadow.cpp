#include "runtime/check/shadow.h"

namespace acltwin::check {
namespace {

// Bits [from, to) of a word, 0 <= from < to <= 64.
uint64_t mask(uint64_t from, uint64_t to) { return (~uint64_t(0) >> (64 - (to - from))) << from; }

// visit(word, mask) for each word that the run touches.
template <class Visit>
void for_each_word(Interval run, const Visit& visit) {
    for (uint64_t at = run.begin; at < run.end;) {
        const uint64_t word = at / 64, end = std::min(run.end, (word + 1) * 64);
        visit(word, mask(at - word * 64, end - word * 64));
        at = end;
    }
}

}  // namespace

void Shadow::need_bits() {
    if (!bits_.empty()) return;
    bits_.assign(bytes_ / 64 + 1, all_ ? ~uint64_t(0) : 0);
    all_ = false;
}

void Shadow::set_run(Interval run, bool value) {
    run.end = std::min<uint64_t>(run.end, bytes_);
    if (run.empty()) return;
    if (run.begin == 0 && run.end == bytes_) {
        bits_.clear();
        all_ = value;
        return;
    }
    if (bits_.empty() && all_ == value) return;
    need_bits();
    for_each_word(run, [&](uint64_t word, uint64_t bits) { value ? bits_[word] |= bits : bits_[word] &= ~bits; });
}

void Shadow::write(const ByteSet& set) {
    if (all_) return;
    set.for_each_run([&](Interval run) {
        set_run(run, true);
        return true;
    });
}

uint64_t Shadow::missing_in(Interval run) const {
    run.end = std::min<uint64_t>(run.end, bytes_);
    if (all_ || run.empty()) return 0;
    if (bits_.empty()) return run.end - run.begin;
    uint64_t count = 0;
    for_each_word(run, [&](uint64_t word, uint64_t bits) { count += __builtin_popcountll(bits & ~bits_[word]); });
    return count;
}

uint64_t Shadow::missing(const ByteSet& set) const {
    if (all_) return 0;
    uint64_t count = 0;
    set.for_each_run([&](Interval run) {
        count += missing_in(run);
        return true;
    });
    return count;
}

uint64_t Shadow::first_missing(const ByteSet& set) const {
    uint64_t first = 0;
    set.for_each_run([&](Interval run) {
        if (missing_in(run) == 0) return true;
        for (first = run.begin; written(first);) ++first;
        return false;
    });
    return first;
}

void Shadow::copy(const Shadow& from, uint64_t begin, uint64_t to, uint64_t length) {
    if (from.missing_in({begin, begin + length}) == 0) return set_run({to, to + length}, true);
    // Byte by byte, and from a copy of the bits: the two ranges may share memory.
    std::vector<bool> known(length);
    for (uint64_t i = 0; i < length; ++i) known[i] = begin + i >= from.bytes_ || from.written(begin + i);
    for (uint64_t i = 0; i < length;) {
        uint64_t end = i;
        while (end < length && known[end] == known[i]) ++end;
        set_run({to + i, to + end}, known[i]);
        i = end;
    }
}

}  // namespace acltwin::check
