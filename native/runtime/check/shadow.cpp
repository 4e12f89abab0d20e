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

// visit(chunk, run within it) for each chunk of the given size that the run touches.
template <class Visit>
void for_each_chunk(Interval run, uint64_t size, const Visit& visit) {
    for (uint64_t at = run.begin; at < run.end;) {
        const uint64_t chunk = at / size, end = std::min(run.end, (chunk + 1) * size);
        visit(chunk, Interval{at - chunk * size, end - chunk * size});
        at = end;
    }
}

}  // namespace

bool Shadow::written(uint64_t byte) const {
    const auto found = chunks_.find(byte / kChunk);
    if (found == chunks_.end()) return false;
    const Chunk& chunk = found->second;
    return chunk.all || (!chunk.bits.empty() && (chunk.bits[byte % kChunk / 64] >> byte % 64 & 1) != 0);
}

void Shadow::set_in_chunk(uint64_t number, Interval run, bool value) {
    Chunk& chunk = chunks_[number];
    const uint64_t size = size_of_chunk(number);
    const bool was_complete = chunk.all;
    if (run.begin == 0 && run.end == size) {
        chunk.bits.clear();
        chunk.all = value;
    } else if (!chunk.bits.empty() || chunk.all != value) {
        if (chunk.bits.empty()) chunk.bits.assign(size / 64 + 1, chunk.all ? ~uint64_t(0) : 0);
        chunk.all = false;
        for_each_word(
            run, [&](uint64_t word, uint64_t bits) { value ? chunk.bits[word] |= bits : chunk.bits[word] &= ~bits; });
    }
    complete_ += uint64_t(chunk.all) - uint64_t(was_complete);
    if (!chunk.all && chunk.bits.empty()) chunks_.erase(number);
}

void Shadow::set_run(Interval run, bool value) {
    run.end = std::min<uint64_t>(run.end, bytes_);
    for_each_chunk(run, kChunk, [&](uint64_t chunk, Interval part) { set_in_chunk(chunk, part, value); });
}

void Shadow::write(const ByteSet& set) {
    if (is_complete()) return;
    set.for_each_run([&](Interval run) {
        set_run(run, true);
        return true;
    });
}

void Shadow::forget(Interval run) { set_run(run, false); }

uint64_t Shadow::missing_in(Interval run) const {
    run.end = std::min<uint64_t>(run.end, bytes_);
    if (is_complete()) return 0;
    uint64_t count = 0;
    for_each_chunk(run, kChunk, [&](uint64_t number, Interval part) {
        const auto found = chunks_.find(number);
        if (found != chunks_.end() && found->second.all) return;
        if (found == chunks_.end()) return static_cast<void>(count += part.end - part.begin);
        for_each_word(part, [&](uint64_t word, uint64_t bits) {
            count += uint64_t(__builtin_popcountll(bits & ~found->second.bits[word]));
        });
    });
    return count;
}

uint64_t Shadow::missing(const ByteSet& set) const {
    if (is_complete()) return 0;
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
