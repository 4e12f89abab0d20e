// Plans of scattered copies.
//
// Variants, from the fastest:
//   zeroed   a dense result that the cache holds: zeroed ahead of where elements go
//   ring     a dense result of 32 or 64 bits that outgrows the cache: formed in a ring of a few slices, whose lines
//            leave by non-temporal stores; elements that come too late for the ring go to the result itself
//   plain    gaps in the result: zeroed first, two divisions per element
// Dense are planes without gaps, and planes interleaved element by element (channels last). Indices are tested in
// groups of eight. Fewer blocks than threads: each thread takes a range of cells, and reads the indices of the windows
// there and of a layer around; if one of them points further away, all are read in a second run. About 0.7 ns per
// element and 0.03 ns per byte of the result.
#include <algorithm>

#include "kernels/ablate.h"
#include "kernels/index_failure.h"
#include "kernels/loops/axes.h"
#include "kernels/loops/schedule.h"
#include "kernels/plans.h"
#include "kernels/scatter_copy_task.h"

namespace acltwin {
namespace {

enum { kN, kC, kD, kH, kW, kPart = kD };

// Neighbouring windows hit cells in two or three neighbouring slices: these should fit into the ring, and the ring into
// a cache.
constexpr int64_t kRingSlices = 3, kLeastRingBytes = 32 << 10, kMostRingBytes = 2 << 20;
constexpr int64_t kMostParts = 8, kLeastPartCells = 1 << 16;
// Layers of windows, along the first axis that has several: windows may lie across the border of a part.
constexpr int64_t kLayersAround = 1;
constexpr double kNanosecondsPerElement = 1, kNanosecondsPerByte = 0.05;

class ScatterCopyPlan final : public Plan {
public:
    ScatterCopyPlan(const ScatterCopy& geometry, const CacheSizes& caches) : geometry_(geometry), caches_(caches) {
        copy_geometry();
        choose_planes();
        estimate_work();
        choose_ring();
        scratch_bytes_ = size_t(slot_bytes()) * size_t(schedule_.threads());
    }

    Failure run(void* const data[], void* scratch) const override {
        if (planes_.plane == 0) return {};
        const auto kernel = dense_result_ ? ACLTWIN_KERNEL(scatter_copy_dense) : ACLTWIN_KERNEL(scatter_copy_plain);
        const auto copied = [&](const ScatterCopyPlanes& planes) {
            return schedule_.run_while_good([&](int64_t first, int64_t last, int slot) {
                char* const ring = static_cast<char*>(scratch) + slot * slot_bytes();
                return kernel(planes, data[geometry_.source], data[geometry_.indices], data[geometry_.result], ring,
                              first, last);
            });
        };
        if (copied(planes_)) return {};
        if (parts() > 1) {
            ScatterCopyPlanes planes = planes_;
            planes.elements_around = planes.elements;
            if (copied(planes)) return {};
        }
        return index_failure(geometry_, geometry_.index_dtype, geometry_.source_dims, geometry_.index_strides,
                             geometry_.result_dims + kD, data[geometry_.indices]);
    }

    std::string variant() const override {
        const char* const name = !dense_result_ ? "plain" : planes_.ring_elements > 0 ? "ring" : "zeroed";
        return name + std::string(parts() > 1 ? ", parts" : "");
    }

private:
    void copy_geometry();
    void choose_planes();
    void estimate_work();
    void choose_ring();

    int64_t parts() const { return planes_.blocks.extent[kPart]; }
    int64_t slot_bytes() const { return planes_.ring_elements * planes_.element_size; }

