#include "kernels/level/interval_sum_channels.h"
#include "kernels/level/interval_sum_swapped.h"

namespace acltwin::ACLTWIN_LEVEL {
namespace interval {

// Sums parts of rows of single elements, or of fewer channels than fill a vector.
template <class T>
class RowSummer {
    typedef typename Sum<T>::Scalar S;
    typedef typename Sum<T>::Vector V;
    static constexpr int kLanes = kLanesOf<T>;
    static constexpr int64_t kPiece = Buffers<T>::kPiece, kColumns = Buffers<T>::kColumns;

public:
    RowSummer(const IntervalRows& p, BoxShapes& shapes, Buffers<T>& buffers, Sink<T>& sink)
        : p_(p), buffers_(buffers), sink_(sink), shapes_(shapes), pack_(p.source_pitch != p.channels) {
        if (p.fold == Fold::runs) return;
        if (p.swapped) {
            swapped_ = swapped_function<T>(p);
            return;
        }
        fold_totals_ = fold_function<1, S, T>(p);
        // Whole vectors are read and written: the rows must have them, unless they are packed with margins around.
        fused_ = pack_ || p.whole_vectors;
        for (int count = 0; fused_ && count <= kRowsPerGroup; ++count)
            fold_[count] = with_row_count(count, [&](auto n) { return fold_function<decltype(n)::count, T, T>(p); });
    }

    ACLTWIN_INLINE void sum_part(const Box<T>& box, CellRange part, T* result) {
        T* dst = result + part.first * p_.result_pitch;
        if (swapped_ != nullptr) return sum_pieces(part, dst, [&](auto... a) { swapped_(p_, box, a...); });
        const int64_t* offsets = fused_ ? shapes_.offsets(box.depth, box.height) : nullptr;
        if (offsets == nullptr || pack_) return sum_in_buffers(box, offsets, part, dst);
        const int64_t rows = box.depth * box.height;
        const FoldFunction<T, T> fold = fold_for(rows);
        const RowList<T> list = {box.first, offsets, rows, 0};
        sum_pieces(part, dst, [&](auto... a) { fold(p_, list, a...); });
    }

private:
    FoldFunction<T, T> fold_for(int64_t rows) const { return fold_[rows <= kRowsPerGroup ? rows : 0]; }

    // From the source itself; the whole part at once if the result is written itself, too.
    template <class FoldPiece>
    ACLTWIN_INLINE void sum_pieces(CellRange part, T* dst, const FoldPiece& fold) {
        if (sink_.direct()) return fold(part, dst);
        for (CellRange piece = {part.first, 0}; piece.first < part.last; piece.first = piece.last) {
            piece.last = end_of_piece(piece.first, part.last, sink_.piece());
            fold(piece, sink_.place(dst));
            sink_.put(dst, piece.last - piece.first);
            dst += (piece.last - piece.first) * p_.result_pitch;
        }
    }

    // The last piece is longer rather than shorter than the others: the last block must not reach out of it.
    static int64_t end_of_piece(int64_t first, int64_t part_end, int64_t piece) {
        return part_end - first < 2 * piece ? part_end : first + piece;
    }

    // From packed rows, if the box has rows that are listed, or from totals.
    ACLTWIN_NOINLINE void sum_in_buffers(const Box<T>& box, const int64_t* offsets, CellRange part, T* dst) {
        for (CellRange piece = {part.first, 0}; piece.first < part.last; piece.first = piece.last) {
            piece.last = p_.fold == Fold::runs ? end_of_runs(piece.first, part.last)
                                               : end_of_piece(piece.first, part.last, kPiece);
            T* out = sink_.place(dst);
            const CellRange columns = columns_of(piece);
            if (offsets != nullptr && box.depth * box.height <= kRowsPerGroup) {
                const int64_t count = box.depth * box.height;
                fold_[count](p_, from_column(box, offsets, count, columns), piece, out);
            } else {
                sum_totals(box, piece, columns, out);
            }
            const int64_t cells = piece.last - piece.first;
            sink_.put(dst, cells * p_.channels);
            dst += cells * p_.result_pitch;
        }
    }

    int64_t end_of_runs(int64_t first, int64_t part_end) const {
        int64_t last = min64(part_end, first + kPiece / p_.channels);
        while (last - first > 1 && !fits({p_.begin[2][first], p_.begin[2][last]})) last = first + (last - first) / 2;
        return last;
    }

    bool fits(CellRange columns) const { return columns.last - columns.first <= kColumns / p_.channels; }

    CellRange columns_of(CellRange cells) const {
        if (p_.fold == Fold::uniform) return {cells.first * p_.factor, cells.last * p_.factor};
        if (p_.fold == Fold::runs) return {p_.begin[2][cells.first], p_.begin[2][cells.last]};
        const CellBlock* const blocks = p_.table.blocks;
        return {blocks[cells.first / p_.table.cells].first_column,
                min64(p_.columns, blocks[(cells.last - 1) / p_.table.cells].first_column + p_.table.vectors * kLanes)};
    }

