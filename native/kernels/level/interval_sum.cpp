#include "kernels/level/interval_sum_channels.h"
#include "kernels/level/interval_sum_swapped.h"
#include "kernels/level/types.h"

namespace acltwin::ACLTWIN_LEVEL {
namespace {

// Sums parts of rows of single elements, or of fewer channels than fill a vector.
template <class T>
class RowSummer {
    typedef typename Sum<T>::Scalar S;
    typedef typename Sum<T>::Vector V;
    static constexpr int kLanes = kLanesOf<T>;
    static constexpr int64_t kPiece = Buffers<T>::kPiece, kColumns = Buffers<T>::kColumns;

public:
    RowSummer(const IntervalRows& p, GroupShapes& shapes, Buffers<T>& buffers, Sink<T>& sink)
        : p_(p), buffers_(buffers), sink_(sink), shapes_(shapes), pack_(p.source_pitch != p.channels) {
        if (p.fold == Fold::runs) return;
        if (p.swapped) {
            swapped_ = fold_function<BoxColumns<T>, T>(p);
            return;
        }
        fold_totals_ = fold_function<GroupColumns<1, S>, T>(p);
        // Whole vectors are read and written: the rows must have them, unless they are packed with margins around.
        fused_ = pack_ || (p.cells >= (p.fold == Fold::blocks ? p.table.cells : kLanes) && p.columns >= kLanes);
        at_once_ = fused_ && !pack_ && sink.direct();
        narrow_ = !fused_ && p.columns > 0 && p.columns < kLanes && sink.direct();
    }

    // The box of `depth` times `height` rows from `first` on, into the part at `dst`.
    ACLTWIN_INLINE void sum_part(const T* first, int64_t depth, int64_t height, CellRange part, T* dst) {
        if (depth == 0 || height == 0) return sink_.put_zeros(dst, part.last - part.first, p_.channels);
        const GroupShape* shape = shapes_.find(depth, height);
        if (shape != nullptr && at_once_)
            return fold_for(*shape)(p_, {first, shape->offsets, int(shape->count), 0}, part, dst);
        if (shape != nullptr && narrow_) return sum_narrow(first, *shape, part, dst);
        sum_pieces({first, depth, height, p_.depth_stride, p_.height_stride}, shape, part, dst);
    }

private:
    // What sums boxes of that shape in registers.
    ACLTWIN_INLINE FoldFunction<RowGroup<T>, T> fold_for(const GroupShape& shape) {
        FoldFunction<RowGroup<T>, T>& fold = fold_[shape.count];
        if (fold == nullptr)
            fold = with_row_count(int(shape.count),
                                  [&](auto rows) { return fold_function<GroupColumns<rows, T>, T>(p_); });
        return fold;
    }

    // The totals of a row that is less than a vector are a vector.
    ACLTWIN_INLINE void sum_narrow(const T* first, const GroupShape& shape, CellRange part, T* dst) {
        S* const totals = buffers_.totals();
        add_group(first, shape.offsets, int(shape.count), p_.columns, true, totals);
        fold_totals_(p_, {totals, Buffers<T>::kPackedOffsets, 1, 0}, part, dst);
    }

    ACLTWIN_NOINLINE void sum_pieces(const Box<T>& box, const GroupShape* shape, CellRange part, T* dst) {
        const int64_t piece_cells = sink_.non_temporal() ? Buffers<T>::kStagePiece : kPiece;
        const auto fold_pieces = [&](const auto& fold) {
            for (CellRange piece = {part.first, 0}; piece.first < part.last; piece.first = piece.last) {
                piece.last = Buffers<T>::end_of_piece(piece.first, part.last, piece_cells);
                fold(piece, sink_.place(dst));
                sink_.put(dst, piece.last - piece.first, 1);
                dst += (piece.last - piece.first) * p_.result_pitch;
            }
        };
        if (swapped_ != nullptr) return fold_pieces([&](CellRange piece, T* out) { swapped_(p_, box, piece, out); });
        if (!fused_ || pack_ || shape == nullptr) return sum_in_buffers(box, fused_ ? shape : nullptr, part, dst);
        const FoldFunction<RowGroup<T>, T> fold = fold_for(*shape);
        const RowGroup<T> group = {box.first, shape->offsets, int(shape->count), 0};
        fold_pieces([&](CellRange piece, T* out) { fold(p_, group, piece, out); });
    }

