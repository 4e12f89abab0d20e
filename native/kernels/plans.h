// The kernels' side of a plan: geometry in, runnable plan out. Kernels know these, not the operators.
// A plan may depend on the caches for its speed, never for its bits.
#pragma once

#include <memory>
#include <vector>

#include "core/cache_sizes.h"
#include "core/plan.h"
#include "core/tensor.h"
#include "kernels/positions.h"

namespace acltwin {

// Sums of gradOut cells into gradInput cells: gradInput[n, c, i_d, i_h, i_w] is the sum over the box
// [begin_d[i_d], begin_d[i_d + 1]) x [begin_h...) x [begin_w...).
// Axes are always N, C, D, H, W (a 2-D operator has D = 1); strides count elements and may have any value.
struct IntervalSum {
    DType dtype = DType::undefined;  // float32, float16, bfloat16, float64
    int64_t source_dims[5] = {}, source_strides[5] = {};
    int64_t result_dims[5] = {}, result_strides[5] = {};
    std::vector<int64_t> begin[3];  // per spatial axis, result_dims[2 + axis] + 1 ascending positions in gradOut
};
// data[0] = gradOut, data[1] = gradInput
std::unique_ptr<Plan> plan_interval_sum(IntervalSum geometry, const CacheSizes& caches = cache_sizes());

// One axis of a weighted sum: result cell i is the sum of weight[k] * source[first[i] + k - offset[i]], offset[i] <= k
// < offset[i + 1], divided by divisor[i]. Both `first` and `offset` ascend; a cell may have no terms.
struct WeightTable {
    std::vector<int64_t> first, offset;  // one per result cell; one more
    std::vector<double> weight,
        divisor;  // as many as offset.back() says, or none: all are 1; one per result cell, or none

