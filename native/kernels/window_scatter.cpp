// Plans of window scatters: the way that fits the windows, with the plain one behind it for indices that leave them.
//
// Sums are float32 (float64 in its own), rounded once. Variants:
//   expand   windows touch and do not overlap, in rows without gaps: a row of windows is spread to the width of the
//            result, and every cell takes the gradient above it if the index is its own: no zeroing, no reading back.
//            Every cell is written once, so as many cells took a gradient as there were windows, or an index was
//            outside its window. 16 bits and large results, if their rows are long enough; 1.3 to 3 times as fast as
//            plain there
//   boxes    channels last: all channels of a window at a time, whole rows of whole slices per thread. Indices become
//            places in vectors, which also test them; 16-bit gradients that hardly ever meet are stored where they
//            belong, the others are summed. 2 to 5 times as fast as plain
//   layers   one plane for several threads, or sums that outgrow a cache: slabs of slices, or of rows if there is one
//            slice only, each with the layers of windows that reach it; those across a border are read twice
//   direct   16 bits, windows that do not overlap, or that hardly ever have the same maximum: stored straight into
//            zeros, as long as a table has room for the sums of gradients that meet
//   plain    any indices: a plane's sums start as zeros and are added to in the order of the windows
// Sums are formed in the result where it holds float32 without gaps and stays in the cache, else in scratch memory of
// at most 4 MiB per thread (64 MiB for boxes of very long rows), from where they leave rounded, by non-temporal stores
// if the result is large. Planes that are neighbours in one tensor and not in another are handled together, a line of
// them at a time; so are small planes. Memory is asked ahead of time for gradients and indices that follow each other
// there. 1.5 ns per window, 0.2 ns per cell.
#include <algorithm>
#include <cstring>

#include "kernels/index_failure.h"
#include "kernels/loops/axes.h"
#include "kernels/loops/schedule.h"
#include "kernels/saturating.h"
#include "kernels/window_scatter_shape.h"

namespace acltwin {
namespace {

constexpr double kNanosecondsPerCell = 0.2, kNanosecondsPerWindow = 1.5;

class WindowScatterPlan final : public Plan {
public:
    WindowScatterPlan(const WindowScatter& geometry, const CacheSizes& caches)
        : geometry_(geometry), shape_(scatter_shape(geometry_, caches)) {  // whose tables it refers to
        blocks_ = plane_blocks(shape_);
        const double planes = double(shape_.outer) * double(shape_.inner), cells = planes * double(shape_.plane);
        const double windows =
            planes * double(shape_.windows[0]) * double(shape_.windows[1]) * double(shape_.windows[2]);
        nanoseconds_ = cells * kNanosecondsPerCell + windows * kNanosecondsPerWindow;
        threads_ = threads_for(nanoseconds_);
        path_ = scatter_path(geometry, shape_, threads_);
        // Measured: 16 bits take so long per line that it does not matter how one thread stores them, nor rounded sums.
        if (size_of(shape_.dtype) == 2 && (threads_ == 1 || path_ != ScatterPath::expand)) shape_.non_temporal = false;
        plan_plain();
        direct_ = path_ != ScatterPath::boxes && path_ != ScatterPath::expand && blocks_ >= threads_ &&
                  plane_is_one_run(shape_) && shape_.plane <= INT32_MAX &&
                  gradients_rarely_meet(geometry, shape_, steps_of(shape_.windows) * shape_.planes_together);
        if (path_ == ScatterPath::layers) plan_layers();
        if (path_ == ScatterPath::expand) plan_expand();
        if (path_ == ScatterPath::boxes) plan_boxes(caches);
        slot_bytes_ = divide_up(slot_bytes_ + kScatterRowBytes * shape_.planes_together, 4096) * 4096;
        scratch_bytes_ = size_t(slot_bytes_) * size_t(threads_);
    }

    Failure run(void* const data[], void* scratch) const override {
        if (blocks_ == 0 || shape_.plane == 0) return {};
        const auto for_slot = [&](int slot) {
            return ScatterData{data[geometry_.source], data[geometry_.indices], data[geometry_.result],
                               static_cast<char*>(scratch) + slot * slot_bytes_};
        };
        if (direct_ && run_direct(for_slot)) return {};
        if (path_ == ScatterPath::layers && run_tiles(layers_, for_slot)) return {};
        if (path_ == ScatterPath::expand && run_expand(for_slot)) return {};
        if (path_ == ScatterPath::boxes && run_boxes(for_slot)) return {};
        if (run_tiles(plain_, for_slot)) return {};
        return index_failure(geometry_, geometry_.index_dtype, geometry_.source_dims, geometry_.index_strides,
                             geometry_.result_dims + 2, data[geometry_.indices]);
    }

    std::string variant() const override {
        if (path_ == ScatterPath::boxes)
            return std::string("boxes") + (boxes_.boxes.stored ? ", stored" : "") +
                   (boxes_.boxes.ring > 0 ? ", beside the result" : "") + (shape_.non_temporal ? ", non-temporal" : "");
        if (direct_) return "direct";
        const char* const names[] = {"plain", "layers", "expand"};
        const bool beside = path_ != ScatterPath::expand && !in_place_;
        return names[int(path_)] + std::string(beside ? ", beside the result" : "") +
               (shape_.non_temporal && (beside || path_ == ScatterPath::expand) ? ", non-temporal" : "");
    }

private:
    int64_t need(int64_t cells) {
        const int64_t sum_size = shape_.dtype == DType::float64 ? 8 : 4;
        const int64_t bytes = saturating_product(cells, shape_.planes_together, sum_size);
        slot_bytes_ = std::max(slot_bytes_, bytes);
        return bytes;
    }

