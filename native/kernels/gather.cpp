// Plans of gathers.
//
// Ways, from the fastest: all copy element by element, because every index must be looked at anyway.
//   dense        indices, result and each plane contiguous: groups of eight indices, one test for all of them
//   strided      a plane's cells lie on one line of memory, or indices or result do not: one multiplication per element
//   rows, slices planes with gaps between rows, or rows and slices: one or two divisions, as multiplications
// Measured and gone: asking for cells ahead of time, writing around the cache, vector gathers, other orders of short
// loops. Loops follow the memory of indices and result; neighbouring axes that make one longer loop become one.
// About 1 ns per element; a second thread helps from 100 us on.
#include <algorithm>
#include <cstdlib>

#include "kernels/gather_loops.h"
#include "kernels/index_failure.h"
#include "kernels/plans.h"
#include "kernels/saturating.h"
#include "kernels/schedule.h"

namespace acltwin {
namespace {

struct Axis {
    int64_t dim, source_step, index_step, result_step;

    bool continues(const Axis& inner) const {  // this axis and the inner one are one longer loop
        return is_product(source_step, inner.source_step, inner.dim) &&
               is_product(index_step, inner.index_step, inner.dim) &&
               is_product(result_step, inner.result_step, inner.dim);
    }
};

// The N, C axes select a plane of the source; the other ones do not move it.
int axes_in_memory_order(const Gather& g, Axis (&axes)[5]) {
    int count = 0;
    for (int a = 0; a < 5; ++a)
        if (g.result_dims[a] != 1)
            axes[count++] = {g.result_dims[a], a < 2 ? g.source_strides[a] : 0, g.index_strides[a],
                             g.result_strides[a]};
    const auto bytes = [&](const Axis& axis) {
        return std::abs(double(axis.index_step)) * double(size_of(g.index_dtype)) +
               std::abs(double(axis.result_step)) * double(g.element_size);
    };
    std::stable_sort(axes, axes + count, [&](const Axis& a, const Axis& b) { return bytes(a) > bytes(b); });
    return count;
}

int merge_axes(Axis (&axes)[5], int count) {
    int merged = 0;
    for (int a = 0; a < count; ++a) {
        if (merged > 0 && axes[merged - 1].continues(axes[a])) {
            const int64_t dim = saturating_product(axes[merged - 1].dim, axes[a].dim);
            axes[merged - 1] = axes[a];
            axes[merged - 1].dim = dim;
        } else {
            axes[merged++] = axes[a];
        }
    }
    return merged;
}

PlaneCells cells_of(const int64_t* dims, const int64_t* strides) {  // D, H, W
    PlaneCells cells;
    int64_t kept_dims[3] = {1, 1, 1};
    cells.axes = 0;
    for (int a = 2; a >= 0; --a) {  // from the right end of both arrays
        if (dims[a] == 1) continue;
        const int last = 3 - cells.axes;
        if (cells.axes > 0 && is_product(strides[a], cells.strides[last], kept_dims[last])) {
            kept_dims[last] = saturating_product(kept_dims[last], dims[a]);
        } else {
            kept_dims[last - 1] = dims[a];
            cells.strides[last - 1] = strides[a];
            ++cells.axes;
        }
    }
    cells.axes = std::max(cells.axes, 1);
    cells.inner = kept_dims[2];
    cells.outer = saturating_product(kept_dims[2], kept_dims[1]);
    return cells;
}

class GatherPlan final : public Plan {
public:
    explicit GatherPlan(const Gather& geometry) : geometry_(geometry) {
        Axis axes[5];
        const int count = merge_axes(axes, axes_in_memory_order(geometry, axes));
        loops_.element_size = geometry.element_size;
        loops_.index_dtype = geometry.index_dtype;
        total_ = 1;
        for (int a = 0; a < 5; ++a) {
            const Axis axis = a < 5 - count ? Axis{1, 0, 0, 0} : axes[a - (5 - count)];
            loops_.dims[a] = axis.dim;
            loops_.source_steps[a] = axis.source_step;
            loops_.index_steps[a] = axis.index_step;
            loops_.result_steps[a] = axis.result_step;
            total_ = saturating_product(total_, axis.dim);
        }
        loops_.cells = cells_of(geometry.source_dims + 2, geometry.source_strides + 2);
        loops_.plane = saturating_product(geometry.source_dims[2], geometry.source_dims[3], geometry.source_dims[4]);
        schedule_ = Schedule(total_, double(total_) * kNanosecondsPerElement);
    }

    Failure run(void* const data[], void*) const override {
        if (total_ == 0) return {};
        const auto gather = [&](int64_t first, int64_t last, int) {
            return ACLTWIN_KERNEL(gather_elements)(loops_, data[0], data[2], data[3], first, last);
        };
        if (schedule_.run_while_good(gather)) return {};
        return index_failure({geometry_.index_dtype, geometry_.result_dims, geometry_.index_strides,
                              geometry_.missing_axis, geometry_.source_dims + 2, "{gradOutput}"},
                             data[2]);
    }

    std::string way() const override {
        if (loops_.cells.axes > 1) return loops_.cells.axes == 2 ? "rows" : "slices";
        const bool dense = loops_.index_steps[4] == 1 && loops_.result_steps[4] == 1 && loops_.source_steps[4] == 0;
        return dense && loops_.cells.strides[2] == 1 ? "dense" : "strided";
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
