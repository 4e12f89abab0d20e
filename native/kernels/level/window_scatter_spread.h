// For windows that touch: a row of windows, one gradient and one index each, spread to the width of the result; and a
// row of cells, each of which takes the gradient above it if the index is its own.
#pragma once

#include "kernels/level/window_scatter_rows.h"

namespace acltwin::ACLTWIN_LEVEL {

// Cells are bits here: uint32_t for float32, uint16_t for the 16-bit types.
template <class Bits>
struct CellVector {
    typedef Bits Type __attribute__((vector_size(kLanes * 4)));
};

// What adding a gradient to +0 and rounding gives, on the bits: -0 becomes +0, a signalling NaN quiet.
struct Rounding {
    uint32_t infinity, quiet;  // of a 16-bit type
};
ACLTWIN_INLINE Word load_sums(const uint32_t* p, Rounding) {
    Float v;
    memcpy(&v, p, sizeof v);
    return bit_cast<Word>(v + 0.0f);
}
ACLTWIN_INLINE Word load_sums(const uint16_t* p, Rounding rounding) {
    Short v;
    memcpy(&v, p, sizeof v);
    const Word bits = widen_words(v), magnitude = bits & 0x7fffu;
    const Word sums = bits | (bit_cast<Word>(magnitude > rounding.infinity) & rounding.quiet);
    return sums & bit_cast<Word>(magnitude != 0);
}

// Where a vector of windows goes: `width` vectors of cells; per lane the window it belongs to and its place along W.
struct SpreadPattern {
    int64_t width;
    Int window[kExpandWidth];
    Word along_w[kExpandWidth];

    explicit SpreadPattern(int64_t width_) : width(width_) {
        for (int64_t v = 0; v < width; ++v)
            for (int64_t lane = 0; lane < kLanes; ++lane) {
                window[v][lane] = int32_t((v * kLanes + lane) / width);
                along_w[v][lane] = uint32_t((v * kLanes + lane) % width);
            }
    }
};

constexpr uint32_t kNoCell = 0x80000000u;  // larger than all offsets inside a plane, even after along_w is taken off

// A row of windows spread to cells: `offsets` say how far a window's index is from the cell, if that is in the first
// row of the window; `values` are the gradients. Both are made of whole vectors. Before and after them are kLineCells
// cells that no window has.
struct SpreadRow {
    uint32_t* offsets;
    uint32_t* values;  // narrowed to 16 bits in place, if cells are
};

template <class Bits, class I>
class Spreader {
    typedef typename CellVector<Bits>::Type Cells;
    static constexpr int64_t kStep = sizeof(Cells) / sizeof(Bits), kLine = 64 / sizeof(Bits);
    static constexpr int kVectors = int(kLine / kStep);

public:
    struct SharedLine {
        Cells cells[kVectors] = {};
        int64_t count = 0;  // cells of the first row
    };

    Spreader(int64_t width, Rounding rounding) : pattern_(width), rounding_(rounding) {
        for (int lane = 0; lane < kLanes; ++lane) lane_number_[lane] = uint32_t(lane);
    }

    // `origin` is the index of the first cell of the first window.
    ACLTWIN_INLINE void spread(const Bits* gradients, const I* indices, int64_t windows, uint32_t origin, int64_t cells,
                               SpreadRow row) {
        const int64_t width = pattern_.width;
        const uint32_t step = uint32_t(kLanes * width);
        const Rounding rounding = rounding_;
        Word origins = lane_number_ * uint32_t(width) + origin;
        Long seen = {};
        int64_t i = 0, at = 0;
        for (; i + kLanes <= windows; i += kLanes, at += step, origins += step)
            spread_vector(load_indices(indices + i, seen) - origins, load_sums(gradients + i, rounding), width, row,
                          at);
        if (at < cells) {  // a last vector that is not full, and the cells of a row beyond its last window
            const int64_t rest = windows - i;
            Bits lanes[kLanes] = {};
            memcpy(lanes, gradients + i, size_t(rest) * sizeof(Bits));
            const Word inside = bit_cast<Word>(lane_number_ < uint32_t(rest));
            const Word offsets = load_indices_partial(indices + i, rest, seen) - origins;
            spread_vector((inside & offsets) | (~inside & kNoCell), load_sums(lanes, rounding), width, row, at);
        }
        if constexpr (sizeof(Bits) == 2) narrow_values(row.values, cells);
        seen_ |= seen;
    }

    // place[i] = the gradient above it where the index is `row_offset` away from the window's first row, else zero.
    ACLTWIN_INLINE void take(SpreadRow row, uint32_t row_offset, int64_t n, Bits* place) {
        const Bits* const values = reinterpret_cast<const Bits*>(row.values);
        const uint32_t* const offsets = row.offsets;
        const Word wanted = Word{} + row_offset;
        Cells takers = {};
        int64_t i = 0;
        for (; i + kStep <= n; i += kStep) {
            const Cells cells = take_vector(values + i, offsets + i, wanted, takers);
            memcpy(place + i, &cells, sizeof cells);
        }
        if (i < n) {
            const Cells cells = take_vector(values + i, offsets + i, wanted, takers);
            memcpy(place + i, &cells, size_t(n - i) * sizeof(Bits));
        }
        count(takers);
    }

