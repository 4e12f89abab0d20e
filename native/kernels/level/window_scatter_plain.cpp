// Any indices: the sums of a range of cells lie in scratch memory (or in the result itself), all windows are read in
// order, and those whose index is in the range are added.
#include "kernels/level/indices.h"
#include "kernels/level/types.h"
#include "kernels/level/window_scatter_result.h"

namespace acltwin::ACLTWIN_LEVEL {
namespace {

struct Range {  // of cells
    uint64_t begin, size;

    bool contains(const Range& other) const { return other.begin >= begin && other.begin + other.size <= begin + size; }
};

// All legal cells are kept: `sums` begins with the first of them.
constexpr int64_t kStep = 16;
template <class T, class I>
ACLTWIN_INLINE bool add_step(uint64_t first, uint64_t count, const I* indices, const T* values, int64_t n,
                             Value<T>* sums) {
    Value<T> block[kStep];
    const Value<T>* const wide = widened(values, n, block);
    return each_index<8>(indices, 1, n, first, count,
                         [=](int64_t i, uint64_t cell) { add_to(sums + cell, wide + i); }) == n;
}

// Memory is asked for what lies `ahead` some windows at a time: in larger bursts the requests hold each other up.
template <class T, class I>
ACLTWIN_NOINLINE bool add_all(const Range& legal, const I* indices, const T* values, int64_t n, int64_t ahead,
                              Value<T>* sums) {
    const uint64_t first = legal.begin, count = legal.size;
    int64_t at = 0;
    for (; at + kStep <= n; at += kStep) {
        __builtin_prefetch(values + at + ahead);
        for (int64_t i = 0; i < kStep; i += int64_t(64 / sizeof(I))) __builtin_prefetch(indices + at + ahead + i);
        if (!add_step(first, count, indices + at, values + at, kStep, sums)) return false;
    }
    return add_step(first, count, indices + at, values + at, n - at, sums);
}

// Some are not: first a list of those that are, without branches that nobody can predict.
template <class T, class I>
bool add_some(const Range& legal, const Range& kept_cells, const I* indices, const T* values, int64_t n,
              Value<T>* sums) {
    uint64_t cells[kScatterChunk];
    Value<T> kept[kScatterChunk];
    int64_t count = 0;
    bool bad = false;
    for (int64_t i = 0; i < n; ++i) {
        const uint64_t cell = uint64_t(int64_t(read_once(indices + i)));
        bad |= cell - legal.begin >= legal.size;
        cells[count] = cell - kept_cells.begin;
        kept[count] = widen(values[i]);
        count += cell - kept_cells.begin < kept_cells.size;
    }
    if (bad) return false;
    for (int64_t i = 0; i < count; ++i) add_to(sums + cells[i], kept + i);
    return true;
}

template <class T, class I>
class PlainTile {
public:
    PlainTile(const ScatterShape& shape, const ScatterTile& tile, const ScatterData& data)
        : shape_(shape),
          tile_{uint64_t(tile.begin), uint64_t(tile.end - tile.begin)},
          by_layers_(tile.by_layers),
          in_place_(tile.in_place),
          reader_(shape, data),
          writer_(shape, data) {
        const PlaneBlock block = plane_block(shape, tile.block);
        planes_ = block.count;
        reader_.open(block);
        writer_.open(block);
        pitch_ = in_place_ ? shape.result_strides[1] : int64_t(tile_.size);
        sums_ =
            reinterpret_cast<Value<T>*>(static_cast<char*>(data.scratch) + kScatterRowBytes * shape.planes_together);
        if (in_place_) {
            sums_ = reinterpret_cast<Value<T>*>(writer_.place(0, 0, 0)) + tile.begin;
            for (int64_t plane = 0; plane < planes_; ++plane)
                memset(sums_ + plane * pitch_, 0, tile_.size * sizeof(Value<T>));
        } else {
            sums_ += cells_into_line(writer_.place(tile.begin / (shape.cells[1] * shape.cells[2]), 0, 0));
        }
    }

    bool run() {
        if (!(by_layers_ ? add_reaching_layers() : add_all_layers())) return false;
        if (!in_place_) write_cells();
        return true;
    }

private:
    bool add_all_layers() {
        for (int64_t d = 0; d < shape_.windows[0]; ++d)
            if (!add_layer(d, {0, uint64_t(shape_.plane)})) return false;
        return true;
    }

    bool add_reaching_layers() {
        const int64_t slice = shape_.cells[1] * shape_.cells[2];
        const Span slices(shape_, 0, int64_t(tile_.begin) / slice, int64_t(tile_.begin + tile_.size) / slice);
        for (int64_t d = slices.first_window; d < slices.end_window; ++d) {
            const int64_t low = slices.low(d) * slice, high = slices.high(d) * slice;
            if (!add_layer(d, {uint64_t(low), uint64_t(high - low)})) return false;
        }
        return true;
    }

    bool add_layer(int64_t d, const Range& legal) {
        const bool all = tile_.contains(legal);
        const int64_t ahead = shape_.ask_ahead && reader_.in_place() ? kScatterChunk : 0;
        return reader_.each_run(d, all && reader_.in_place() ? INT64_MAX : kScatterChunk, [&](int64_t n) {
            for (int64_t plane = 0; plane < planes_; ++plane) {
                const I* const indices = reader_.indices(plane);
                const T* const values = reader_.values(plane);
                Value<T>* const sums = sums_ + plane * pitch_;
                const bool good = all ? add_all(legal, indices, values, n, ahead, sums + (legal.begin - tile_.begin))
                                      : add_some(legal, tile_, indices, values, n, sums);
                if (!good) return false;
            }
            return true;
        });
    }

    void write_cells() {
        const int64_t width = shape_.cells[2], slice = shape_.cells[1] * width;
        const int64_t begin = int64_t(tile_.begin), end = begin + int64_t(tile_.size);
        const int64_t run = writer_.run(), all = planes_ * shape_.plane;
        const bool one_run = planes_ > 1 && run == all && end - begin == shape_.plane;
        if (one_run) writer_.write_run(writer_.place(0, 0, 0), all, sums_);
        for (int64_t cell = one_run ? end : begin, n; cell < end; cell += n) {
            const int64_t d = cell / slice, h = cell % slice / width, w = cell % width;
            n = end - cell;
            if (run < shape_.plane) n = min64(min64(n, (d + 1) * slice - cell), run - cell % slice % run);
            if (writer_.permuted() && n != width) n = w > 0 ? min64(n, width - w) : n > width ? n / width * width : n;
            writer_.write(writer_.place(d, h, w), n, sums_ + (cell - begin), pitch_);
        }
        writer_.finish();
    }

    const ScatterShape& shape_;
    const Range tile_;
    const bool by_layers_, in_place_;
    RowReader<T, I> reader_;
    ResultWriter<T> writer_;
    int64_t planes_, pitch_;
    Value<T>* sums_;
};

}  // namespace

bool scatter_plain(const ScatterShape& shape, const ScatterTile& tile, const ScatterData& data) {
    return with_float_type(shape.dtype, [&](auto element) {
        return with_index_type(shape.index_dtype, [&](auto index) {
            return PlainTile<decltype(element), decltype(index)>(shape, tile, data).run();
        });
    });
}

}  // namespace acltwin::ACLTWIN_LEVEL