    // From packed rows if the box has a shape, or from totals.
    void sum_in_buffers(const Box<T>& box, const GroupShape* shape, CellRange part, T* dst) {
        for (CellRange piece = {part.first, 0}; piece.first < part.last; piece.first = piece.last) {
            piece.last = p_.fold == Fold::runs ? end_of_runs(piece.first, part.last)
                                               : Buffers<T>::end_of_piece(piece.first, part.last, kPiece);
            const int64_t cells = piece.last - piece.first;
            const int64_t first = p_.first_column(piece.first), last = p_.end_column(piece.last);
            if (first == last) {
                sink_.put_zeros(dst, cells, p_.channels);
            } else {
                T* out = sink_.place(dst);
                if (shape != nullptr)
                    fold_for (*shape)(p_, from_column(box, shape->offsets, int(shape->count), first, last), piece, out);
                else
                    sum_totals(box, piece, first, last, out);
                sink_.put(dst, cells, p_.channels);
            }
            dst += cells * p_.result_pitch;
        }
    }

    int64_t end_of_runs(int64_t first, int64_t part_end) const {
        int64_t last = min64(part_end, first + kPiece / p_.channels);
        while (last - first > 1 && !fits(p_.begin[2][first], p_.begin[2][last])) last = first + (last - first) / 2;
        return last;
    }

    bool fits(int64_t first_column, int64_t last_column) const {
        return last_column - first_column <= kColumns / p_.channels;
    }

    // A group's rows from column `first` on: in place, or packed.
    RowGroup<T> from_column(const Box<T>& box, const int64_t* offsets, int count, int64_t first, int64_t last) {
        const T* start = box.first + first * p_.source_pitch;
        if (!pack_) return {start, offsets, count, first};
        for (int r = 0; r < count; ++r)
            pack_cells(last - first, p_.channels, start + offsets[r], p_.source_pitch, buffers_.packed(r));
        return {buffers_.packed(0), Buffers<T>::kPackedOffsets, count, first};
    }

    void sum_totals(const Box<T>& box, CellRange piece, int64_t first, int64_t last, T* out) {
        if (!fits(first, last)) {
            store(buffers_.sums, sum_long_cell(box, first, last));
            return narrow_sums(buffers_.sums, p_.channels, out);
        }
        sum_columns(box, first, last);
        const S* totals = buffers_.totals();
        if (p_.fold != Fold::runs) return fold_totals_(p_, {totals, Buffers<T>::kPackedOffsets, 1, first}, piece, out);
        if (p_.channels == 1)
            fold_runs<S>(totals, p_.begin[2], piece, 1, buffers_.sums);
        else
            fold_runs<V>(totals, p_.begin[2], piece, p_.channels, buffers_.sums);
        narrow_sums(buffers_.sums, (piece.last - piece.first) * p_.channels, out);
    }

    // Totals of the columns [first, last).
    void sum_columns(const Box<T>& box, int64_t first, int64_t last) {
        int64_t offsets[kRowsPerGroup];
        RowGroups<T> groups(box);
        bool is_first = true;
        for (int count; (count = groups.next(offsets)) > 0; is_first = false) {
            const RowGroup<T> group = from_column(box, offsets, count, first, last);
            add_group(group.first, group.offsets, count, (last - first) * p_.channels, is_first, buffers_.totals());
        }
    }

    // A cell with more columns than the buffers hold.
    V sum_long_cell(const Box<T>& box, int64_t first, int64_t last) {
        V sum = {};
        for (const int64_t step = kColumns / p_.channels; first < last; first += step) {
            const int64_t end = min64(first + step, last);
            sum_columns(box, first, end);
            if (p_.channels == 1)
                sum[0] = add_columns<S>(buffers_.totals(), end - first, 1, sum[0]);
            else
                sum = add_columns<V>(buffers_.totals(), end - first, p_.channels, sum);
        }
        return sum;
    }

