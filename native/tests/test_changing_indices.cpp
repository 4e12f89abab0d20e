// Indices that another thread changes while a kernel reads them: what is checked must be what is used, so nothing
// outside the tensors is ever touched. They lie between guarded pages; the changed indices point there.
#include <atomic>
#include <chrono>
#include <cstring>
#include <random>
#include <thread>
#include <vector>

#include "core/thread_pool.h"
#include "guarded_pages.h"
#include "kernels/plans.h"

using namespace acltwin;

namespace {

constexpr int64_t kFewer[3] = {8, 8, 32}, kMore[3] = {16, 16, 64};  // windows, and the cells of their plane
constexpr int64_t kWindows = 8 * 8 * 32, kPlane = 16 * 16 * 64;

void set(int64_t (&dims)[5], int64_t (&strides)[5], int64_t planes, const int64_t (&spatial)[3], bool channels_last) {
    const int64_t sizes[5] = {1, planes, spatial[0], spatial[1], spatial[2]};
    std::memcpy(dims, sizes, sizeof dims);
    const int order[2][5] = {{4, 3, 2, 1, 0}, {1, 4, 3, 2, 0}};
    int64_t stride = 1;
    for (int axis : order[channels_last]) {
        strides[axis] = stride;
        stride *= sizes[axis];
    }
}

// Legal indices in C order of the windows: the first cell of each window of 2 x 2 x 2.
template <class I>
class ChangingIndices {
public:
    ChangingIndices(int64_t planes, bool channels_last) : indices_(size_t(planes * kWindows)) {
        for (int64_t plane = 0; plane < planes; ++plane)
            for (int64_t w = 0; w < kWindows; ++w) {
                const int64_t d = w / (8 * 32), h = w / 32 % 8;
                const int64_t cell = (d * 2 * 16 + h * 2) * 64 + w % 32 * 2;
                indices_[size_t(channels_last ? w * planes + plane : plane * kWindows + w)] = I(cell);
            }
        changer_ = std::thread([this] { change(); });
    }
    ~ChangingIndices() {
        stop_ = true;
        changer_.join();
    }

    void* data() { return indices_.data(); }

private:
    // Not instrumented: that the kernels race with it is the point.
    __attribute__((no_sanitize("thread"))) void change() {
        const I bad[] = {I(kPlane), I(kPlane + 5000), I(-1), I(-5000), I(int64_t(1) << 27), I(-(int64_t(1) << 27))};
        std::minstd_rand random(7);
        volatile I* const indices = indices_.data();
        while (!stop_) {
            const size_t at = random() % indices_.size();
            const I good = indices[at], other = bad[random() % 6];
            for (int i = 0; i < 40; ++i) {
                indices[at] = other;
                indices[at] = good;
            }
        }
    }

    std::vector<I> indices_;
    std::atomic<bool> stop_{false};
    std::thread changer_;
};

constexpr auto kTime = std::chrono::milliseconds(20);

// Runs the plan again and again, on a source and a result that end or begin at a guarded page.
template <class I>
void run(const Plan& plan, int64_t planes, size_t element, int64_t source_cells, int64_t result_cells,
         bool channels_last, int index_position, int result_position) {
    ChangingIndices<I> indices(planes, channels_last);
    std::vector<char> scratch(plan.scratch_bytes() + 64);
    char* const aligned = scratch.data() + -reinterpret_cast<uintptr_t>(scratch.data()) % 64;
    for (bool at_end : {true, false}) {
        GuardedPages source(size_t(planes * source_cells) * element, at_end);
        GuardedPages result(size_t(planes * result_cells) * element, at_end);
        void* data[4] = {source.data(), nullptr, nullptr, nullptr};
        data[index_position] = indices.data();
        data[result_position] = result.data();
        const auto end = std::chrono::steady_clock::now() + kTime;
        while (std::chrono::steady_clock::now() < end) {
            const Failure failure = plan.run(data, aligned);
            expect(!failure || failure.code == kKernelException, "an index that changes is a bad index or a good one");
        }
    }
}

template <class I>
constexpr DType kIndexType = sizeof(I) == 4 ? DType::int32 : DType::int64;

template <class I>
void gathers(int64_t planes, size_t element, bool channels_last) {
    Gather g;
    g.element_size = element;
    g.index_dtype = kIndexType<I>;
    set(g.source_dims, g.source_strides, planes, kMore, channels_last);
    set(g.result_dims, g.result_strides, planes, kFewer, channels_last);
    std::memcpy(g.index_strides, g.result_strides, sizeof g.index_strides);
    run<I>(*plan_gather(g), planes, element, kPlane, kWindows, channels_last, 2, 3);
}

template <class I>
void scattered_copies(int64_t planes, size_t element, bool channels_last) {
    ScatterCopy g;
    g.element_size = element;
    g.index_dtype = kIndexType<I>;
    set(g.source_dims, g.source_strides, planes, kFewer, channels_last);
    set(g.result_dims, g.result_strides, planes, kMore, channels_last);
    std::memcpy(g.index_strides, g.source_strides, sizeof g.index_strides);
    run<I>(*plan_scatter_copy(g), planes, element, kWindows, kPlane, channels_last, 1, 2);
}

template <class I>
void window_scatters(int64_t planes, DType dtype, int64_t kernel, bool channels_last) {
    WindowScatter g;
    g.dtype = dtype;
    g.index_dtype = kIndexType<I>;
    set(g.source_dims, g.source_strides, planes, kFewer, channels_last);
    set(g.result_dims, g.result_strides, planes, kMore, channels_last);
    std::memcpy(g.index_strides, g.source_strides, sizeof g.index_strides);
    for (int axis = 0; axis < 3; ++axis) {
        g.kernel[axis] = kernel;
        g.stride[axis] = 2;
        g.dilation[axis] = 1;
        g.padding[axis] = kernel / 2 - (kernel == 2);
    }
    run<I>(*plan_window_scatter(g), planes, size_of(dtype), kWindows, kPlane, channels_last, 2, 3);
}

template <class I>
void all_kernels() {
    for (int64_t planes : {1, 3})
        for (bool channels_last : {false, true}) {
            for (size_t element : {1, 2, 4, 8}) {
                gathers<I>(planes, element, channels_last);
                scattered_copies<I>(planes, element, channels_last);
            }
            for (DType dtype : {DType::float32, DType::float16, DType::float64})
                for (int64_t kernel : {2, 3}) window_scatters<I>(planes, dtype, kernel, channels_last);
        }
}

}  // namespace

int main() {
    for (int threads : {1, 2}) {
        set_num_threads(threads);
        all_kernels<int32_t>();
        all_kernels<int64_t>();
    }
    std::printf("changing indices: ok\n");
}
