// Plans of gathers.
//
// Variants, from the fastest: all copy element by element, because every index must be looked at anyway.
//   dense        indices, result and each plane contiguous: groups of eight indices, one test for all of them
//   strided      a plane's cells lie on one line of memory, or indices or result do not: one multiplication per element
//   rows, slices planes with gaps between rows, or rows and slices: one or two divisions, as multiplications
//   converted    of another type: some elements at a time are gathered, then converted
// Measured and gone: asking for cells ahead of time, non-temporal stores, vector gathers, other orders of short
// loops. Loops follow the memory of indices and result; neighbouring axes that make one longer loop become one.
// About 1 ns per element; a second thread helps from 100 us on.
#include <algorithm>
#include <cstdlib>

#include "kernels/gather_task.h"
#include "kernels/index_failure.h"
#include "kernels/loops/axes.h"
#include "kernels/loops/schedule.h"
#include "kernels/plans.h"

namespace acltwin {
namespace {

// The N, C axes select a plane of the source; the other ones do not move it. In the order of memory.
int axes_of(const Gather& g, Axis<3> (&axes)[5]) {
    int count = 0;
    for (int a = 0; a < 5; ++a)
        if (g.result_dims[a] != 1)
            axes[count++] = {g.result_dims[a],
                             {a < 2 ? g.source_strides[a] : 0, g.index_strides[a], g.result_strides[a]}};
    const auto bytes = [&](const Axis<3>& axis) {
        return std::abs(double(axis.step[GatherLoops::kIndices])) * double(size_of(g.index_dtype)) +
               std::abs(double(axis.step[GatherLoops::kResult])) * double(g.element_size);
    };
    std::stable_sort(axes, axes + count, [&](const Axis<3>& a, const Axis<3>& b) { return bytes(a) > bytes(b); });
    return int(merge_axes(axes, axes + count) - axes);
}

class GatherPlan final : public Plan {
public:
    explicit GatherPlan(const Gather& geometry) : geometry_(geometry) {
        Axis<3> axes[5];
        const int count = axes_of(geometry, axes);
        loops_.element_size = geometry.element_size;
        if (geometry.source_dtype != geometry.result_dtype) {
            loops_.element_size = size_of(geometry.source_dtype);
            loops_.source_dtype = geometry.source_dtype;
            loops_.result_dtype = geometry.result_dtype;
        }
        loops_.index_dtype = geometry.index_dtype;
        for (int a = 0; a < 5; ++a) {
            const Axis<3> axis = a < 5 - count ? Axis<3>() : axes[a - (5 - count)];
            loops_.loops.extent[a] = axis.extent;
            for (int o = 0; o < 3; ++o) loops_.loops.step[o][a] = axis.step[o];
        }
        total_ = steps_of(loops_.loops.extent);
        loops_.cells = plane_cells(geometry.source_dims + 2, geometry.source_strides + 2);
        loops_.plane = saturating_product(geometry.source_dims[2], geometry.source_dims[3], geometry.source_dims[4]);
        schedule_ = Schedule(total_, double(total_) * kNanosecondsPerElement);
    }

    Failure run(void* const data[], void*) const override {
        if (total_ == 0) return {};
        const auto kernel = loops_.converts() ? ACLTWIN_KERNEL(gather_converted) : ACLTWIN_KERNEL(gather_elements);
        const auto gather = [&](int64_t first, int64_t last, int) {
            return kernel(loops_, data[geometry_.source], data[geometry_.indices], data[geometry_.result], first, last);
        };
        if (schedule_.run_while_good(gather)) return {};
        return index_failure(geometry_, geometry_.index_dtype, geometry_.result_dims, geometry_.index_strides,
                             geometry_.source_dims + 2, data[geometry_.indices]);
    }

    std::string variant() const override {
        if (loops_.converts()) return "converted";
        if (loops_.cells.axes > 1) return loops_.cells.axes == 2 ? "rows" : "slices";
        return loops_.dense(loops_.result_step()) ? "dense" : "strided";
    }

private:
    static constexpr double kNanosecondsPerElement = 1.0;

    Gather geometry_;
    GatherLoops loops_;
    int64_t total_;
    Schedule schedule_;
};

}  // namespace

std::unique_ptr<Plan> plan_gather(const Gather& geometry) { return std::make_unique<GatherPlan>(geometry); }

}  // namespace acltwin
