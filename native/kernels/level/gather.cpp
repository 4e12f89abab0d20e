#include "kernels/gather_loops.h"
#include "kernels/level/types.h"

namespace acltwin::ACLTWIN_LEVEL {
namespace {

constexpr int kUnroll = 8;

// Loads a group of indices and tests them with one branch.
template <class I>
ACLTWIN_INLINE bool load_group(const I* indices, uint64_t plane, uint64_t (&cells)[kUnroll]) {
    bool bad = false;
    for (int k = 0; k < kUnroll; ++k) {
        cells[k] = uint64_t(int64_t(read_once(indices + k)));
        bad |= cells[k] >= plane;
    }
    return !bad;
}

// Rows of a dense problem: everything contiguous.
template <class E, class I>
ACLTWIN_INLINE bool gather_groups(const E* source, const I* indices, E* result, int64_t groups, uint64_t plane) {
    for (int64_t g = 0; g < groups; ++g, indices += kUnroll, result += kUnroll) {
        uint64_t cells[kUnroll];
        if (!load_group(indices, plane, cells)) return false;
        for (int k = 0; k < kUnroll; ++k) result[k] = source[cells[k]];
    }
    return true;
}

template <class E, class I>
ACLTWIN_INLINE bool gather_singles(const E* source, const I* indices, E* result, int64_t n, uint64_t plane) {
    for (int64_t i = 0; i < n; ++i) {
        const uint64_t cell = uint64_t(int64_t(read_once(indices + i)));
        if (cell >= plane) return false;
        result[i] = source[cell];
    }
    return true;
}

template <class E, class I>
bool gather_dense_row(const GatherLoops& loops, const E* source, const I* indices, E* result, int64_t n) {
    const uint64_t plane = uint64_t(loops.plane);
    const int64_t groups = n / kUnroll, done = groups * kUnroll;
    return gather_groups(source, indices, result, groups, plane) &&
           gather_singles(source, indices + done, result + done, n - done, plane);
}

// Division by a constant as a multiplication: exact for numbers below 2^32 and divisors from 2 on.
struct Divider {
    uint64_t divisor, magic;
    bool exact;

    Divider(int64_t divisor_, int64_t numbers)
        : divisor(uint64_t(divisor_)), magic(~uint64_t(0) / divisor + 1), exact(numbers <= int64_t(1) << 32) {}
    ACLTWIN_INLINE uint64_t quotient(uint64_t number) const {
        __extension__ typedef unsigned __int128 Wide;
        return exact ? uint64_t(Wide(number) * magic >> 64) : number / divisor;
    }
};

// Any strides, any plane.
template <int kAxes, class E, class I>
bool gather_strided_row(const GatherLoops& loops, const E* source, const I* indices, E* result, int64_t n) {
    const int last = 4;
    const int64_t index_step = loops.index_steps[last], result_step = loops.result_steps[last];
    const int64_t source_step = loops.source_steps[last];
    const PlaneCells& cells = loops.cells;
    const Divider by_inner(max64(2, cells.inner), loops.plane), by_outer(max64(2, cells.outer), loops.plane);
    for (int64_t i = 0; i < n; ++i) {
        const uint64_t cell = uint64_t(int64_t(read_once(indices + i * index_step)));
        if (cell >= uint64_t(loops.plane)) return false;
        int64_t offset;
        if constexpr (kAxes == 1) {
            offset = int64_t(cell) * cells.strides[2];
        } else {
            const uint64_t row = by_inner.quotient(cell), slice = kAxes == 3 ? by_outer.quotient(cell) : 0;
            const int64_t in_slice = int64_t(row) - int64_t(slice) * (cells.outer / cells.inner);
            offset = (int64_t(cell) - int64_t(row) * cells.inner) * cells.strides[2] + in_slice * cells.strides[1] +
                     int64_t(slice) * cells.strides[0];
        }
        result[i * result_step] = source[offset + i * source_step];
    }
    return true;
}

template <class E, class I>
ACLTWIN_INLINE bool gather_row(const GatherLoops& loops, const E* source, const I* indices, E* result, int64_t n) {
    switch (loops.cells.axes) {
        case 2: return gather_strided_row<2>(loops, source, indices, result, n);
        case 3: return gather_strided_row<3>(loops, source, indices, result, n);
    }
    const bool dense = loops.index_steps[4] == 1 && loops.result_steps[4] == 1 && loops.source_steps[4] == 0 &&
                       loops.cells.strides[2] == 1;
    return dense ? gather_dense_row(loops, source, indices, result, n)
                 : gather_strided_row<1>(loops, source, indices, result, n);
}

// Walks the four outer loops; the fifth is a row. The range may begin and end inside a row.
template <class E, class I>
bool gather_range(const GatherLoops& loops, const E* source, const I* indices, E* result, int64_t begin, int64_t end) {
    int64_t at[5], rest = begin;
    for (int axis = 4; axis >= 0; --axis) {
        at[axis] = rest % loops.dims[axis];
        rest /= loops.dims[axis];
        source += at[axis] * loops.source_steps[axis];
        indices += at[axis] * loops.index_steps[axis];
        result += at[axis] * loops.result_steps[axis];
    }
    for (int64_t i = begin; i < end;) {
        const int64_t n = min64(end - i, loops.dims[4] - at[4]);
        if (!gather_row(loops, source, indices, result, n)) return false;
        i += n;
        at[4] += n;
        source += n * loops.source_steps[4];
        indices += n * loops.index_steps[4];
        result += n * loops.result_steps[4];
        for (int axis = 4; axis > 0 && at[axis] == loops.dims[axis]; --axis) {
            source += loops.source_steps[axis - 1] - at[axis] * loops.source_steps[axis];
            indices += loops.index_steps[axis - 1] - at[axis] * loops.index_steps[axis];
            result += loops.result_steps[axis - 1] - at[axis] * loops.result_steps[axis];
            at[axis] = 0;
            ++at[axis - 1];
        }
    }
    return true;
}

}  // namespace

bool gather_elements(const GatherLoops& loops, const void* source, const void* indices, void* result, int64_t begin,
                     int64_t end) {
    return with_element_size(int64_t(loops.element_size), [&](auto element) {
        return with_index_type(loops.index_dtype, [&](auto index) {
            typedef decltype(element) E;
            return gather_range(loops, static_cast<const E*>(source), static_cast<const decltype(index)*>(indices),
                                static_cast<E*>(result), begin, end);
        });
    });
}

}  // namespace acltwin::ACLTWIN_LEVEL
