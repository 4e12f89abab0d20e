// Elements that are apart in memory, brought together where vectors can take them, and taken apart again.
#pragma once

#include <cstdint>

#include "kernels/dispatch.h"

namespace acltwin::ACLTWIN_LEVEL {

struct Steps {
    int64_t outer, inner;
};

// to[i * to.outer + k * to.inner] = convert(from[i * from.outer + k * from.inner]), i < outer, k < inner.
template <class From, class To, class Convert>
ACLTWIN_INLINE void copy_elements(int64_t outer, int64_t inner, const From* from, Steps from_steps, To* to,
                                  Steps to_steps, const Convert& convert) {
    if (inner == 1) {
        for (int64_t i = 0; i < outer; ++i) to[i * to_steps.outer] = convert(from[i * from_steps.outer]);
        return;
    }
    for (int64_t i = 0; i < outer; ++i)
        for (int64_t k = 0; k < inner; ++k)
            to[i * to_steps.outer + k * to_steps.inner] = convert(from[i * from_steps.outer + k * from_steps.inner]);
}

template <class E>
ACLTWIN_INLINE E as_it_is(E element) {
    return element;
}

// n cells of `channels` neighbouring elements, `pitch` elements apart, into a row without gaps.
template <class E>
void pack_cells(int64_t n, int64_t channels, const E* source, int64_t pitch, E* row) {
    copy_elements(n, channels, source, {pitch, 1}, row, {channels, 1}, as_it_is<E>);
}

// The way back; the channels may be apart, too.
template <class E>
void unpack_cells(int64_t n, int64_t channels, const E* row, E* result, int64_t pitch, int64_t channel = 1) {
    copy_elements(n, channels, row, {channels, 1}, result, {pitch, channel}, as_it_is<E>);
}

}  // namespace acltwin::ACLTWIN_LEVEL