    template <class Body>
    bool run_tasks(int64_t tasks, const Body& body) const {
        return Schedule(tasks, nanoseconds_, threads_).run_while_good([&](int64_t first, int64_t last, int slot) {
            for (; first < last; ++first)
                if (!body(first, slot)) return false;
            return true;
        });
    }

    // ---- zero, then add: planes cut into parts of whole units, cells or slices ----

    struct Tiling {
        ScatterShape shape;
        int64_t unit, units, parts;
        bool by_layers;
        int64_t sum_bytes;  // in scratch memory
    };

    Tiling tiling(const ScatterShape& shape, int64_t unit, int64_t units, int64_t parts, bool by_layers) {
        const int64_t cells = saturating_sum(saturating_product(divide_up(units, parts), unit), kLineCells);
        return {shape, unit, units, parts, by_layers, in_place_ ? 0 : need(cells)};
    }

    // The sums are zeroed once per thread: every tile leaves zeros behind.
    template <class ForSlot>
    bool run_tiles(const Tiling& t, const ForSlot& for_slot) const {
        bool zeroed[kMaxThreads] = {};
        return run_tasks(blocks_ * t.parts, [&](int64_t task, int slot) {
            const ScatterData data = for_slot(slot);
            if (!zeroed[slot])
                memset(static_cast<char*>(data.scratch) + kScatterRowBytes * shape_.planes_together, 0,
                       size_t(t.sum_bytes));
            zeroed[slot] = true;
            const int64_t part = task % t.parts;
            const ScatterTile tile = {task / t.parts, cut(t.units, t.parts, part) * t.unit,
                                      cut(t.units, t.parts, part + 1) * t.unit, t.by_layers, in_place_};
            return ACLTWIN_KERNEL(scatter_plain)(t.shape, tile, data);
        });
    }

    // Any indices.
    void plan_plain() {
        in_place_ = sums_in_result(shape_);
        int64_t parts = 1;
        if (!in_place_) {
            const int64_t tile = std::max(kTileCells / shape_.planes_together, shape_.plane / 8);
            parts = std::max<int64_t>(1, divide_up(shape_.plane, tile));
        }
        if (blocks_ > 0) parts = std::max(parts, divide_up(threads_, blocks_));
        parts = std::min(parts, std::max<int64_t>(1, shape_.plane));
        plain_ = tiling(without_windows(shape_), 1, shape_.plane, parts, false);
    }

    // Windows that make sense: slabs of slices, each with the layers of windows that reach it.
    void plan_layers() {
        const ScatterShape shape = by_layers(shape_);
        layers_ = tiling(shape, shape.cells[1] * shape.cells[2], shape.cells[0], scatter_slabs(shape, threads_), true);
    }

    template <class ForSlot>
    bool run_direct(const ForSlot& for_slot) const {
        return Schedule(blocks_, nanoseconds_, threads_).run_while_good([&](int64_t first, int64_t last, int slot) {
            return ACLTWIN_KERNEL(scatter_direct)(plain_.shape, for_slot(slot), first, last);
        });
    }

    // ---- windows that touch ----

    void plan_expand() { need(2 * expanded_pitch(shape_) + 3 * kLineCells); }

    template <class ForSlot>
    bool run_expand(const ForSlot& for_slot) const {
        const int64_t rows = blocks_ * shape_.windows[0] * shape_.windows[1];
        const int64_t tasks = threads_ == 1 ? 1 : std::min<int64_t>(rows, threads_ * 8);
        return run_tasks(tasks, [&](int64_t task, int slot) {
            return ACLTWIN_KERNEL(scatter_expand)(shape_, for_slot(slot), cut(rows, tasks, task),
                                                  cut(rows, tasks, task + 1));
        });
    }

    // ---- channels last ----

    void plan_boxes(const CacheSizes& caches) {
        boxes_ = box_shape(geometry_, shape_, caches, threads_);
        slot_bytes_ = std::max(slot_bytes_, boxes_.sum_bytes);
    }

    template <class ForSlot>
    bool run_boxes(const ForSlot& for_slot) const {
        bool zeroed[kMaxThreads] = {};
        const int64_t tasks = plane_blocks(boxes_.shape) * boxes_.boxes.slabs * boxes_.boxes.bands;
        return Schedule(tasks, nanoseconds_, threads_).run_while_good([&](int64_t first, int64_t last, int slot) {
            const ScatterData data = for_slot(slot);
            if (!zeroed[slot]) memset(data.scratch, 0, size_t(boxes_.sum_bytes));
            zeroed[slot] = true;
            return ACLTWIN_KERNEL(scatter_boxes)(boxes_.shape, boxes_.boxes, data, first, last);
        });
    }

    WindowScatter geometry_;
    ScatterShape shape_;
    Tiling plain_ = {}, layers_ = {};
    ScatterPath path_;
    int64_t blocks_;
    double nanoseconds_;
    int threads_;
    int64_t slot_bytes_ = 0;  // of scratch memory
    bool in_place_ = false, direct_ = false;
    BoxShape boxes_ = {};
};

}  // namespace

std::unique_ptr<Plan> plan_window_scatter(const WindowScatter& geometry, const CacheSizes& caches) {
    return std::make_unique<WindowScatterPlan>(geometry, caches);
}

}  // namespace acltwin
