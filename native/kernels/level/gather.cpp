#include "kernels/gather_task.h"
#include "kernels/level/convert.h"
#include "kernels/level/indices.h"
#include "kernels/level/types.h"

namespace acltwin::ACLTWIN_LEVEL {
namespace {

// A dense problem: everything contiguous.
template <class E, class I>
ACLTWIN_NOINLINE bool gather_dense_row(const GatherLoops& p, const E* source, const I* indices, E* result, int64_t n) {
    return each_index<8>(indices, 1, n, 0, uint64_t(p.plane),
                         [&](int64_t i, uint64_t cell) { result[i] = source[cell]; }) == n;
}

// Any strides, any plane.
template <class Offsets, class E, class I>
ACLTWIN_INLINE bool gather_strided_row(const GatherLoops& p, Offsets offsets, const E* source, const I* indices,
                                       E* result, int64_t result_step, int64_t n) {
    const int64_t source_step = p.loops.step[GatherLoops::kSource][4];
    return each_index<1>(indices, p.loops.step[GatherLoops::kIndices][4], n, 0, uint64_t(p.plane),
                         [=](int64_t i, uint64_t cell) {
                             result[i * result_step] = source[offsets(cell) + i * source_step];
                         }) == n;
}

// Calls body(offset in the result, n, gather) for rows, or pieces of them, of at most `most` elements:
// gather(to, step) gathers the n elements.
template <class E, class I, class Body>
ACLTWIN_INLINE bool each_row(const GatherLoops& p, const E* source, const I* indices, int64_t begin, int64_t end,
                             int64_t most, const Body& body) {
    return with_cell_offsets(p.cells, p.plane, [&](auto offsets) {
        Walk<5, 3> walk(p.loops, begin);
        for (int64_t n, at = begin; at < end; at += n, walk.advance(n)) {
            n = min64(min64(most, end - at), walk.left());
            const E* const from = source + walk.offset(GatherLoops::kSource);
            const I* const where = indices + walk.offset(GatherLoops::kIndices);
            const bool good = body(walk.offset(GatherLoops::kResult), n, [&](E* to, int64_t step) {
                return p.dense(step) ? gather_dense_row(p, from, where, to, n)
                                     : gather_strided_row(p, offsets, from, where, to, step, n);
            });
            if (!good) return false;
        }
        return true;
    });
}

// The range may begin and end inside a row, which is the innermost loop.
template <class E, class I>
bool gather_range(const GatherLoops& p, const E* source, const I* indices, E* result, int64_t begin, int64_t end) {
    return each_row(p, source, indices, begin, end, INT64_MAX,
                    [&](int64_t at, int64_t, const auto& gather) { return gather(result + at, p.result_step()); });
}

// Some elements at a time are gathered, then converted.
template <class E, class I>
bool gather_and_convert(const GatherLoops& p, const E* source, const I* indices, void* result, int64_t begin,
                        int64_t end) {
    E piece[kConvertedAtOnce];
    return each_row(p, source, indices, begin, end, kConvertedAtOnce, [&](int64_t at, int64_t n, const auto& gather) {
        if (!gather(piece, 1)) return false;
        convert(p.source_dtype, piece, p.result_dtype, result, at, p.result_step(), n);
        return true;
    });
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
