// Where the cells of a plane lie in memory. Kernels of several levels share it, so none of it is emitted out of line.
#pragma once

#include <cstdint>

#include "kernels/dispatch.h"
#include "kernels/saturating.h"

namespace acltwin {

// Of the cell with a given number. One axis: number * strides[2]. More: the number is divided.
struct PlaneCells {
    int axes = 1;
    int64_t inner = 1, outer = 1;  // cells of the last axis, and of the last two
    int64_t strides[3] = {};       // of the three axes, in elements
};

// Of the axes D, H, W those that one stride takes a number along are one.
inline PlaneCells plane_cells(const int64_t* dims, const int64_t* strides) {
    PlaneCells cells;
    int64_t kept_dims[3] = {1, 1, 1};
    cells.axes = 0;
    for (int a = 2; a >= 0; --a) {  // from the right end of both arrays
        if (dims[a] == 1) continue;
        const int last = 3 - cells.axes;
        if (cells.axes > 0 && is_product(strides[a], cells.strides[last], kept_dims[last])) {
            kept_dims[last] = saturating_product(kept_dims[last], dims[a]);
        } else {
            kept_dims[last - 1] = dims[a];
            cells.strides[last - 1] = strides[a];
            ++cells.axes;
        }
    }
    cells.axes = cells.axes == 0 ? 1 : cells.axes;
    cells.inner = kept_dims[2];
    cells.outer = saturating_product(kept_dims[2], kept_dims[1]);
    return cells;
}

// Division by a constant as a multiplication: exact for numbers below 2^32 and divisors from 2 on.
struct Divider {
    uint64_t divisor, magic;
    bool exact;

    ACLTWIN_INLINE Divider(int64_t divisor_, int64_t numbers)
        : divisor(divisor_ < 2 ? 2 : uint64_t(divisor_)),
          magic(~uint64_t(0) / divisor + 1),
          exact(numbers <= int64_t(1) << 32) {}
    ACLTWIN_INLINE uint64_t quotient(uint64_t number) const {
        __extension__ typedef unsigned __int128 Wide;
        return exact ? uint64_t(Wide(number) * magic >> 64) : number / divisor;
    }
};

// The offset of a cell, for a plane of so many axes. Kernels copy it: every store might change what a reference shows.
template <int kAxes>
struct CellOffsets {
    Divider by_inner, by_outer;
    int64_t step, row_gap, slice_gap;

    ACLTWIN_INLINE CellOffsets(const PlaneCells& cells, int64_t plane)
        : by_inner(cells.inner, plane),
          by_outer(cells.outer, plane),
          step(cells.strides[2]),
          row_gap(cells.strides[1] - cells.inner * step),
          slice_gap(cells.strides[0] - cells.outer / cells.inner * cells.strides[1]) {}

    ACLTWIN_INLINE int64_t operator()(uint64_t cell) const {
        int64_t offset = int64_t(cell) * step + int64_t(by_inner.quotient(cell)) * row_gap;
        if constexpr (kAxes == 3) offset += int64_t(by_outer.quotient(cell)) * slice_gap;
        return offset;
    }
};
template <>
struct CellOffsets<0> {  // the same number
    ACLTWIN_INLINE int64_t operator()(uint64_t cell) const { return int64_t(cell); }
};
template <>
struct CellOffsets<1> {
    int64_t step;

    ACLTWIN_INLINE CellOffsets(const PlaneCells& cells, int64_t) : step(cells.strides[2]) {}
    ACLTWIN_INLINE int64_t operator()(uint64_t cell) const { return int64_t(cell) * step; }
};

template <class Body>
ACLTWIN_INLINE auto with_cell_offsets(const PlaneCells& cells, int64_t plane, const Body& body) {
    switch (cells.axes) {
        case 2: return body(CellOffsets<2>(cells, plane));
        case 3: return body(CellOffsets<3>(cells, plane));
        default: return cells.strides[2] == 1 ? body(CellOffsets<0>()) : body(CellOffsets<1>(cells, plane));
    }
}

}  // namespace acltwin
