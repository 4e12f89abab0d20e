#include "kernels/level/nearest_copy_pack.h"
#include "kernels/level/nearest_copy_rows.h"
#include "kernels/nearest_copy_task.h"

namespace acltwin::ACLTWIN_LEVEL {
namespace {

// Runs tasks: walks through the rows' parts and knows how a part's cells get to their place.
class RowCopier {
public:
    RowCopier(const NearestRows& p, const char* source, char* result, char* buffer)
        : p_(p),
          source_(source),
          result_(result),
          buffer_(buffer),
          non_temporal_(p.non_temporal && reinterpret_cast<uintptr_t>(result) % ByteBlock::kBytes == 0) {}

    void run(int64_t first, int64_t last) {
        Walk<NearestRows::kLoops, 2> walk(p_.loops, first);
        for (int64_t n; first < last; first += n, walk.advance(n)) {
            n = min64(last - first, walk.left());
            copy_parts(walk, n);
        }
        if (non_temporal_) non_temporal_fence();
    }

private:
    static constexpr int kInner = NearestRows::kLoops - 1;

    // n steps of the innermost loop: parts of one row, or the same part of n rows.
    void copy_parts(const Walk<NearestRows::kLoops, 2>& walk, int64_t n) {
        const char* source = source_ + walk.offset(p_.kSource);
        char* result = result_ + walk.offset(p_.kResult);
        for (int i = 0; i < kInner; ++i)
            if (p_.offsets[i] != nullptr) source += p_.offsets[i][walk.at(i)];
        const int64_t first = walk.at(kInner);
        if (p_.part_loop != kInner) return copy_part({source, result, first, n, walk.at(p_.part_loop)});
        for (int64_t part = first; part < first + n; ++part) copy_part({source, result, 0, 1, part});
    }

    // ---- one part of some rows ----

    struct Rows {
        const char* source;
        char* result;
        int64_t first, n;  // steps of the innermost loop
        int64_t part;
    };

    void copy_part(Rows rows) {
        const auto [first, n] = p_.cells_of(rows.part);
        rows.result += first * p_.result_pitch;
        const int64_t bytes = n * p_.cell_bytes;
        if (repeats(rows, bytes)) return copy_again(rows, bytes);
        made_ = rows;
        switch (p_.expand) {
            case Expand::copy: return copy_rows(CellCopier(p_, {first, n}), rows, n);
            case Expand::blocks: return copy_blocks(first, n, rows);
            case Expand::cells: return copy_rows(CellPicker(p_, {first, n}), rows, n);
        }
    }

    // They are the rows that were made last, as in a slice that is repeated along D, and these are still in the cache.
    bool repeats(const Rows& rows, int64_t bytes) const {
        return rows.source == made_.source && rows.first == made_.first && rows.n == made_.n &&
               rows.part == made_.part && !non_temporal_ && p_.result_pitch == p_.cell_bytes &&
               rows.n * bytes <= p_.kept_bytes;
    }

    void copy_again(const Rows& rows, int64_t bytes) {
        const int64_t step = p_.loops.step[p_.kResult][kInner], together = step == bytes ? rows.n : 1;
        for (int64_t i = 0; i < rows.n; i += together)
            copy_bytes<Stores::cached>(made_.result + i * step, together * bytes, rows.result + i * step);
    }

    void copy_blocks(int64_t first, int64_t n, const Rows& rows) {
        const int64_t block = first * p_.cell_bytes / ByteBlock::kBytes, bytes = n * p_.cell_bytes;
        switch (p_.table.period) {
            case 1: return copy_rows(BlockPicker<1>(p_.table, block, bytes), rows, n);
            case 2: return copy_rows(BlockPicker<2>(p_.table, block, bytes), rows, n);
            case 3: return copy_rows(BlockPicker<3>(p_.table, block, bytes), rows, n);
            case 4: return copy_rows(BlockPicker<4>(p_.table, block, bytes), rows, n);
            case 5: return copy_rows(BlockPicker<5>(p_.table, block, bytes), rows, n);
            case 6: return copy_rows(BlockPicker<6>(p_.table, block, bytes), rows, n);
            default: return copy_rows(BlockPicker<0>(p_.table, block, bytes), rows, n);
        }
    }

    // Calls body(source, result, count) for every row of the source, and how many rows of the result it is.
    template <class Body>
    ACLTWIN_INLINE void each_row(const Rows& rows, const Body& body) {
        const int64_t* const offsets = p_.offsets[kInner];
        const int64_t (&step)[2][NearestRows::kLoops] = p_.loops.step;
        const auto offset = [&](int64_t i) {
            return offsets != nullptr ? offsets[rows.first + i] : i * step[p_.kSource][kInner];
        };
        const auto each = [&](const auto& row_at) {
            for (int64_t i = 0, count; i < rows.n; i += count) {
                const int64_t from = offset(i);
                for (count = 1; i + count < rows.n && offset(i + count) == from;) ++count;
                body(row_at(from), rows.result + i * step[p_.kResult][kInner], count);
            }
        };
        if (p_.packing.rows == 0) return each([&](int64_t from) { return rows.source + from; });
        const int64_t last_row = offset(p_.loops.extent[kInner] - 1 - rows.first);
        RowPacker packer(p_, p_.columns_of(rows.part), rows.source, offset(rows.n - 1), last_row, buffer_);
        each([&](int64_t from) { return packer.row(from); });
    }

    template <class Maker>
    void copy_rows(const Maker& maker, const Rows& rows, int64_t n) {
        if (!non_temporal_) return copy_cached_rows(maker, rows, n);
        const int64_t step = p_.loops.step[p_.kResult][kInner];
        each_row(rows, [&](const char* source, char* result, int64_t count) {
            for (; count > 0; --count, result += step) maker.template make<Stores::non_temporal>(source, result);
        });
    }

    // A row is made once, and copied as it is from there: it is in the nearest cache.
    template <class Maker>
    void copy_cached_rows(const Maker& maker, const Rows& rows, int64_t n) {
        const bool together = p_.result_pitch == p_.cell_bytes;
        const int64_t step = p_.loops.step[p_.kResult][kInner], bytes = n * p_.cell_bytes;
        each_row(rows, [&](const char* source, char* result, int64_t count) {
            char* const made = together ? result : cells_;
            maker.template make<Stores::cached>(source, made);
            for (int64_t i = 0; i < count; ++i)
                if (!together)
                    put_cells(made, n, p_.cell_bytes, result + i * step, p_.result_pitch);
                else if (i > 0)
                    copy_bytes<Stores::cached>(made, bytes, result + i * step);
        });
    }

    const NearestRows& p_;
    const char* source_;
    char* result_;
    char* buffer_;
    const bool non_temporal_;
    Rows made_ = {};
    alignas(64) char cells_[2 * NearestRows::kPartBytes];
};

}  // namespace

void nearest_copy_tasks(const NearestRows& rows, const void* source, void* result, void* buffer, int64_t first,
                        int64_t last) {
    RowCopier(rows, static_cast<const char*>(source), static_cast<char*>(result), static_cast<char*>(buffer))
        .run(first, last);
}

}  // namespace acltwin::ACLTWIN_LEVEL
