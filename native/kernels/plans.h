// The kernels' side of a plan: geometry in, runnable plan out. Kernels know these, not the operators.
// A plan may depend on the caches for its speed, never for its bits.
#pragma once

#include <memory>
#include <vector>

#include "core/cache_sizes.h"
#include "core/plan.h"
#include "core/tensor.h"

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

// result[n, c, j] = source[n, c, indices[n, c, j]]: copies of elements, whatever they mean.
// Axes N, C, D, H, W; an index counts the elements of the source's D, H, W in C order.
struct Gather {
    size_t element_size = 0;           // 1, 2, 4, 8
    DType index_dtype = DType::int64;  // int32, int64
    int64_t source_dims[5] = {}, source_strides[5] = {};
    int64_t result_dims[5] = {}, result_strides[5] = {}, index_strides[5] = {};
    int missing_axis = -1;       // the axis (0: N, 1: C) that the caller's tensors lack; positions in messages omit it
    bool channels_last = false;  // the caller's tensors have C last, and so do positions in messages
};
// data[0] = source, data[1] is not read, data[2] = indices, data[3] = result
std::unique_ptr<Plan> plan_gather(const Gather& geometry);

// result = 0, then result[n, c, indices[n, c, j]] += source[n, c, j] in ascending j.
// Axes N, C, D, H, W; an index counts the elements of the result's D, H, W in C order. The windows are a hint for
// speed: legal indices lie in window o * stride - padding + {0, dilation, ..., (kernel - 1) * dilation} per axis;
// others still count.
struct WindowScatter {
    DType dtype = DType::undefined;    // float32, float16, bfloat16 (summed in float32), float64
    DType index_dtype = DType::int32;  // int32, int64
    int64_t source_dims[5] = {}, source_strides[5] = {}, index_strides[5] = {};
    int64_t result_dims[5] = {}, result_strides[5] = {};
    int64_t kernel[3] = {}, stride[3] = {}, padding[3] = {}, dilation[3] = {};
    int missing_axis = -1;       // the axis (0: N, 1: C) that the caller's tensors lack; positions in messages omit it
    bool channels_last = false;  // the caller's tensors have C last, and so do positions in messages
};
// data[0] = source, data[1] is not read, data[2] = indices, data[3] = result
std::unique_ptr<Plan> plan_window_scatter(const WindowScatter& geometry, const CacheSizes& caches = cache_sizes());

// ---- forward ----

// result[n, c, o_d, o_h, o_w] = source[n, c, from_d[o_d], from_h[o_h], from_w[o_w]]: copies of elements.
struct NearestCopy {
    size_t element_size = 0;  // 1, 2, 4, 8
    int64_t source_dims[5] = {}, source_strides[5] = {};
    int64_t result_dims[5] = {}, result_strides[5] = {};
    std::vector<int64_t> from[3];  // per spatial axis, result_dims[2 + axis] ascending positions in the source
};
// data[0] = source, data[1] = result
std::unique_ptr<Plan> plan_nearest_copy(const NearestCopy& geometry, const CacheSizes& caches = cache_sizes());

// result = 0, then result[n, c, indices[n, c, j]] = source[n, c, j] in ascending j, so the last one wins.
struct ScatterCopy {
    size_t element_size = 0;           // 1, 2, 4, 8
    DType index_dtype = DType::int64;  // int32, int64
    int64_t source_dims[5] = {}, source_strides[5] = {}, index_strides[5] = {};
    int64_t result_dims[5] = {}, result_strides[5] = {};
    int missing_axis = -1;       // as for Gather
    bool channels_last = false;  // as for Gather
};
// data[0] = source, data[1] = indices, data[2] = result
std::unique_ptr<Plan> plan_scatter_copy(const ScatterCopy& geometry, const CacheSizes& caches = cache_sizes());

// The maximum of each window and where it lies (an index counts the source's D, H, W in C order). The first maximum
// wins; a NaN wins over everything, and the last NaN of the window gives the index. Outside the source is -infinity.
struct WindowMax {
    DType dtype = DType::undefined;    // float32, float16, bfloat16, float64
    DType index_dtype = DType::int32;  // int32, int64
    int64_t source_dims[5] = {}, source_strides[5] = {};
    int64_t result_dims[5] = {}, result_strides[5] = {}, index_strides[5] = {};
    int64_t kernel[3] = {}, stride[3] = {}, padding[3] = {}, dilation[3] = {};
};
// data[0] = source, data[1] = result, data[2] = indices (of the result's dims)
std::unique_ptr<Plan> plan_window_max(const WindowMax& geometry);

}  // namespace acltwin
