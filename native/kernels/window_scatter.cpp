// Plans of window scatters: the way that fits the windows, with the plain one behind it for indices that leave them.
//
// Sums are float32 (float64 in its own), rounded once. Ways:
//   expand   windows touch and do not overlap: a row of windows is spread to the width of the result, and every cell
//            takes the gradient above it if the index is its own: no zeroing, no reading back. Every cell is written
//            once, so as many cells took a gradient as there were windows, or an index was outside its window.
//            16 bits, large results and channels last; 1.3 to 3 times as fast as plain there, slower in the cache
//   layers   one plane for several threads, or sums that outgrow a cache: slabs of slices, each with the layers of
//            windows that reach it; those across a border are read twice
//   plain    any indices: a plane's sums start as zeros and are added to in the order of the windows
// Sums are formed in the result where it holds float32 without gaps and stays in the cache, else in scratch memory of
// at most 4 MiB per thread, from where they leave rounded, around the cache if the result is large. Planes that are
// neighbours in memory are handled together, a line of them at a time. Memory is asked ahead of time for gradients and
// indices that follow each other there. 1.5 ns per window, 0.2 ns per cell.
#include <algorithm>
#include <cstring>

#include "kernels/index_failure.h"
#include "kernels/loops/schedule.h"
#include "kernels/saturating.h"
#include "kernels/window_scatter_shape.h"

namespace acltwin {
namespace {

constexpr double kNanosecondsPerCell = 0.2, kNanosecondsPerWindow = 1.5;

// [begin, end) of part `part` when `size` is cut into `parts`.
int64_t cut(int64_t size, int64_t parts, int64_t part) { return size / parts * part + std::min(part, size % parts); }

class WindowScatterPlan final : public Plan {
public:
    WindowScatterPlan(const WindowScatter& geometry, const CacheSizes& caches)
        : geometry_(geometry), shape_(scatter_shape(geometry, caches)), plain_shape_(without_windows(shape_)) {
        blocks_ = lane_blocks(shape_);
        const double planes = double(shape_.outer) * double(shape_.lanes), cells = planes * double(shape_.plane);
        const double windows =
            planes * double(shape_.windows[0]) * double(shape_.windows[1]) * double(shape_.windows[2]);
        nanoseconds_ = cells * kNanosecondsPerCell + windows * kNanosecondsPerWindow;
        threads_ = threads_for(nanoseconds_);
        path_ = scatter_path(geometry, shape_, threads_);
        plan_plain();
        if (path_ == ScatterPath::layers) plan_layers();
        if (path_ == ScatterPath::expand) plan_expand();
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
        if (run_plain(for_slot)) return {};
        return index_failure({geometry_.index_dtype, geometry_.source_dims, geometry_.index_strides,
                              geometry_.missing_axis, geometry_.result_dims + 2, "{self}"},
                             data[2]);
    }

    std::string way() const override {
        const char* const names[] = {"plain", "layers", "expand"};
        const bool beside = path_ != ScatterPath::expand && !in_place_;
        return names[int(path_)] + std::string(beside ? ", beside the result" : "") +
               (shape_.bypass_cache && (beside || path_ == ScatterPath::expand) ? ", around the cache" : "");
    }

private:
    int64_t need(int64_t cells) {
        const int64_t sum_size = shape_.dtype == DType::float64 ? 8 : 4;
        const int64_t bytes = saturating_product(cells, shape_.lanes_together, sum_size);
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

    // Tiles with sums of so many bytes in scratch memory: zeroed once per thread, every tile leaves zeros behind.
    template <class ForSlot, class TileOf>
    bool run_tiles(int64_t tasks, const ScatterShape& shape, int64_t sum_bytes, const ForSlot& for_slot,
                   const TileOf& tile_of) const {
        bool zeroed[kMaxThreads] = {};
        return run_tasks(tasks, [&](int64_t task, int slot) {
            const ScatterData data = for_slot(slot);
            if (!zeroed[slot])
                memset(static_cast<char*>(data.scratch) + kScatterRowBytes * shape_.lanes_together, 0,
                       size_t(sum_bytes));
            zeroed[slot] = true;
            return ACLTWIN_KERNEL(scatter_plain)(shape, tile_of(task), data);
        });
    }

    // ---- any indices ----

    void plan_plain() {
        in_place_ = sums_in_result(shape_);
        tiles_ = 1;
        if (!in_place_) {
            const int64_t tile = std::max(kTileCells / shape_.lanes_together, shape_.plane / 8);
            tiles_ = std::max<int64_t>(1, divide_up(shape_.plane, tile));
        }
        if (blocks_ > 0) tiles_ = std::max(tiles_, divide_up(threads_, blocks_));
        tiles_ = std::min(tiles_, std::max<int64_t>(1, shape_.plane));
        if (!in_place_) plain_bytes_ = need(saturating_sum(divide_up(shape_.plane, tiles_), kLineCells));
    }

    template <class ForSlot>
    bool run_plain(const ForSlot& for_slot) const {
        return run_tiles(blocks_ * tiles_, plain_shape_, plain_bytes_, for_slot, [&](int64_t task) {
            const int64_t part = task % tiles_, plane = shape_.plane;
            return ScatterTile{task / tiles_, cut(plane, tiles_, part), cut(plane, tiles_, part + 1), false, in_place_};
        });
    }

    // ---- windows that make sense: slabs of whole slices, each with the layers of windows that reach it ----

    void plan_layers() {
        layer_shape_ = without_rows(shape_);
        slabs_ = scatter_slabs(shape_, threads_);
        if (!in_place_)
            layer_bytes_ = need(divide_up(shape_.cells[0], slabs_) * shape_.cells[1] * shape_.cells[2] + kLineCells);
    }

    template <class ForSlot>
    bool run_layers(const ForSlot& for_slot) const {
        return run_tiles(blocks_ * slabs_, layer_shape_, layer_bytes_, for_slot, [&](int64_t task) {
            const int64_t slab = task % slabs_, slices = shape_.cells[0], slice = shape_.cells[1] * shape_.cells[2];
            return ScatterTile{task / slabs_, cut(slices, slabs_, slab) * slice, cut(slices, slabs_, slab + 1) * slice,
                               true, in_place_};
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
        return run_tasks(tasks, [&](int64_t task, int slot) {
            return ACLTWIN_KERNEL(scatter_expand)(shape_, expand_, for_slot(slot), cut(rows, tasks, task),
                                                  cut(rows, tasks, task + 1));
        });
    }

    WindowScatter geometry_;
    ScatterShape shape_, plain_shape_, layer_shape_;
    ScatterPath path_;
    int64_t blocks_;
    double nanoseconds_;
    int threads_;
    int64_t slot_bytes_ = 0, plain_bytes_ = 0, layer_bytes_ = 0;  // of scratch memory; of it sums that start as zeros
    bool in_place_ = false;
    int64_t tiles_ = 1, slabs_ = 1;
    ExpandShape expand_ = {};
};

}  // namespace

std::unique_ptr<Plan> plan_window_scatter(const WindowScatter& geometry, const CacheSizes& caches) {
    return std::make_unique<WindowScatterPlan>(geometry, caches);
}

}  // namespace acltwin