    // The same with non-temporal stores, for rows that follow each other in memory and are at least a line long: a line
    // that belongs to two rows waits for the second one.
    ACLTWIN_INLINE void take_non_temporal(SpreadRow row, uint32_t row_offset, int64_t n, Bits* place,
                                          SharedLine& line) {
        const Bits* const values = reinterpret_cast<const Bits*>(row.values);
        const uint32_t* const offsets = row.offsets;
        const Word wanted = Word{} + row_offset;
        Cells takers = {}, cells[kVectors];
        const auto take_line = [&](int64_t at) {
            for (int v = 0; v < kVectors; ++v)
                cells[v] = take_vector(values + at + v * kStep, offsets + at + v * kStep, wanted, takers);
        };
        const auto store_line = [&](Bits* to) {
            for (int v = 0; v < kVectors; ++v) store_non_temporal(to + v * kStep, cells[v]);
        };
        int64_t i = -cells_into_line(place);
        if (i < 0) {
            take_line(i);
            for (int v = 0; v < kVectors; ++v) cells[v] |= line.cells[v];
            if (line.count > 0)
                store_line(place + i);
            else  // what is before this row is not ours
                memcpy(place, reinterpret_cast<const Bits*>(cells) - i, size_t(kLine + i) * sizeof(Bits));
            i += kLine;
        }
        for (; i + kLine <= n; i += kLine) {
            take_line(i);
            store_line(place + i);
        }
        line.count = n - i;
        if (line.count > 0) {
            take_line(i);
            memcpy(line.cells, cells, sizeof cells);
        }
        count(takers);
    }

    // Writes the part of a line that no other row came to complete; `end` is the place after it.
    static void finish(SharedLine& line, Bits* end) {
        memcpy(end - line.count, line.cells, size_t(line.count) * sizeof(Bits));
        line = {};
    }

    void forget() {
        takers_ = Word{};
        seen_ = Long{};
    }
    // As many cells took a gradient as there were windows: every index was in its window.
    bool all_taken(int64_t windows) const {
        int64_t takers = 0;
        for (int lane = 0; lane < kLanes; ++lane) takers += takers_[lane];
        return takers == windows && fits_32_bits(seen_);
    }

private:
    ACLTWIN_INLINE void count(Cells takers) {
        const Word lanes = bit_cast<Word>(takers);
        takers_ += sizeof(Bits) == 4 ? lanes : (lanes & 0xffffu) + (lanes >> 16);
    }

    ACLTWIN_INLINE void spread_vector(Word offsets, Word values, int64_t width, SpreadRow row, int64_t at) const {
        for (int64_t v = 0; v < width; ++v) {
            const Word cell_offsets = lookup(offsets, pattern_.window[v]) - pattern_.along_w[v];
            const Word cell_values = lookup(values, pattern_.window[v]);
            memcpy(row.offsets + at + v * kLanes, &cell_offsets, sizeof cell_offsets);
            memcpy(row.values + at + v * kLanes, &cell_values, sizeof cell_values);
        }
    }

    static ACLTWIN_INLINE void narrow_values(uint32_t* values, int64_t cells) {  // in place
        uint16_t* narrow = reinterpret_cast<uint16_t*>(values);
        for (int64_t i = 0; i < cells; i += 2 * kLanes) {
            Word a, b;
            memcpy(&a, values + i, sizeof a);
            memcpy(&b, values + i + kLanes, sizeof b);
            const Shorts both = narrow_words(a, b);
            memcpy(narrow + i, &both, sizeof both);
        }
    }

    static ACLTWIN_INLINE Word equal(const uint32_t* offsets, Word wanted) {
        Word v;
        memcpy(&v, offsets, sizeof v);
        return bit_cast<Word>(v == wanted);
    }
    static ACLTWIN_INLINE Cells take_vector(const Bits* values, const uint32_t* offsets, Word wanted, Cells& takers) {
        Cells taken, cells;
        if constexpr (sizeof(Bits) == 4)
            taken = equal(offsets, wanted);
        else
            taken = narrow_masks(equal(offsets, wanted), equal(offsets + kLanes, wanted));
        takers -= taken;
        memcpy(&cells, values, sizeof cells);
        return cells & taken;
    }

    const SpreadPattern pattern_;
    const Rounding rounding_;
    Word lane_number_;
    Word takers_ = {};
    Long seen_ = {};
};

}  // namespace acltwin::ACLTWIN_LEVEL