    // A group's rows from the first of these columns on: in place, or packed.
    RowList<T> from_column(const Box<T>& box, const int64_t* offsets, int64_t count, CellRange columns) {
        const T* start = box.first + columns.first * p_.source_pitch;
        if (!pack_) return {start, offsets, count, columns.first};
        for (int64_t r = 0; r < count; ++r)
            pack_row(start + offsets[r], p_.source_pitch, columns.last - columns.first, p_.channels,
                     buffers_.packed(r));
        return buffers_.packed_list(count, columns.first);
    }

    void sum_totals(const Box<T>& box, CellRange piece, CellRange columns, T* out) {
        const int64_t elements = (piece.last - piece.first) * p_.channels;
        if (columns.first == columns.last) {
            memset(out, 0, size_t(elements) * sizeof(T));
            return;
        }
        if (!fits(columns)) {
            store(buffers_.sums, sum_long_cell(box, columns));
            return narrow_sums(buffers_.sums, elements, out);
        }
        sum_columns(box, columns);
        if (p_.fold != Fold::runs) return fold_totals_(p_, buffers_.totals_list(columns.first), piece, out);
        if (p_.channels == 1)
            fold_runs<S>(buffers_.totals(), p_.begin[2], piece, 1, buffers_.sums);
        else
            fold_runs<V>(buffers_.totals(), p_.begin[2], piece, p_.channels, buffers_.sums);
        narrow_sums(buffers_.sums, elements, out);
    }

    void sum_columns(const Box<T>& box, CellRange columns) {
        int64_t offsets[kRowsPerGroup];
        RowGroups<T> groups(box);
        bool first = true;
        for (int64_t count; (count = groups.next(offsets)) > 0; first = false)
            add_group(from_column(box, offsets, count, columns), (columns.last - columns.first) * p_.channels, first,
                      buffers_.totals());
    }

    // A cell with more columns than the buffers hold.
    V sum_long_cell(const Box<T>& box, CellRange columns) {
        V sum = -V{};
        for (const int64_t step = kColumns / p_.channels; columns.first < columns.last; columns.first += step) {
            const CellRange some = {columns.first, min64(columns.first + step, columns.last)};
            sum_columns(box, some);
            if (p_.channels == 1)
                sum[0] = add_columns<S>(buffers_.totals(), some.last - some.first, 1, sum[0]);
            else
                sum = add_columns<V>(buffers_.totals(), some.last - some.first, p_.channels, sum);
        }
        return sum;
    }

    const IntervalRows& p_;
    Buffers<T>& buffers_;
    Sink<T>& sink_;
    BoxShapes& shapes_;
    const bool pack_;
    bool fused_ = false;                               // listed rows are summed and folded in registers
    FoldFunction<T, T> fold_[kRowsPerGroup + 1] = {};  // by the number of rows; 0: more than a group
    FoldFunction<S, T> fold_totals_ = nullptr;
    SwappedFunction<T> swapped_ = nullptr;
};

template <class T>
void run(const IntervalRows& p, const T* source, T* result, int64_t first, int64_t last) {
    Buffers<T> buffers;
    const bool many_channels = p.channels >= kLanesOf<T>;
    Sink<T> sink(p, p.channels > 1 || p.cells < kLanesOf<T>, buffers);
    BoxShapes shapes(p.source_stride[2], p.source_stride[3]);
    RowSummer<T> row_summer(p, shapes, buffers, sink);
    TaskWalk<T> walk(p, source, result, first);
    for (int64_t task = first; task < last; ++task, walk.advance()) {
        const Box<T> box = walk.box();
        const CellRange part = walk.part();
        if (box.empty())
            sink.put_zeros(walk.row() + part.first * p.result_pitch, part.last - part.first);
        else if (many_channels)
            sum_channel_part(p, box, part, shapes, buffers, sink, walk.row());
        else
            row_summer.sum_part(box, part, walk.row());
    }
}

}  // namespace interval

void interval_sum_tasks(const IntervalRows& rows, DType dtype, const void* source, void* result, int64_t first,
                        int64_t last) {
    const auto run_as = [&](auto element) {
        typedef decltype(element) T;
        interval::run(rows, static_cast<const T*>(source), static_cast<T*>(result), first, last);
    };
    switch (dtype) {
        case DType::float32: return run_as(float());
        case DType::float16: return run_as(Half());
        case DType::bfloat16: return run_as(BFloat());
        default: return run_as(double());
    }
}

int interval_sum_lanes(DType dtype) { return dtype == DType::float64 ? kLanes / 2 : kLanes; }

}  // namespace acltwin::ACLTWIN_LEVEL
