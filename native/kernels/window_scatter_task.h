// What the plan of a window scatter tells its kernels: planes, windows, tasks.
#pragma once

#include <cstdint>

#include "core/tensor.h"
#include "kernels/dispatch.h"
#include "kernels/loops/plane_cells.h"

namespace acltwin {

// Windows of a row, and cells of a row, that are handled at a time: small enough for the first-level cache.
constexpr int64_t kScatterChunk = 256;

// Planes lie on two batch axes, `outer` and `inner`. Inner planes that are neighbours in memory (channels last) are
// handled together, `planes_together` at a time, so that every line of memory is used as a whole. Strides count
// elements and belong to the axes outer, inner, D, H, W.
struct ScatterShape {
    DType dtype = DType::undefined, index_dtype = DType::undefined;
    int64_t outer = 0, inner = 0, planes_together = 1;
    int64_t windows[3] = {}, cells[3] = {};
    int64_t source_strides[5] = {}, index_strides[5] = {}, result_strides[5] = {};
    int64_t plane = 0;                                        // cells of a plane
    PlaneCells places;                                        // theirs in the result
    int64_t sums_at_hand = 0;                                 // that a core's cache keeps
    int64_t stride[3] = {}, padding[3] = {}, extent[3] = {};  // a window begins at o * stride - padding
    // Instead along an axis with tables: windows from `begin` to `end`, `extent` is the longest.
    const int64_t *begin[3] = {}, *end[3] = {};
    bool non_temporal = false;  // the result is too large to be found in the cache later
    bool ask_ahead = false;     // memory is asked for what later windows need
    bool ask_result = false;    // and for where rounded sums go
};

struct ScatterData {
    const void* source;
    const void* indices;
    void* result;
    void* scratch;  // this thread's own
};

// Bytes at the front of the scratch memory that hold rows on their way, for each of the planes handled together:
// gradients, indices and results, each of up to 8 bytes.
constexpr int64_t kScatterRowWord = 8, kScatterRowBytes = 3 * kScatterRowWord * kScatterChunk;

constexpr int64_t kLineCells = 32;  // in a line of memory, at most

constexpr int64_t kMostMeetings = 4096;  // of gradients of 16 bits that are stored, see scatter_direct

// ---- windows that touch but do not overlap: every cell belongs to one window and is written once ----

// Limits of the kernel: cells along W of a window, and rows of a window.
constexpr int64_t kExpandWidth = 16, kExpandRows = 64;
// Numbers of an expanded row: whole vectors are written, and a window more than there is.
ACLTWIN_INLINE int64_t expanded_pitch(const ScatterShape& shape) { return (shape.windows[2] + 32) * shape.stride[2]; }
// Window rows [begin, end), counted over all planes, D, H; rows have no gaps. False if an index lies outside its
// window. The scratch memory holds, after the rows on their way, 2 * expanded_pitch + 3 * kLineCells 32-bit numbers.
ACLTWIN_DECLARE_KERNEL(bool scatter_expand(const ScatterShape& shape, const ScatterData& data, int64_t begin,
                                           int64_t end))

// ---- any indices: zero, then add ----

struct ScatterTile {
    int64_t block;       // of planes
    int64_t begin, end;  // the cells of the planes that this task computes
    bool by_layers;      // they are whole slices, and only the layers of windows (along D) that reach them are read
    bool in_place;       // the sums are formed in the result itself
};
// False if an index lies outside its plane, or `by_layers` outside the slices of its window. The scratch memory holds,
// after the rows on their way, kLineCells sums and per plane end - begin of them: zeros before, and again afterwards if
// the indices were good. Nothing of it is used `in_place`.
ACLTWIN_DECLARE_KERNEL(bool scatter_plain(const ScatterShape& shape, const ScatterTile& tile, const ScatterData& data))

// The same for 16 bits, where gradients hardly ever meet and every plane of the result is one run, whose axes may be in
// any order, and less than 2^31 cells: blocks [begin, end). False also if too many meet, or one is a NaN.
ACLTWIN_DECLARE_KERNEL(bool scatter_direct(const ScatterShape& shape, const ScatterData& data, int64_t begin,
                                           int64_t end))

// Where part `part` begins when `size` is cut into `parts`.
ACLTWIN_INLINE int64_t cut(int64_t size, int64_t parts, int64_t part) {
    const int64_t rest = size % parts;
    return size / parts * part + (part < rest ? part : rest);
}

// ---- boxes: whole rows of whole slices, of planes that are neighbours in memory ----

// Planes are cut into `slabs` along D, and these into `bands` along H. The planes handled together are one element
// apart everywhere, cells of the result `pitch` elements.
struct ScatterBoxes {
    int64_t slabs = 1, bands = 1, pitch = 0;
    int64_t ring = 0;     // slices of a box whose sums are in the scratch memory at a time; 0: they are in the result
    bool stored = false;  // in the result, of 16 bits, where gradients hardly ever meet
};
// Boxes [begin, end), counted over blocks of planes, slabs, bands. False if an index lies outside the slices and rows
// of its window, or if `stored` gradients meet too often. The scratch memory holds the sums of the ring: zeros before,
// and again afterwards if the indices were good.
ACLTWIN_DECLARE_KERNEL(bool scatter_boxes(const ScatterShape& shape, const ScatterBoxes& boxes, const ScatterData& data,
                                          int64_t begin, int64_t end))

}  // namespace acltwin