    int64_t cells() const { return int64_t(first.size()); }
    int64_t count(int64_t cell) const { return offset[size_t(cell) + 1] - offset[size_t(cell)]; }
};

// Weighted sums along D, H and W, each axis by its own table; a cell's divisor is the product of its three. Sums and
// weights are float32, or float64 for float64. weighted_sum_task.h says in which order the terms are added.
// Axes N, C, D, H, W; strides count elements and may have any value.
struct WeightedSum {
    int source = 0, result = 1;      // where they are in data[]
    DType dtype = DType::undefined;  // float32, float16, bfloat16, float64
    int64_t source_dims[5] = {}, source_strides[5] = {};
    int64_t result_dims[5] = {}, result_strides[5] = {};
    WeightTable table[3];
    bool rows_first = false;  // always, as interval sums
    // Instead of table[2]: each cell takes the two around its place; or each column is added to the cell it shows, or
    // shared by the two around its place, of which none has more than a group of terms.
    enum class Along { table, places, shown } along = Along::table;
    Positions positions;
    bool shared = false;
};
// Whether rows can do without a table along W: those that have no neighbours along D and H.
bool worth_positions(const WeightedSum& geometry);
std::unique_ptr<Plan> plan_weighted_sum(WeightedSum geometry, const CacheSizes& caches = cache_sizes());

// What plans with indices know of the operator that they serve.
struct Indexed {
    int source, indices, result;  // where they are in data[]
    const char* plane_owner;      // in messages, the argument that says which D, H, W an index counts
    int axes = 3;                 // of these, those that the caller's tensors have: 2 are H, W
    int missing_axis = -1;        // the axis (0: N, 1: C) that the caller's tensors lack; positions in messages omit it
    bool channels_last = false;   // the caller's tensors have C last, and so do positions in messages
};

// result[n, c, j] = source[n, c, indices[n, c, j]]: copies of elements, whatever they mean, or conversions: to a float,
// rounded to nearest even, or from an integer or bool to an integer, modulo 2^n (of uint64 only that).
// Axes N, C, D, H, W; an index counts the elements of the source's D, H, W in C order.
struct Gather : Indexed {
    Gather() : Indexed{0, 2, 3, "{gradOutput}"} {}
    size_t element_size = 0;           // 1, 2, 4, 8; not read if there is a conversion
    DType index_dtype = DType::int64;  // int32, int64
    DType source_dtype = DType::undefined, result_dtype = DType::undefined;  // if they differ, what to convert
    int64_t source_dims[5] = {}, source_strides[5] = {};
    int64_t result_dims[5] = {}, result_strides[5] = {}, index_strides[5] = {};
};
std::unique_ptr<Plan> plan_gather(const Gather& geometry);

// result = 0, then result[n, c, indices[n, c, j]] += source[n, c, j] in ascending j.
// Axes N, C, D, H, W; an index counts the elements of the result's D, H, W in C order. The windows are a hint for
// speed: legal indices lie in window o * stride - padding + {0, dilation, ..., (kernel - 1) * dilation} per axis;
// others still count. Along an axis with tables, window o is [begin[o], end[o]), both ascending, instead.
struct WindowScatter : Indexed {
    WindowScatter() : Indexed{0, 2, 3, "{self}"} {}
    DType dtype = DType::undefined;    // float32, float16, bfloat16 (summed in float32), float64
    DType index_dtype = DType::int32;  // int32, int64
    int64_t source_dims[5] = {}, source_strides[5] = {}, index_strides[5] = {};
    int64_t result_dims[5] = {}, result_strides[5] = {};
    int64_t kernel[3] = {}, stride[3] = {}, padding[3] = {}, dilation[3] = {};
    std::vector<int64_t> begin[3], end[3];
};
std::unique_ptr<Plan> plan_window_scatter(const WindowScatter& geometry, const CacheSizes& caches = cache_sizes());

// ---- forward ----

// result[n, c, o_d, o_h, o_w] = source[n, c, from_d[o_d], from_h[o_h], from_w[o_w]]: copies of elements.
struct NearestCopy {
    size_t element_size = 0;  // 1, 2, 4, 8
    int64_t source_dims[5] = {}, source_strides[5] = {};
    int64_t result_dims[5] = {}, result_strides[5] = {};
    std::vector<int64_t> from[3];  // per spatial axis, result_dims[2 + axis] ascending positions in the source, or
                                   // none: its own cells
};
// data[0] = source, data[1] = result
std::unique_ptr<Plan> plan_nearest_copy(NearestCopy geometry, const CacheSizes& caches = cache_sizes());

// result = 0, then result[n, c, indices[n, c, j]] = source[n, c, j] in ascending j, so the last one wins.
struct ScatterCopy : Indexed {
    ScatterCopy() : Indexed{0, 1, 2, "{outputSize}"} {}
    size_t element_size = 0;           // 1, 2, 4, 8
    DType index_dtype = DType::int64;  // int32, int64
    int64_t source_dims[5] = {}, source_strides[5] = {}, index_strides[5] = {};
    int64_t result_dims[5] = {}, result_strides[5] = {};
};
std::unique_ptr<Plan> plan_scatter_copy(const ScatterCopy& geometry, const CacheSizes& caches = cache_sizes());

// The maximum of each window and where it lies (an index counts the source's D, H, W in C order). The first maximum
// wins; a NaN wins over everything, and the last NaN of the window gives the index. Outside the source is -infinity, or
// the lowest integer.
struct WindowMax {
    int source = 0, result = 1, indices = 2;  // where they are in data[]
    DType dtype = DType::undefined;           // float32, float16, bfloat16, float64; without indices also an integer's
    DType index_dtype = DType::int32;  // int32, int64; undefined: no indices, and windows may lie outside the source
    int64_t source_dims[5] = {}, source_strides[5] = {};
    int64_t result_dims[5] = {}, result_strides[5] = {}, index_strides[5] = {};
    int64_t kernel[3] = {}, stride[3] = {}, padding[3] = {}, dilation[3] = {};
    // Along an axis with tables, window o is [begin[o], end[o]) instead: never empty, both ascending.
    std::vector<int64_t> begin[3], end[3];
};
std::unique_ptr<Plan> plan_window_max(const WindowMax& geometry);

}  // namespace acltwin
