// Indices from outside, each read once and tested before it is used.
#pragma once

#include "kernels/level/machine.h"

namespace acltwin::ACLTWIN_LEVEL {

// Calls body(i, index - first) for n indices, `step` elements apart, in order, as long as they are in
// [first, first + count): with one test for kUnroll of them. Returns how many there were before the first test that
// failed: n, if all are inside.
template <int kUnroll, class I, class Body>
ACLTWIN_INLINE int64_t each_index(const I* indices, int64_t step, int64_t n, uint64_t first, uint64_t count,
                                  const Body& body) {
    const auto cell = [&](int64_t i) { return uint64_t(int64_t(read_once(indices + i * step))) - first; };
    const int64_t whole = n / kUnroll * kUnroll;
    int64_t i = 0;
    for (; i < whole; i += kUnroll) {
        uint64_t cells[kUnroll];
        bool outside = false;
        for (int k = 0; k < kUnroll; ++k) {
            cells[k] = cell(i + k);
            outside |= cells[k] >= count;
        }
        if (outside) return i;
        for (int k = 0; k < kUnroll; ++k) body(i + k, cells[k]);
    }
    for (; kUnroll > 1 && i < n; ++i) {
        const uint64_t one = cell(i);
        if (one >= count) return i;
        body(i, one);
    }
    return n;
}

}  // namespace acltwin::ACLTWIN_LEVEL
