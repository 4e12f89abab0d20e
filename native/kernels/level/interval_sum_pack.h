// Rows whose elements are apart in memory, brought together and taken apart again.
#pragma once

#include "kernels/level/simd.h"

namespace acltwin::ACLTWIN_LEVEL {

// n columns of `channels` neighbouring elements, `pitch` elements apart.
template <class T>
void pack_row(const T* source, int64_t pitch, int64_t n, int64_t channels, T* row) {
    if (channels == 1) {
        for (int64_t i = 0; i < n; ++i) row[i] = source[i * pitch];
        return;
    }
    for (int64_t i = 0; i < n; ++i)
        for (int64_t c = 0; c < channels; ++c) row[i * channels + c] = source[i * pitch + c];
}

template <class T>
void unpack_row(const T* row, int64_t n, int64_t channels, T* result, int64_t pitch) {
    if (channels == 1) {
        for (int64_t i = 0; i < n; ++i) result[i * pitch] = row[i];
        return;
    }
    for (int64_t i = 0; i < n; ++i)
        for (int64_t c = 0; c < channels; ++c) result[i * pitch + c] = row[i * channels + c];
}

}  // namespace acltwin::ACLTWIN_LEVEL
