// Plan of a window scatter: the fast way that fits the windows, with the plain one behind it for indices that leave
// them.
#include <algorithm>
#include <atomic>

#include "core/thread_pool.h"
#include "kernels/index_failure.h"
#include "kernels/saturating.h"
#include "kernels/window_scatter_shape.h"
#include "kernels/work.h"

namespace acltwin {
namespace {

constexpr int64_t kTileCells = 1 << 20;  // of all lanes together, for sums that are not formed in the result
constexpr double kNanosecondsPerCell = 0.2, kNanosecondsPerWindow = 1.5;

int64_t divide_up(int64_t a, int64_t b) { return a / b + (a % b != 0); }

// [begin, end) of part `part` when `size` is cut into `parts`.
int64_t cut(int64_t size, int64_t parts, int64_t part) { return size / parts * part + std::min(part, size % parts); }

// Neighbouring tasks go to one thread together: there may be very many small ones. None starts once something is wrong.
template <class Body>
bool run_tasks(int64_t tasks, int threads, const Body& body) {
    const int64_t chunks = threads == 1 ? 1 : std::min<int64_t>(tasks, threads * 16);
    std::atomic<bool> good{true};
    parallel(chunks, threads, [&](int64_t chunk, int slot) {
        const int64_t end = cut(tasks, chunks, chunk + 1);
        for (int64_t task = cut(tasks, chunks, chunk); task < end && good.load(std::memory_order_relaxed); ++task)
            if (!body(task, slot)) good.store(false, std::memory_order_relaxed);
    });
    return good;
}

class WindowScatterPlan final : public Plan {
public:
    explicit WindowScatterPlan(const WindowScatter& geometry)
        : geometry_(geometry), shape_(scatter_shape(geometry)), plain_shape_(without_windows(shape_)) {
        blocks_ = lane_blocks(shape_);
        const double planes = double(shape_.outer) * double(shape_.lanes), cells = planes * double(shape_.plane);
        const double windows =
            planes * double(shape_.windows[0]) * double(shape_.windows[1]) * double(shape_.windows[2]);
        threads_ = threads_for(cells * kNanosecondsPerCell + windows * kNanosecondsPerWindow);
        path_ = scatter_path(geometry, shape_, threads_);
        plan_plain();
        if (path_ == ScatterPath::layers) plan_layers();
        if (path_ == ScatterPath::expand) plan_expand();
        if (path_ == ScatterPath::ring) plan_ring();
        slot_bytes_ = divide_up(slot_bytes_ + kScatterRowBytes * shape_.lanes_together, 4096) * 4096;
        scratch_bytes_ = size_t(slot_bytes_) * size_t(threads_);
    }

    Failure run(void* const data[], void* scratch) const override {
        if (blocks_ == 0 || shape_.plane == 0) return {};
        const auto for_slot = [&](int slot) {
            return ScatterData{data[0], data[2], data[3], static_cast<char*>(scratch) + slot * slot_bytes_};
        };
        if (path_ == ScatterPath::layers && run_layers(for_slot)) return {};
        if (path_ == ScatterPath::expand && run_expand(for_slot)) return {};
        if (path_ == ScatterPath::ring && run_ring(for_slot)) return {};
        if (run_plain(for_slot)) return {};
        return index_failure({geometry_.index_dtype, geometry_.source_dims, geometry_.index_strides,
                              geometry_.missing_axis, geometry_.result_dims + 2, "{self}"},
                             data[2]);
    }

private:
    void need(int64_t cells) {
        const int64_t sum_size = shape_.dtype == DType::float64 ? 8 : 4;
        slot_bytes_ = std::max(slot_bytes_, saturating_product(cells, shape_.lanes_together, sum_size));
    }

    // ---- any indices ----

    void plan_plain() {
        in_place_ = sums_fit_result(shape_) && shape_.lanes_together == 1;
        tiles_ = 1;
        if (!in_place_) {
            const int64_t tile = std::max(kTileCells / shape_.lanes_together, shape_.plane / 8);
            tiles_ = std::max<int64_t>(1, divide_up(shape_.plane, tile));
        }
        if (blocks_ > 0) tiles_ = std::max(tiles_, divide_up(threads_, blocks_));
        tiles_ = std::min(tiles_, std::max<int64_t>(1, shape_.plane));
        if (!in_place_) need(divide_up(shape_.plane, tiles_));
    }

