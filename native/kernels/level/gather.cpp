#include "kernels/gather_task.h"
#include "kernels/level/convert.h"
#include "kernels/level/indices.h"
#include "kernels/level/types.h"

namespace acltwin::ACLTWIN_LEVEL {
namespace {

// A dense problem: everything contiguous.
template <class E, class I>
bool gather_dense_row(const GatherLoops& p, const E* source, const I* indices, E* result, int64_t n) {
    return each_index<8>(indices, 1, n, 0, uint64_t(p.plane),
                         [&](int64_t i, uint64_t cell) { result[i] = source[cell]; }) == n;
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
bool gather_strided_row(const GatherLoops& p, const E* source, const I* indices, E* result, int64_t n) {
    const int64_t source_step = p.loops.step[GatherLoops::kSource][4],
                  result_step = p.loops.step[GatherLoops::kResult][4];
    const PlaneCells& cells = p.cells;
    const Divider by_inner(max64(2, cells.inner), p.plane), by_outer(max64(2, cells.outer), p.plane);
    const int64_t done = each_index<1>(
        indices, p.loops.step[GatherLoops::kIndices][4], n, 0, uint64_t(p.plane), [&](int64_t i, uint64_t cell) {
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
        });
    return done == n;
}

template <class E, class I>
ACLTWIN_INLINE bool gather_row(const GatherLoops& p, const E* source, const I* indices, E* result, int64_t n) {
    switch (p.cells.axes) {
        case 2: return gather_strided_row<2>(p, source, indices, result, n);
        case 3: return gather_strided_row<3>(p, source, indices, result, n);
    }
    return p.dense() ? gather_dense_row(p, source, indices, result, n)
                     : gather_strided_row<1>(p, source, indices, result, n);
}

// The range may begin and end inside a row, which is the innermost loop.
template <class E, class I>
bool gather_range(const GatherLoops& p, const E* source, const I* indices, E* result, int64_t begin, int64_t end) {
    Walk<5, 3> walk(p.loops, begin);
    for (int64_t n; begin < end; begin += n, walk.advance(n)) {
        n = min64(end - begin, walk.left());
        if (!gather_row(p, source + walk.offset(GatherLoops::kSource), indices + walk.offset(GatherLoops::kIndices),
                        result + walk.offset(GatherLoops::kResult), n))
            return false;
    }
    return true;
}

// Some elements at a time are gathered, then converted.
template <class E, class I>
bool gather_and_convert(const GatherLoops& p, const E* source, const I* indices, void* result, int64_t begin,
                        int64_t end) {
    constexpr int64_t kPiece = kConvertedAtOnce;
    E piece[kPiece];
    GatherLoops to_piece = p;
    to_piece.loops.step[GatherLoops::kResult][4] = 1;
    Walk<5, 3> walk(p.loops, begin);
    for (int64_t n; begin < end; begin += n, walk.advance(n)) {
        n = min64(min64(kPiece, end - begin), walk.left());
        if (!gather_row(to_piece, source + walk.offset(GatherLoops::kSource),
                        indices + walk.offset(GatherLoops::kIndices), piece, n))
            return false;
        convert(p.source_dtype, piece, p.result_dtype, result, walk.offset(GatherLoops::kResult),
                p.loops.step[GatherLoops::kResult][4], n);
    }
    return true;
}

// Calls body(source, indices) with pointers of the plan's types.
template <class Body>
ACLTWIN_INLINE bool with_types(const GatherLoops& loops, const void* source, const void* indices, const Body& body) {
    return with_element_size(int64_t(loops.element_size), [&](auto element) {
        return with_index_type(loops.index_dtype, [&](auto index) {
            return body(static_cast<const decltype(element)*>(source), static_cast<const decltype(index)*>(indices));
        });
    });
}

}  // namespace

bool gather_elements(const GatherLoops& loops, const void* source, const void* indices, void* result, int64_t begin,
                     int64_t end) {
    return with_types(loops, source, indices, [&](const auto* from, const auto* where) {
        typedef std::remove_const_t<std::remove_pointer_t<decltype(from)>> E;
        return gather_range(loops, from, where, static_cast<E*>(result), begin, end);
    });
}

bool gather_converted(const GatherLoops& loops, const void* source, const void* indices, void* result, int64_t begin,
                      int64_t end) {
    return with_types(loops, source, indices, [&](const auto* from, const auto* where) {
        return gather_and_convert(loops, from, where, result, begin, end);
    });
}

}  // namespace acltwin::ACLTWIN_LEVEL
