// Plans of scattered copies.
//
// Variants, from the fastest:
//   zeroed   a dense result that the cache holds: zeroed ahead of where elements go
//   ring     a dense result of 32 or 64 bits that outgrows the cache: formed in a ring of a few slices, whose lines
//            leave by non-temporal stores; elements that come too late for the ring go to the result itself
//   planes   dense planes, read from channels that are neighbours: several planes at once, zeroed ahead
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
// Measured: channels that are read together; a cache line of their indices.
constexpr int64_t kMostPlanes = 16;
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
        const auto kernel = planes_.grouped > 0 ? ACLTWIN_KERNEL(scatter_copy_planes)
                            : dense_result_     ? ACLTWIN_KERNEL(scatter_copy_dense)
                                                : ACLTWIN_KERNEL(scatter_copy_plain);
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
        const char* const name = planes_.grouped > 0         ? "planes"
                                 : !dense_result_            ? "plain"
                                 : planes_.ring_elements > 0 ? "ring"
                                                             : "zeroed";
        return name + std::string(parts() > 1 ? ", parts" : "");
    }

private:
    void copy_geometry();
    void choose_planes();
    void merge_cells(bool interleaved);
    void group_planes(int64_t channels);
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
    planes_.plane = saturating_product(g.result_dims[kD], g.result_dims[kH], g.result_dims[kW]);
    planes_.places = plane_cells(g.result_dims + kD, g.result_strides + kD);
}

void ScatterCopyPlan::choose_planes() {
    const int64_t channels = geometry_.result_dims[kC];
    const bool alone = one_run(geometry_.result_dims + kD, geometry_.result_strides + kD, 1);
    const bool interleaved = channels > 1 && geometry_.result_strides[kC] == 1 &&
                             one_run(geometry_.result_dims + kD, geometry_.result_strides + kD, channels);
    dense_result_ = alone || interleaved;
    if (interleaved) {
        planes_.planes_together = channels;
        planes_.blocks.extent[kC] = 1;
    } else if (alone && geometry_.source_strides[kC] == 1 && geometry_.index_strides[kC] == 1) {
        group_planes(channels);
    }
    merge_cells(interleaved);
}

// The loops over a block's elements: as few as possible, so that the innermost one is long.
void ScatterCopyPlan::merge_cells(bool interleaved) {
    Axis<2> axes[4], *end = axes;
    for (int axis : {kD, kH, kW, kC}) {
        const int64_t extent = geometry_.source_dims[axis];
        if (extent == 1 || (axis == kC && !interleaved)) continue;
        *end++ = {extent, {geometry_.source_strides[axis], geometry_.index_strides[axis]}};
    }
    end = merge_axes(axes, end);
    std::fill_n(planes_.cells.extent, 4, 1);
    for (int i = 3; end != axes; --i) {
        --end;
        planes_.cells.extent[i] = end->extent;
        for (int o = 0; o < 2; ++o) planes_.cells.step[o][i] = end->step[o];
    }
    planes_.elements = steps_of(planes_.cells.extent);
}

// Channels that are neighbours in the source, but not in the result, are read together.
void ScatterCopyPlan::group_planes(int64_t channels) {
    const int64_t samples = geometry_.source_dims[kN], threads = num_threads();
    const int64_t share = divide_up(saturating_product(samples, channels), threads);
    const int64_t group = std::min({kMostPlanes, channels, share});
    if (group < 2) return;
    planes_.grouped = group;
    planes_.channels = channels;
    planes_.result_channel = geometry_.result_strides[kC];
    planes_.blocks.extent[kC] = divide_up(channels, group);
    for (auto& steps : planes_.blocks.step) steps[kC] *= group;
}

void ScatterCopyPlan::estimate_work() {
    const int64_t blocks = steps_of(planes_.blocks.extent);
    result_bytes_ = double(planes_.plane) * double(planes_.element_size);
    double elements = 1;
    for (int axis : {kN, kC}) result_bytes_ *= double(geometry_.source_dims[axis]);
    for (int64_t dim : geometry_.source_dims) elements *= double(dim);
    const double nanoseconds = elements * kNanosecondsPerElement + result_bytes_ * kNanosecondsPerByte;
    const int threads = threads_for(nanoseconds);
    if (blocks > 0 && blocks < threads && planes_.grouped == 0) {
        const int64_t wanted = std::min<int64_t>((threads - 1) / blocks + 1, kMostParts);
        planes_.blocks.extent[kPart] = std::clamp<int64_t>(planes_.plane / kLeastPartCells, 1, wanted);
        const int64_t* const layers =
            std::find_if(geometry_.source_dims + kD, geometry_.source_dims + kW, [](int64_t n) { return n > 1; });
        planes_.elements_around =
            ablated("scatter_copy: elements nearby")
                ? planes_.elements
                : saturating_product(kLayersAround, planes_.elements / std::max<int64_t>(*layers, 1));
    }
    schedule_ = Schedule(steps_of(planes_.blocks.extent), nanoseconds);
}

void ScatterCopyPlan::choose_ring() {
    // Measured: 16 bits and less take too long per line for their stores to matter.
    if (!dense_result_ || planes_.grouped > 0 || planes_.element_size < 4 || result_bytes_ < double(caches_.gone()))
        return;
    if (ablated("scatter_copy: ring")) return;
    const int64_t line = 64 / planes_.element_size;
    const int64_t slice =
        saturating_product(geometry_.result_dims[kH], geometry_.result_dims[kW], planes_.planes_together);
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
