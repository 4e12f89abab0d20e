// Which way a window scatter goes: a table, so that a change of the rules shows what else it changes.
#include <cstring>

#include "expect.h"
#include "kernels/window_scatter_shape.h"

using namespace acltwin;

namespace {

enum Memory { dense, channels_last };

struct Row {
    const char* what;
    DType dtype;
    int64_t planes, cells[3];
    int64_t kernel, stride;
    Memory memory;
    int threads;
    ScatterPath path;
};

constexpr DType f32 = DType::float32, f16 = DType::float16, bf16 = DType::bfloat16, f64 = DType::float64;
constexpr ScatterPath plain = ScatterPath::plain, layers = ScatterPath::layers, expand = ScatterPath::expand,
                      boxes = ScatterPath::boxes;

const Row kRows[] = {
    {"touching, in the cache: adding in place is quicker", f32, 8, {16, 32, 32}, 2, 2, dense, 2, plain},
    {"touching, in the cache, one thread", f32, 1, {16, 32, 32}, 2, 2, dense, 1, plain},
    {"touching, in the cache, fewer planes than threads", f32, 1, {16, 32, 32}, 2, 2, dense, 2, layers},
    {"touching, too large for the cache", f32, 64, {32, 64, 64}, 2, 2, dense, 2, expand},
    {"touching, 16 bits cannot be summed in place", f16, 8, {16, 16, 64}, 2, 2, dense, 2, expand},
    {"touching, bfloat16", bf16, 8, {16, 16, 64}, 2, 2, dense, 2, expand},
    {"touching, rows too short to be expanded", bf16, 8, {16, 32, 32}, 2, 2, dense, 2, plain},
    {"touching, rows that end within a vector", bf16, 8, {16, 16, 62}, 2, 2, dense, 2, plain},
    {"touching, rows too short, fewer planes than threads", bf16, 1, {16, 32, 32}, 2, 2, dense, 2, layers},
    {"touching, channels last", f32, 8, {16, 32, 32}, 2, 2, channels_last, 2, boxes},
    {"channels last, small planes", f16, 8, {2, 4, 4}, 3, 2, channels_last, 2, boxes},
    {"channels last, float64", f64, 3, {16, 32, 32}, 3, 1, channels_last, 1, boxes},
    {"channels last, one channel", f64, 1, {16, 32, 32}, 3, 1, channels_last, 1, plain},
    {"channels last, rows too long for sums beside them", f16, 64, {16, 16, 32768}, 3, 2, channels_last, 1, plain},
    {"channels last, more places than 32 bits count", f32, 64, {32, 1024, 1024}, 33, 1, channels_last, 1, plain},
    {"touching, but wider than the kernel knows", f32, 1, {170, 34, 34}, 17, 17, dense, 2, layers},
    {"touching, and too few slices for slabs", f32, 1, {17, 34, 34}, 17, 17, dense, 2, plain},
    {"a small plane", f32, 64, {8, 16, 16}, 2, 2, dense, 2, plain},
    {"float64", f64, 64, {16, 64, 64}, 2, 2, dense, 2, plain},
    {"float64, fewer planes than threads", f64, 1, {32, 64, 64}, 2, 2, dense, 2, layers},
    {"overlapping, in place", f32, 8, {16, 32, 32}, 3, 2, dense, 2, plain},
    {"overlapping, in place, fewer planes than threads", f32, 1, {24, 32, 32}, 3, 2, dense, 2, layers},
    {"overlapping, 16 bits", f16, 8, {16, 32, 32}, 3, 2, dense, 2, plain},
    {"overlapping, 16 bits, fewer planes than threads", f16, 1, {24, 32, 32}, 3, 2, dense, 2, layers},
    {"overlapping, 16 bits, one thread, sums that outgrow the cache", f16, 1, {64, 256, 256}, 3, 2, dense, 1, layers},
    {"overlapping, too large for the cache", f32, 128, {16, 64, 64}, 3, 2, dense, 2, plain},
    {"overlapping, too large for the cache, and the sums for a core's", f32, 64, {64, 64, 64}, 3, 2, dense, 2, layers},
    {"overlapping, planes too large as well: added in place", f32, 4, {128, 128, 128}, 3, 2, dense, 2, plain},
    {"overlapping, a single slice for two threads", f16, 1, {1, 256, 256}, 3, 2, dense, 2, layers},
    {"overlapping, windows too deep for slabs", f16, 1, {64, 256, 256}, 33, 2, dense, 2, plain},
};

WindowScatter geometry(const Row& row) {
    WindowScatter g;
    g.dtype = row.dtype;
    for (int axis = 0; axis < 3; ++axis) {
        g.kernel[axis] = row.kernel;
        g.stride[axis] = row.stride;
        g.padding[axis] = row.kernel > row.stride ? row.kernel / 2 : 0;
        g.dilation[axis] = 1;
        g.result_dims[2 + axis] = row.cells[axis];
        g.source_dims[2 + axis] = (row.cells[axis] + 2 * g.padding[axis] - row.kernel) / row.stride + 1;
    }
    g.source_dims[0] = g.result_dims[0] = 1;
    g.source_dims[1] = g.result_dims[1] = row.planes;
    const auto set_strides = [&](const int64_t (&dims)[5], int64_t (&strides)[5]) {
        const int order[2][5] = {{4, 3, 2, 1, 0}, {1, 4, 3, 2, 0}};
        int64_t stride = 1;
        for (int axis : order[row.memory]) {
            strides[axis] = stride;
            stride *= dims[axis];
        }
    };
    set_strides(g.source_dims, g.source_strides);
    set_strides(g.source_dims, g.index_strides);
    set_strides(g.result_dims, g.result_strides);
    return g;
}

}  // namespace

int main() {
    const char* const names[] = {"plain", "layers", "expand", "boxes"};
    for (const Row& row : kRows) {
        const WindowScatter g = geometry(row);
        const ScatterPath path = scatter_path(g, scatter_shape(g, CacheSizes()), row.threads);
        expect(path == row.path,
               std::string(row.what) + ": expected " + names[int(row.path)] + ", got " + names[int(path)]);
    }
    std::printf("scatter paths: ok\n");
}