    ScatterCopy geometry_;
    const CacheSizes caches_;
    ScatterCopyPlanes planes_;
    bool dense_result_ = false;
    double result_bytes_ = 0;
    Schedule schedule_;
};

void ScatterCopyPlan::copy_geometry() {
    const ScatterCopy& g = geometry_;
    planes_.element_size = int64_t(g.element_size);
    planes_.index_dtype = g.index_dtype;
    planes_.blocks = {{g.source_dims[kN], g.source_dims[kC], 1},
                      {{g.source_strides[kN], g.source_strides[kC]},
                       {g.index_strides[kN], g.index_strides[kC]},
                       {g.result_strides[kN], g.result_strides[kC]}}};
    planes_.cells.extent[3] = 1;
    for (int i = 0; i < 3; ++i) {
        planes_.cells.extent[i] = g.source_dims[kD + i];
        planes_.cells.step[0][i] = g.source_strides[kD + i];
        planes_.cells.step[1][i] = g.index_strides[kD + i];
        planes_.result_dims[i] = g.result_dims[kD + i];
        planes_.result_strides[i] = g.result_strides[kD + i];
    }
    planes_.plane = steps_of(planes_.result_dims);
}

void ScatterCopyPlan::choose_planes() {
    const int64_t channels = geometry_.result_dims[kC];
    const bool alone = one_run(planes_.result_dims, planes_.result_strides, 1);
    const bool interleaved = channels > 1 && geometry_.result_strides[kC] == 1 &&
                             one_run(planes_.result_dims, planes_.result_strides, channels);
    dense_result_ = alone || interleaved;
    if (interleaved) {
        planes_.planes_together = planes_.cells.extent[3] = channels;
        planes_.blocks.extent[kC] = 1;
        planes_.cells.step[0][3] = geometry_.source_strides[kC];
        planes_.cells.step[1][3] = geometry_.index_strides[kC];
    }
    planes_.elements = steps_of(planes_.cells.extent);
    const auto dense = [&](const int64_t (&steps)[4]) {
        return (planes_.planes_together == 1 || steps[3] == 1) &&
               one_run(planes_.cells.extent, steps, planes_.planes_together);
    };
    planes_.dense = dense(planes_.cells.step[0]) && dense(planes_.cells.step[1]);
}

void ScatterCopyPlan::estimate_work() {
    const int64_t blocks = steps_of(planes_.blocks.extent);
    result_bytes_ =
        double(blocks) * double(planes_.planes_together) * double(planes_.plane) * double(planes_.element_size);
    const double elements = double(blocks) * double(planes_.elements);
    const double nanoseconds = elements * kNanosecondsPerElement + result_bytes_ * kNanosecondsPerByte;
    const int threads = threads_for(nanoseconds);
    if (blocks > 0 && blocks < threads) {
        const int64_t wanted = std::min<int64_t>((threads - 1) / blocks + 1, kMostParts);
        planes_.blocks.extent[kPart] = std::clamp<int64_t>(planes_.plane / kLeastPartCells, 1, wanted);
        const int64_t* const layers =
            std::find_if(planes_.cells.extent, planes_.cells.extent + 2, [](int64_t n) { return n > 1; });
        planes_.elements_around =
            ablated("scatter_copy: elements nearby")
                ? planes_.elements
                : saturating_product(kLayersAround, planes_.elements / std::max<int64_t>(*layers, 1));
    }
    schedule_ = Schedule(steps_of(planes_.blocks.extent), nanoseconds);
}

void ScatterCopyPlan::choose_ring() {
    // Measured: 16 bits and less take too long per line for their stores to matter.
    if (!dense_result_ || planes_.element_size < 4 || result_bytes_ < double(caches_.gone())) return;
    if (ablated("scatter_copy: ring")) return;
    const int64_t line = 64 / planes_.element_size;
    const int64_t slice = saturating_product(planes_.result_dims[1], planes_.result_dims[2], planes_.planes_together);
    const int64_t part = saturating_product(planes_.plane / parts() + 1, planes_.planes_together);
    const int64_t least = kLeastRingBytes / planes_.element_size, most = kMostRingBytes / planes_.element_size;
    const int64_t wanted = std::min(std::max(saturating_product(slice, kRingSlices), least), part);
    if (slice > most / 2 && wanted > most - 2 * line) return;
    int64_t elements = least;
    while (elements < std::min(wanted + 2 * line, most)) elements *= 2;
    planes_.ring_elements = elements;
}

}  // namespace

std::unique_ptr<Plan> plan_scatter_copy(const ScatterCopy& geometry, const CacheSizes& caches) {
    return std::make_unique<ScatterCopyPlan>(geometry, caches);
}

}  // namespace acltwin