    template <class ForSlot>
    bool run_plain(const ForSlot& for_slot) const {
        return run_tasks(blocks_ * tiles_, threads_, [&](int64_t task, int slot) {
            const int64_t part = task % tiles_;
            const ScatterTile tile{task / tiles_, cut(shape_.plane, tiles_, part), cut(shape_.plane, tiles_, part + 1),
                                   false};
            return ACLTWIN_KERNEL(scatter_plain)(plain_shape_, tile, for_slot(slot), in_place_);
        });
    }

    // ---- few planes, whose sums are formed in the result: several threads for each ----

    void plan_layers() {
        layer_shape_ = without_rows(shape_);
        // Each slab repeats the layers of windows across its border: it must be a good deal higher than a window.
        slabs_ = std::clamp<int64_t>(divide_up(threads_ * 2, blocks_), 1,
                                     std::max<int64_t>(1, shape_.cells[0] / (4 * shape_.extent[0])));
    }

    template <class ForSlot>
    bool run_layers(const ForSlot& for_slot) const {
        return run_tasks(blocks_ * slabs_, threads_, [&](int64_t task, int slot) {
            const int64_t slab = task % slabs_, slices = shape_.cells[0], slice = shape_.cells[1] * shape_.cells[2];
            const ScatterTile tile{task / slabs_, cut(slices, slabs_, slab) * slice,
                                   cut(slices, slabs_, slab + 1) * slice, true};
            return ACLTWIN_KERNEL(scatter_plain)(layer_shape_, tile, for_slot(slot), true);
        });
    }

    // ---- windows that touch ----

    void plan_expand() {
        expand_ = expand_shape(shape_);
        need(2 * expand_.pitch + 3 * kLineCells);
    }

    template <class ForSlot>
    bool run_expand(const ForSlot& for_slot) const {
        const int64_t rows = blocks_ * shape_.windows[0] * shape_.windows[1];
        const int64_t tasks = threads_ == 1 ? 1 : std::min<int64_t>(rows, threads_ * 8);
        return run_tasks(tasks, threads_, [&](int64_t task, int slot) {
            return ACLTWIN_KERNEL(scatter_expand)(shape_, expand_, for_slot(slot), cut(rows, tasks, task),
                                                  cut(rows, tasks, task + 1));
        });
    }

    // ---- windows that overlap ----

    void plan_ring() {
        const int64_t slices = shape_.cells[0], rows = shape_.cells[1];
        const int64_t row_cells = std::min(shape_.extent[0], slices) * shape_.cells[2] * shape_.lanes_together;
        // Each strip repeats the windows across its border: it must be a good deal higher than a window.
        const int64_t strip_rows = std::max(kCachedSums / row_cells, 4 * shape_.extent[1]);
        strips_ = divide_up(rows, std::min(rows, strip_rows));
        if (saturating_product(row_cells, divide_up(rows, strips_)) > kTileCells * 4) {
            path_ = ScatterPath::plain;
            return;
        }
        const int64_t wanted_tasks = threads_ == 1 ? 1 : threads_ * 2;
        slabs_ = std::clamp<int64_t>(divide_up(wanted_tasks, blocks_ * strips_), 1,
                                     std::max<int64_t>(1, slices / (2 * shape_.extent[0])));
        need(std::min(shape_.extent[0], slices) * divide_up(rows, strips_) * shape_.cells[2] + 16 + kLineCells);
    }

    template <class ForSlot>
    bool run_ring(const ForSlot& for_slot) const {
        return run_tasks(blocks_ * slabs_ * strips_, threads_, [&](int64_t task, int slot) {
            const int64_t strip = task % strips_, slab = task / strips_ % slabs_;
            const int64_t slices = shape_.cells[0], rows = shape_.cells[1];
            const ScatterBox box{task / strips_ / slabs_,
                                 {cut(slices, slabs_, slab), cut(rows, strips_, strip)},
                                 {cut(slices, slabs_, slab + 1), cut(rows, strips_, strip + 1)}};
            return ACLTWIN_KERNEL(scatter_ring)(shape_, box, for_slot(slot));
        });
    }

    WindowScatter geometry_;
    ScatterShape shape_, plain_shape_, layer_shape_;
    ScatterPath path_;
    int64_t blocks_;
    int threads_;
    int64_t slot_bytes_ = 0;
    bool in_place_ = false;
    int64_t tiles_ = 1, slabs_ = 1, strips_ = 1;
    ExpandShape expand_ = {};
};

}  // namespace

std::unique_ptr<Plan> plan_window_scatter(const WindowScatter& geometry) {
    return std::make_unique<WindowScatterPlan>(geometry);
}

}  // namespace acltwin
