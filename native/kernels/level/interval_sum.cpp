#include "kernels/level/interval_sum_channels.h"
#include "kernels/level/interval_sum_fold.h"

namespace acltwin::ACLTWIN_LEVEL {
namespace {

// Sums parts of rows of single elements, or of fewer channels than fill a vector: piece by piece, from the source
// itself or from packed rows, in registers where a box is one group of rows, else by way of totals in memory.
template <class T>
class RowSummer {
    typedef typename Sum<T>::Scalar S;
    typedef typename Sum<T>::Vector V;
    static constexpr int kLanes = kLanesOf<T>;
    static constexpr int64_t kPiece = Buffers<T>::kPiece, kColumns = Buffers<T>::kColumns;

public:
    RowSummer(const IntervalRows& p, Buffers<T>& buffers, Sink<T>& sink)
        : p_(p), buffers_(buffers), sink_(sink), pack_(p.source_pitch != p.channels) {
        // Kernels that read and write whole vectors need rows that have them, or buffers, which have margins.
        const bool blocks = p.fold == Fold::blocks;
        const int64_t cells = blocks ? p.table.cells : kLanes, vectors = blocks ? p.table.vectors : p.factor;
        fused_ = p.fold != Fold::runs && (pack_ || (p.cells >= cells && p.columns >= vectors * kLanes));
    }

    void sum_part(const Box<T>& box, const CellRange& part, T* result) {
        const bool fused = fused_ && box.one_group();
        const bool whole = sink_.direct() && (box.empty() || (fused && !pack_));
        for (CellRange piece = {part.first, 0}; piece.first < part.last; piece.first = piece.last) {
            piece.last = whole ? part.last : piece_end(piece.first, part.last);
            T* dst = result + piece.first * p_.result_pitch;
            const int64_t elements = (piece.last - piece.first) * p_.channels;
            T* out = sink_.place(dst);
            const int64_t first = p_.first_column(piece.first), last = p_.first_column(piece.last);
            if (first == last || box.empty())
                memset(out, 0, size_t(elements) * sizeof(T));
            else if (fused)
                sum_in_registers(box, piece, first, last, out);
            else
                sum_in_memory(box, piece, first, last, out);
            sink_.put(dst, elements);
        }
    }

private:
    // The last piece is longer rather than shorter than the others: the last block must not reach out of it.
    int64_t piece_end(int64_t first, int64_t part_end) const {
        if (p_.fold != Fold::runs) return part_end - first < 2 * kPiece ? part_end : first + kPiece;
        int64_t last = min64(part_end, first + kPiece / p_.channels);
        while (last - first > 1 && !fits(p_.begin[2][first], p_.begin[2][last])) last = first + (last - first) / 2;
        return last;
    }

    bool fits(int64_t first_column, int64_t last_column) const {
        return last_column - first_column <= kColumns / p_.channels;
    }

    // The next group of rows, from column `first` on: in place, or packed.
    int next_group(RowGroups<T>& groups, int64_t first, int64_t last, const T* (&rows)[kRowsPerGroup]) {
        const int count = groups.next(rows);
        for (int r = 0; r < count; ++r) {
            rows[r] += first * p_.source_pitch;
            if (!pack_) continue;
            pack_row(rows[r], p_.source_pitch, last - first, p_.channels, buffers_.packed(r));
            rows[r] = buffers_.packed(r);
        }
        return count;
    }

    void sum_in_registers(const Box<T>& box, const CellRange& piece, int64_t first, int64_t last, T* out) {
        const T* rows[kRowsPerGroup];
        RowGroups<T> groups(box);
        const int count = next_group(groups, first, last, rows);
        with_row_count(count, [&](auto rows_of) {
            fold_rows<decltype(rows_of)::count>(p_, RowGroup<T>{rows, first}, piece, out);
        });
    }

    void sum_in_memory(const Box<T>& box, const CellRange& piece, int64_t first, int64_t last, T* out) {
        if (!fits(first, last)) {
            store(buffers_.sums, sum_long_cell(box, first, last));
            return narrow_sums(buffers_.sums, p_.channels, out);
        }
        sum_columns(box, first, last);
        const S* totals = buffers_.totals();
        if (p_.fold != Fold::runs) return fold_rows<1>(p_, RowGroup<S>{&totals, first}, piece, out);
        if (p_.channels == 1)
            fold_runs<S>(totals, p_.begin[2], piece, 1, buffers_.sums);
        else
            fold_runs<V>(totals, p_.begin[2], piece, p_.channels, buffers_.sums);
        narrow_sums(buffers_.sums, (piece.last - piece.first) * p_.channels, out);
    }

    // Totals of the columns [first, last).
    void sum_columns(const Box<T>& box, int64_t first, int64_t last) {
        const T* rows[kRowsPerGroup];
        RowGroups<T> groups(box);
        bool is_first = true;
        for (int count; (count = next_group(groups, first, last, rows)) > 0; is_first = false)
            add_group(rows, count, (last - first) * p_.channels, is_first, buffers_.totals());
    }

    // A cell with more columns than the buffers hold.
    V sum_long_cell(const Box<T>& box, int64_t first, int64_t last) {
        V sum = -V{};
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
    const bool pack_;
    bool fused_;
};

template <class T>
void run(const IntervalRows& p, const T* source, T* result, int64_t first, int64_t last) {
    constexpr int kLanes = kLanesOf<T>;
    Buffers<T> buffers;
    const bool many_channels = p.channels >= kLanes;
    Sink<T> sink(p, p.channels > 1 || p.cells < kLanes, buffers);
    RowSummer<T> row_summer(p, buffers, sink);
    TaskWalk walk(p, first);
    for (int64_t task = first; task < last; ++task, walk.advance()) {
        if (many_channels)
            sum_channel_part(p, walk.box(source), walk.part(), buffers, sink, walk.row(result));
        else
            row_summer.sum_part(walk.box(source), walk.part(), walk.row(result));
    }
}

}  // namespace

void interval_sum_tasks(const IntervalRows& rows, DType dtype, const void* source, void* result, int64_t first,
                        int64_t last) {
    const auto run_as = [&](auto element) {
        typedef decltype(element) T;
        run(rows, static_cast<const T*>(source), static_cast<T*>(result), first, last);
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
