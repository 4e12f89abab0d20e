// The bytes of strided views, and the bits of what was written, against plain sets of numbers.
#include <random>
#include <set>
#include <string>
#include <vector>

#include "expect.h"
#include "runtime/check/byte_set.h"
#include "runtime/check/shadow.h"

using namespace acltwin::check;

namespace {

using Numbers = std::set<uint64_t>;

struct Example {
    ByteSet bytes;
    Numbers numbers;
};

// Gaps, overlaps, broadcasts, reversed axes: whatever a caller may describe.
Example random_view(std::mt19937& random) {
    const auto pick = [&](int least, int most) { return std::uniform_int_distribution<int>(least, most)(random); };
    const int rank = pick(0, 4);
    const uint64_t element = uint64_t(1) << pick(0, 3);
    int64_t dims[4], strides[4], first = 200;
    for (int i = 0; i < rank; ++i) {
        dims[i] = pick(1, 4);
        strides[i] = pick(-12, 12) * (pick(0, 1) ? int64_t(element) : 1);
    }
    for (int i = 0; i < rank; ++i)
        if (strides[i] < 0) first -= strides[i] * (dims[i] - 1);
    first += pick(0, 40);
    Example example{ByteSet::view(first, element, rank, dims, strides), {}};
    std::vector<int64_t> at(size_t(rank), 0);
    for (;;) {
        int64_t offset = first;
        for (int i = 0; i < rank; ++i) offset += at[size_t(i)] * strides[i];
        for (uint64_t byte = 0; byte < element; ++byte) example.numbers.insert(uint64_t(offset) + byte);
        int axis = rank - 1;
        while (axis >= 0 && ++at[size_t(axis)] == dims[axis]) at[size_t(axis--)] = 0;
        if (axis < 0) return example;
    }
}

bool share(const Numbers& a, const Numbers& b) {
    for (const uint64_t number : a)
        if (b.count(number) > 0) return true;
    return false;
}

Numbers listed(const ByteSet& bytes) {
    Numbers numbers;
    bytes.for_each_run([&](Interval run) {
        for (uint64_t byte = run.begin; byte < run.end; ++byte) numbers.insert(byte);
        return true;
    });
    return numbers;
}

void views_are_their_bytes() {
    std::mt19937 random(1);
    int shared = 0, apart = 0;
    for (int i = 0; i < 20'000; ++i) {
        const Example a = random_view(random), b = random_view(random);
        expect(listed(a.bytes) == a.numbers, "a view has exactly its bytes, example " + std::to_string(i));
        expect(a.bytes.hull().begin == *a.numbers.begin() && a.bytes.hull().end == *a.numbers.rbegin() + 1, "its hull");
        const bool truth = share(a.numbers, b.numbers);
        expect(a.bytes.overlaps(b.bytes) == truth, "overlaps says the truth, example " + std::to_string(i));
        expect(b.bytes.overlaps(a.bytes) == truth, "overlaps has no sides, example " + std::to_string(i));
        if (a.bytes.surely_covers(b.bytes))
            expect(std::includes(a.numbers.begin(), a.numbers.end(), b.numbers.begin(), b.numbers.end()), "covers");
        (truth ? shared : apart) += 1;
    }
    expect(shared > 1000 && apart > 1000, "both answers occur");
}

void interleaved_views_are_apart_at_once() {
    // Even and odd elements of 2^40 of them: no one could list these.
    const int64_t dims[] = {int64_t(1) << 40}, strides[] = {8};
    const ByteSet even = ByteSet::view(0, 4, 1, dims, strides), odd = ByteSet::view(4, 4, 1, dims, strides);
    expect(!even.overlaps(odd), "even and odd elements are apart");
    expect(even.overlaps(even) && even.surely_covers(even), "a view overlaps itself");
}

void shadows_remember_what_was_written() {
    std::mt19937 random(2);
    for (int i = 0; i < 3'000; ++i) {
        const uint64_t size = std::uniform_int_distribution<uint64_t>(1, 400)(random);
        Shadow shadow(size);
        Numbers written;
        for (int step = 0; step < 6; ++step) {
            const Example example = random_view(random);
            uint64_t missing = 0, first = 0;
            for (const uint64_t byte : example.numbers) {
                if (byte >= size || written.count(byte) > 0) continue;
                if (missing++ == 0) first = byte;
            }
            // Runs that overlap are counted twice: what counts is whether there are any.
            expect((shadow.missing(example.bytes) > 0) == (missing > 0), "a byte that nobody wrote is missing");
            if (missing > 0)
                expect(shadow.first_missing(example.bytes) == first || example.numbers.count(first) > 0, "the first");
            shadow.write(example.bytes);
            written.insert(example.numbers.begin(), example.numbers.end());
        }
    }
}

void copies_carry_what_was_written() {
    Shadow from(100), to(100);
    from.write(ByteSet(10, 20));
    to.write(ByteSet(0, 100));
    to.copy(from, 0, 50, 40);  // bytes 60 to 79 are written, the rest of 50 to 89 is not
    expect(to.missing(ByteSet(0, 50)) == 0, "outside of the copy nothing changes");
    expect(to.missing(ByteSet(60, 20)) == 0, "what was written is written");
    expect(to.missing(ByteSet(50, 40)) == 20, "what was not is not");
    expect(to.first_missing(ByteSet(55, 40)) == 55, "the first of them");
    expect(to.missing(ByteSet(95, 100)) == 0, "what lies behind the end is nobody's");
}

}  // namespace

int main() {
    views_are_their_bytes();
    interleaved_views_are_apart_at_once();
    shadows_remember_what_was_written();
    copies_carry_what_was_written();
}
