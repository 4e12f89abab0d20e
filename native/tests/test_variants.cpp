// Which variant each family of kernels chooses: tables, so that a change of the rules shows what else it changes. Every
// word of every variant() is here. (Window scatters have more, test_scatter_path.cpp.)
#include <algorithm>

#include "core/thread_pool.h"
#include "expect.h"
#include "kernels/plans.h"

using namespace acltwin;

namespace {

constexpr DType f32 = DType::float32, f16 = DType::float16, f64 = DType::float64;
constexpr CacheSizes kCaches = {1 << 20, 32 << 20}, kNone = {1 << 20, 0};

typedef int64_t Axes[5];

// The axes from the innermost to the outermost one.
enum Memory { dense, channels_last, permuted, pitched, sliced, spaced };
void set_strides(const Axes& dims, Memory memory, Axes& strides) {
    const int order[][5] = {{4, 3, 2, 1, 0}, {1, 4, 3, 2, 0}, {3, 4, 2, 1, 0}};
    int64_t stride = memory == spaced ? 2 : 1;
    for (int axis : order[memory < pitched ? memory : dense]) {
        strides[axis] = stride;
        const bool gap = (axis == 4 && (memory == pitched || memory == sliced)) || (axis == 3 && memory == sliced);
        stride *= dims[axis] + (gap ? 3 : 0);
    }
}

void set_plane(const Axes& batch_and_cells, Axes& dims) { std::copy_n(batch_and_cells, 5, dims); }

void same(const std::string& what, const std::string& expected, const std::unique_ptr<Plan>& plan) {
    expect(plan->variant() == expected, what + ": expected '" + expected + "', got '" + plan->variant() + "'");
}

// ---- interval sums and nearest copies: `factor` times as many cells on the larger side, along each axis ----

int64_t scaled(int64_t cells, double factor) { return std::max<int64_t>(1, int64_t(double(cells) * factor)); }

struct Upsampling {
    const char* what;
    DType dtype;
    int64_t channels, width;
    double factor;
    Memory memory;
    CacheSizes caches;
    const char *sum, *copy;
};

const Upsampling kUpsamplings[] = {
    {"same size", f32, 2, 64, 1, dense, kCaches, "factor 1", "copy"},
    {"same size, large", f32, 2, 64, 1, dense, kNone, "factor 1, non-temporal", "copy, non-temporal"},
    {"doubled", f32, 2, 64, 2, dense, kCaches, "factor 2", "blocks"},
    {"doubled, small beside what is read", f32, 2, 64, 2, dense, kNone, "factor 2", "blocks, non-temporal"},
    {"doubled, odd rows", f32, 2, 61, 2, dense, kNone, "factor 2", "blocks"},
    {"tripled, 16 bits", f16, 2, 64, 3, dense, kCaches, "factor 3", "blocks"},
    {"fourfold", f64, 2, 64, 4, dense, kCaches, "factor 4", "blocks"},
    {"fivefold", f32, 2, 64, 5, dense, kCaches, "runs", "blocks"},
    {"halves", f32, 2, 64, 1.5, dense, kCaches, "blocks", "blocks"},
    {"halved", f32, 2, 64, 0.5, dense, kCaches, "blocks", "cells"},
    {"halved, large", f32, 2, 64, 0.5, dense, kNone, "blocks, non-temporal", "cells"},
    {"halved, large, 16 bits", f16, 2, 64, 0.5, dense, kNone, "blocks", "cells"},
    {"tenfold", f32, 2, 64, 10, dense, kCaches, "runs", "blocks"},
    {"many channels", f32, 32, 64, 2, channels_last, kCaches, "channels", "cells"},
    {"three channels", f32, 3, 64, 2, channels_last, kCaches, "blocks", "blocks"},
    {"three channels, bfloat16", DType::bfloat16, 3, 64, 2, channels_last, kCaches, "runs", "blocks"},
    {"three channels, halved", f16, 3, 64, 0.5, channels_last, kCaches, "blocks", "cells"},
    {"three channels, tenfold", f32, 3, 6, 10, channels_last, kCaches, "runs", "blocks"},
    {"H innermost", f32, 2, 64, 2, permuted, kCaches, "factor 2, along H", "blocks, packed"},
    {"H innermost, 64 bits, large", f64, 2, 64, 2, permuted, kNone, "factor 2, along H",
     "blocks, packed, non-temporal"},
    {"H innermost, 64 bits, large, odd", f64, 2, 61, 1.5, permuted, kNone, "blocks, along H", "blocks, packed"},
    {"H innermost, halves", f32, 2, 64, 1.5, permuted, kCaches, "blocks, along H", "blocks, packed"},
    {"H innermost, too many rows", f32, 2, 64, 4, permuted, kCaches, "factor 4, packed", "blocks, packed"},
    {"every second element of memory", f32, 2, 64, 2, spaced, kCaches, "factor 2, packed", "cells, scattered"},
};

// For so few rows, a table of blocks takes longer than the sums.
void long_rows() {
    for (int64_t channels : {1, 3, 4}) {
        const Axes source = {1, channels, 1, 1, 300000}, result = {1, channels, 1, 1, 200000};
        IntervalSum sum;
        sum.dtype = f32;
        set_plane(source, sum.source_dims);
        set_plane(result, sum.result_dims);
        set_strides(source, dense, sum.source_strides);
        set_strides(result, dense, sum.result_strides);
        sum.begin[0] = sum.begin[1] = {0, 1};
        for (int64_t cell = 0; cell <= result[4]; ++cell) sum.begin[2].push_back((cell * 3 + 1) / 2);
        same("sum, long rows", channels < 4 ? "runs" : "blocks", plan_interval_sum(sum, kCaches));
    }
}

void upsamplings() {
    for (const Upsampling& row : kUpsamplings) {
        const Axes inner = {2, row.channels, 6, 20, row.width};
        Axes outer = {2, row.channels};
        for (int axis = 2; axis < 5; ++axis) outer[axis] = scaled(inner[axis], row.factor);
        IntervalSum sum;
        NearestCopy copy;
        sum.dtype = row.dtype;
        copy.element_size = size_of(row.dtype);
        set_plane(outer, sum.source_dims);
        set_plane(inner, sum.result_dims);
        set_plane(inner, copy.source_dims);
        set_plane(outer, copy.result_dims);
        set_strides(outer, row.memory, sum.source_strides);
        set_strides(inner, row.memory, sum.result_strides);
        set_strides(inner, row.memory, copy.source_strides);
        set_strides(outer, row.memory == permuted ? dense : row.memory, copy.result_strides);
        for (int i = 0; i < 3; ++i) {
            const int64_t from = inner[2 + i], to = outer[2 + i];
            for (int64_t cell = 0; cell < to; ++cell) copy.from[i].push_back(cell * from / to);
            for (int64_t cell = 0; cell <= from; ++cell) sum.begin[i].push_back((cell * to + from - 1) / from);
        }
        same(std::string("sum, ") + row.what, row.sum, plan_interval_sum(sum, row.caches));
        same(std::string("copy, ") + row.what, row.copy, plan_nearest_copy(copy, row.caches));
    }
}

// ---- weighted sums: two terms per cell ----

struct Weighing {
    const char* what;
    DType dtype;
    int64_t channels, from, to;  // along H and W
    Memory memory;
    const char* variant;
};

const Weighing kWeighings[] = {
    {"doubled", f32, 2, 32, 64, dense, "blocks, columns first"},
    {"doubled, float64", f64, 2, 32, 64, dense, "blocks, columns first"},
    {"same size", f16, 2, 80, 80, dense, "blocks"},
    {"small planes", f16, 5, 8, 16, dense, "channels, columns first, planes"},
    {"halved", f32, 2, 64, 32, dense, "transposed"},
    {"many channels, doubled", f32, 32, 32, 64, channels_last, "channels, columns first"},
    {"many channels, halved", f32, 32, 64, 32, channels_last, "channels"},
    {"three channels, doubled", f32, 3, 32, 64, channels_last, "blocks, columns first"},
};

void weighings() {
    for (const Weighing& row : kWeighings) {
        WeightedSum sum;
        sum.dtype = row.dtype;
        set_plane({2, row.channels, 1, row.from, row.from}, sum.source_dims);
        set_plane({2, row.channels, 1, row.to, row.to}, sum.result_dims);
        set_strides(sum.source_dims, row.memory, sum.source_strides);
        set_strides(sum.result_dims, row.memory, sum.result_strides);
        sum.table[0] = {{0}, {0, 1}, {}, {}};
        for (int i = 1; i < 3; ++i) {
            sum.table[i].offset.push_back(0);
            for (int64_t cell = 0; cell < row.to; ++cell) {
                sum.table[i].first.push_back(std::min(cell * row.from / row.to, row.from - 2));
                sum.table[i].offset.push_back(2 * (cell + 1));
            }
        }
        same(std::string("weights, ") + row.what, row.variant, plan_weighted_sum(sum));
        if (row.to <= row.from || row.channels != 2) continue;
        for (int64_t cell = 3; cell < row.to; ++cell) sum.table[2].first[size_t(cell)] = row.from - 2;
        same(std::string("weights far apart, ") + row.what, "walk, columns first", plan_weighted_sum(sum));
    }
}

// ---- pooling, its inverse, and the gradients of both ----

struct Pooling {
    const char* what;
    DType dtype;
    Axes cells;
    int64_t kernel;  // the stride is two
    Memory memory;   // of the larger side
    CacheSizes caches;
    const char *maximum, *gather, *scatter, *add;
};

const char *const kAround = "expand, non-temporal", *const kBeside = "plain, beside the result";
const char* const kBesideAround = "plain, beside the result, non-temporal";
const char *const kLayers = "layers, beside the result", *const kStored = "boxes, stored";
const char *const kBoxes = "boxes, beside the result", *const kBoxesAround = "boxes, beside the result, non-temporal";
const Pooling kPoolings[] = {
    {"medium", f32, {2, 4, 8, 32, 32}, 2, dense, kCaches, "tiles", "dense", "zeroed", "plain"},
    {"large", f32, {2, 4, 8, 16, 64}, 2, dense, kNone, "tiles", "dense", "ring", kAround},
    {"float64", f64, {2, 4, 8, 32, 32}, 2, dense, kCaches, "tiles", "dense", "zeroed", "plain"},
    {"16 bits", f16, {2, 4, 8, 16, 64}, 2, dense, kCaches, "tiles", "dense", "zeroed", "expand"},
    {"16 bits, short rows", f16, {2, 4, 8, 32, 32}, 2, dense, kCaches, "tiles", "dense", "zeroed", "direct"},
    {"16 bits, large", f16, {2, 2, 8, 16, 64}, 2, dense, kNone, "tiles", "dense", "zeroed", "expand"},
    {"16 bits, large, two threads", f16, {2, 16, 8, 64, 64}, 2, dense, kNone, "tiles", "dense", "zeroed", kAround},
    {"overlap", f32, {2, 4, 8, 32, 32}, 3, dense, kCaches, "tiles", "dense", "zeroed", "plain"},
    {"overlap, 16 bits", f16, {2, 4, 8, 32, 32}, 3, dense, kCaches, "tiles", "dense", "zeroed", kBeside},
    {"overlap, large", f32, {2, 4, 8, 32, 32}, 3, dense, kNone, "tiles", "dense", "ring", kBesideAround},
    {"small planes", f16, {2, 32, 8, 8, 8}, 2, dense, kCaches, "planes", "dense", "zeroed", "direct"},
    {"channels last", f32, {2, 16, 8, 32, 32}, 2, channels_last, kCaches, "tiles", "strided", "zeroed", "boxes"},
    {"channels, large", f32, {2, 16, 8, 32, 32}, 2, channels_last, kNone, "tiles", "strided", "ring", kBoxesAround},
    {"few channels, 16 bits", f16, {2, 3, 8, 32, 32}, 2, channels_last, kCaches, "tiles", "strided", "zeroed", kStored},
    {"few channels, overlap", f16, {2, 3, 8, 32, 32}, 3, channels_last, kCaches, "tiles", "strided", "zeroed", kBoxes},
    {"rows with gaps", f32, {2, 4, 8, 16, 64}, 2, pitched, kCaches, "tiles", "rows", "plain", "expand"},
    {"rows and slices with gaps", f32, {2, 4, 8, 16, 64}, 2, sliced, kCaches, "tiles", "slices", "plain", "expand"},
    {"elements with gaps", f32, {2, 4, 8, 16, 64}, 2, spaced, kCaches, "tiles", "strided", "plain", kBeside},
    {"one plane", f32, {1, 1, 32, 128, 128}, 2, dense, kCaches, "tiles", "dense", "zeroed, parts", "layers"},
    {"one plane, large", f32, {1, 1, 32, 128, 128}, 2, dense, kNone, "tiles", "dense", "ring, parts", kAround},
    {"one plane, overlap", f16, {1, 1, 32, 128, 128}, 3, dense, kCaches, "tiles", "dense", "zeroed, parts", kLayers},
    {"one plane, gaps", f32, {1, 1, 32, 128, 128}, 2, pitched, kCaches, "tiles", "rows", "plain, parts", "expand"},
    {"windows wider than a tile", f32, {1, 1, 2, 2, 4096}, 1500, dense, kCaches, "plain", "dense", "zeroed", "plain"},
};

void poolings() {
    for (const Pooling& row : kPoolings) {
        const Axes pooled = {row.cells[0], row.cells[1], row.cells[2] / 2, row.cells[3] / 2, row.cells[4] / 2};
        Axes full, small;
        set_strides(row.cells, row.memory, full);
        set_strides(pooled, row.memory < pitched ? row.memory : dense, small);
        WindowMax maximum;
        maximum.dtype = row.dtype;
        Gather gather;
        ScatterCopy scatter;
        gather.element_size = scatter.element_size = size_of(row.dtype);
        WindowScatter add;
        add.dtype = row.dtype;
        for (int axis = 0; axis < 5; ++axis) {
            maximum.source_dims[axis] = gather.source_dims[axis] = scatter.result_dims[axis] = row.cells[axis];
            maximum.source_strides[axis] = gather.source_strides[axis] = scatter.result_strides[axis] = full[axis];
            maximum.result_dims[axis] = gather.result_dims[axis] = scatter.source_dims[axis] = pooled[axis];
            add.result_dims[axis] = row.cells[axis];
            add.result_strides[axis] = full[axis];
            add.source_dims[axis] = pooled[axis];
            add.source_strides[axis] = add.index_strides[axis] = small[axis];
            maximum.result_strides[axis] = maximum.index_strides[axis] = small[axis];
            gather.result_strides[axis] = gather.index_strides[axis] = small[axis];
            scatter.source_strides[axis] = scatter.index_strides[axis] = small[axis];
        }
        for (int i = 0; i < 3; ++i) {
            maximum.kernel[i] = add.kernel[i] = row.kernel;
            maximum.stride[i] = add.stride[i] = 2;
            maximum.dilation[i] = add.dilation[i] = 1;
        }
        same(std::string("maximum, ") + row.what, row.maximum, plan_window_max(maximum));
        same(std::string("gather, ") + row.what, row.gather, plan_gather(gather));
        same(std::string("scatter, ") + row.what, row.scatter, plan_scatter_copy(scatter, row.caches));
        same(std::string("add, ") + row.what, row.add, plan_window_scatter(add, row.caches));
    }
}

}  // namespace

int main() {
    set_num_threads(2);
    upsamplings();
    long_rows();
    weighings();
    poolings();
    std::printf("variants: ok\n");
}