    const IntervalRows& p_;
    Buffers<T>& buffers_;
    Sink<T>& sink_;
    GroupShapes& shapes_;
    const bool pack_;
    bool fused_ = false;                                         // boxes that are one group are summed in registers
    bool at_once_ = false;                                       // and these write the result itself
    bool narrow_ = false;                                        // so do rows of less columns than lanes
    FoldFunction<RowGroup<T>, T> fold_[kRowsPerGroup + 1] = {};  // by the number of rows, once it is needed
    FoldFunction<RowGroup<S>, T> fold_totals_ = nullptr;
    FoldFunction<Box<T>, T> swapped_ = nullptr;
};

// How results get to their place. Kernels write a few elements past a piece of few cells or channels, which only a
// buffer can bear.
template <class T>
Output output_of(const IntervalRows& p) {
    if (p.non_temporal) return Output::non_temporal;
    if (p.channels >= kLanesOf<T>) return Output::direct;
    if (p.result_pitch != p.channels) return Output::unpack;
    return p.channels > 1 || p.cells < kLanesOf<T> ? Output::copy : Output::direct;
}

template <class T>
void run(const IntervalRows& p, const T* source, T* result, int64_t first, int64_t last) {
    Buffers<T> buffers;
    Sink<T> sink(output_of<T>(p), p.result_pitch, 1, buffers.cells, buffers.stage);
    GroupShapes shapes(p.depth_stride, p.height_stride);
    RowSummer<T> row_summer(p, shapes, buffers, sink);
    const int64_t depth_stride = p.depth_stride, height_stride = p.height_stride;
    const auto inner = [&](int operand) { return p.loops.step[operand][4]; };
    const int64_t source_step = inner(p.kSource), result_step = inner(p.kResult);
    const int64_t depth_step = inner(p.kDepth), height_step = inner(p.kHeight);
    // Without a gap between them, rows that nothing feeds are one piece as long as D, which feeds them all, stays.
    const bool rows_join = p.result_pitch == p.channels && result_step == p.cells * p.channels && depth_step == 0 &&
                           p.loops.extent[p.kParts] == 1;
    Walk<5, 4> walk(p.loops, first);
    for (int64_t n; first < last; first += n, walk.advance(n)) {
        n = min64(last - first, walk.left());
        const int64_t number = walk.at(p.kParts), begin = number * p.part_cells;
        const CellRange part = {begin, number == p.loops.extent[p.kParts] - 1 ? p.cells : begin + p.part_cells};
        const T* volume = source + walk.offset(p.kSource);
        T* row = result + walk.offset(p.kResult);
        const int64_t *d = p.begin[0] + walk.offset(p.kDepth), *h = p.begin[1] + walk.offset(p.kHeight);
        if (rows_join && d[0] == d[1]) {
            sink.put_zeros(row, n * p.cells, p.channels);
            continue;
        }
        if (p.transpose) {
            const Box<T> box = {volume + d[0] * depth_stride, d[1] - d[0], 0, depth_stride, height_stride};
            sum_into_columns(p, box, h, n, part, buffers, row);
            continue;
        }
        const auto each_box = [&](const auto& body) {
            for (int64_t i = 0; i < n; ++i) {
                body(volume + d[0] * depth_stride + h[0] * height_stride, d[1] - d[0], h[1] - h[0]);
                volume += source_step;
                row += result_step;
                d += depth_step;
                h += height_step;
            }
        };
        if (p.channels >= kLanesOf<T>) {
            each_box([&](const T* box, int64_t depth, int64_t height) {
                sum_channel_part(p, {box, depth, height, depth_stride, height_stride}, part, shapes, buffers, sink,
                                 row);
            });
            continue;
        }
        row += part.first * p.result_pitch;
        each_box(
            [&](const T* box, int64_t depth, int64_t height) { row_summer.sum_part(box, depth, height, part, row); });
    }
}

}  // namespace

void interval_sum_tasks(const IntervalRows& rows, DType dtype, const void* source, void* result, int64_t first,
                        int64_t last) {
    with_float_type(dtype, [&](auto element) {
        typedef decltype(element) T;
        run(rows, static_cast<const T*>(source), static_cast<T*>(result), first, last);
    });
}

int interval_sum_lanes(DType dtype) { return dtype == DType::float64 ? kLanes / 2 : kLanes; }

}  // namespace acltwin::ACLTWIN_LEVEL
