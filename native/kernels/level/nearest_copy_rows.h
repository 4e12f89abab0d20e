// The cells of a row, made from its columns: sixteen bytes at a time where the pattern allows it.
//
// A maker knows a part of a row and makes it for one row after the other: make<kStores>(source row, place for the
// cells).
#pragma once

#include "kernels/level/simd.h"
#include "kernels/level/types.h"
#include "kernels/nearest_copy_task.h"

namespace acltwin::ACLTWIN_LEVEL {

static_assert(sizeof(Bytes) == ByteBlock::kBytes, "a block fills a vector");

ACLTWIN_INLINE Bytes load_bytes(const void* p) {
    Bytes v;
    memcpy(&v, p, sizeof v);
    return v;
}
ACLTWIN_INLINE void store_bytes(void* p, Bytes v) { memcpy(p, &v, sizeof v); }

// ---- blocks ----

ACLTWIN_INLINE Bytes pick_block(const char* source, const ByteBlock& block) {
    return pick_bytes(load_bytes(source + block.source), load_bytes(block.pick));
}

// `bytes` bytes of cells from block `first` on. What repeats is read from the table once, for all rows.
template <int kPeriod>
class BlockPicker {
    static constexpr int64_t kBytes = ByteBlock::kBytes;
    static constexpr int kStep = kPeriod % 2 != 0 ? 2 * kPeriod : kPeriod == 2 ? 4 : kPeriod;  // blocks at a time

public:
    ACLTWIN_INLINE BlockPicker(const ByteBlockTable& table, int64_t first, int64_t bytes)
        : blocks_(table.blocks + first), advance_(table.advance), bytes_(bytes) {
        if constexpr (kPeriod == 0) return;
        regular_ = max64(0, min64(bytes / kBytes, table.last_regular - first)) / kStep * kStep;
        if (regular_ == 0) return;
        for (int k = 0; k < kPeriod; ++k) {
            picks_[k] = load_bytes(blocks_[k].pick);
            from_[k] = blocks_[k].source;
        }
    }

    template <Stores kStores>
    ACLTWIN_INLINE void make(const char* source, char* cells) const {
        if constexpr (kPeriod > 0)
            if (regular_ > 0) make_regular<kStores>(source, cells);
        const ByteBlock* block = blocks_ + regular_;
        int64_t at = regular_ * kBytes;
        for (; at + 2 * kBytes <= bytes_; at += 2 * kBytes, block += 2)
            store_pair<kStores>(cells + at, pick_block(source, block[0]), pick_block(source, block[1]));
        for (; at < bytes_; at += kBytes, ++block)
            store_bytes(cells + min64(at, bytes_ - kBytes), pick_block(source, *block));
    }

private:
    // Works on copies of its members: the compiler must fear that the cells lie in the members themselves.
    template <Stores kStores>
    ACLTWIN_INLINE void make_regular(const char* source, char* cells) const {
        const int64_t step = kStep / kPeriod * advance_, advance = advance_;
        Bytes picks[kPeriod];
        const char* from[kPeriod];
        for (int k = 0; k < kPeriod; ++k) {
            picks[k] = picks_[k];
            from[k] = source + from_[k];
        }
        const auto pick = [&](int k, int64_t offset) {
            return pick_bytes(load_bytes(from[k % kPeriod] + offset + k / kPeriod * advance), picks[k % kPeriod]);
        };
        int64_t offset = 0;
        for (char* const end = cells + regular_ * kBytes; cells < end; cells += kStep * kBytes, offset += step)
            for (int k = 0; k < kStep; k += 2)
                store_pair<kStores>(cells + k * kBytes, pick(k, offset), pick(k + 1, offset));
    }

    const ByteBlock* blocks_;
    int64_t advance_, bytes_, regular_ = 0;
    Bytes picks_[kPeriod + 1];
    int64_t from_[kPeriod + 1];
};

// ---- whole cells ----

template <Stores kStores>
ACLTWIN_INLINE void copy_bytes(const char* source, int64_t bytes, char* cells) {
    constexpr int64_t kBytes = ByteBlock::kBytes;
    int64_t at = 0;
    for (; at + 2 * kBytes <= bytes; at += 2 * kBytes)
        store_pair<kStores>(cells + at, load_bytes(source + at), load_bytes(source + at + kBytes));
    if (bytes >= kBytes) {  // the last vectors start further left instead of being shorter
        for (; at < bytes; at += kBytes)
            store_bytes(cells + min64(at, bytes - kBytes), load_bytes(source + min64(at, bytes - kBytes)));
    }
    for (; at < bytes; ++at) cells[at] = source[at];
}

class CellCopier {
public:
    CellCopier(const NearestRows& p, RowPart part)
        : offset_(part.first * p.cell_bytes), bytes_(part.n * p.cell_bytes) {}

    template <Stores kStores>
    ACLTWIN_INLINE void make(const char* source, char* cells) const {
        copy_bytes<kStores>(source + offset_, bytes_, cells);
    }

private:
    int64_t offset_, bytes_;
};

// The columns that a part's cells come from.
class CellColumns {
public:
    CellColumns(const NearestRows& p, RowPart part)
        : n(part.n),
          bytes(p.cell_bytes),
          neighbours(p.source_pitch == p.cell_bytes),
          every_second(p.every_second && neighbours),
          pitch_(p.source_pitch),
          first_(part.first),
          column_(p.column) {}

    ACLTWIN_INLINE const char* of(const char* source, int64_t i) const {
        return source + (column_ != nullptr ? column_[first_ + i] : first_ + i) * pitch_;
    }

    const int64_t n, bytes;
    const bool neighbours, every_second;  // in the source; of neighbouring columns

private:
    int64_t pitch_, first_;
    const int64_t* column_;  // null: they count up
};

class CellPicker : CellColumns {
public:
    CellPicker(const NearestRows& p, RowPart part) : CellColumns(p, part), constant_size_(p.constant_size) {}

    template <Stores kStores>
    ACLTWIN_INLINE void make(const char* source, char* cells) const {
        switch (constant_size_) {  // of three, sixteen or thirty-two channels
            case 24: return pick<kStores, 24>(source, cells);
            case 32: return pick<kStores, 32>(source, cells);
            case 64: return pick<kStores, 64>(source, cells);
            case 128: return pick<kStores, 128>(source, cells);
        }
        if (bytes >= ByteBlock::kBytes) return pick<kStores, 0>(source, cells);
        if (is_element_size(bytes))
            return with_element_size(bytes, [&](auto e) { pick_elements<decltype(e)>(source, cells); });
        int64_t i = neighbours ? pick_overlapping(source, cells) : 0;
        for (; i < n; ++i) copy_bytes<Stores::cached>(of(source, i), bytes, cells + i * bytes);
    }

private:
    // Works on copies of its members: the compiler must fear that the cells lie in the members themselves.
    template <Stores kStores, int64_t kBytes>
    ACLTWIN_INLINE void pick(const char* source, char* cells) const {
        const CellColumns columns = *this;
        const int64_t size = kBytes > 0 ? kBytes : columns.bytes;
        for (int64_t i = 0; i < columns.n; ++i, cells += size) copy_bytes<kStores>(columns.of(source, i), size, cells);
    }

    // Cells of any size up to 16 bytes, as long as there are 16 to read and to write; the next cell overwrites what was
    // too much. Returns where it ended.
    int64_t pick_overlapping(const char* source, char* cells) const {
        const CellColumns columns = *this;
        constexpr int64_t kBytes = ByteBlock::kBytes;
        const char* const last_read = columns.of(source, columns.n - 1) + columns.bytes - kBytes;
        const int64_t end = columns.n - (kBytes - 1) / columns.bytes;
        int64_t i = 0;
        for (; i < end && columns.of(source, i) <= last_read; ++i)
            store_bytes(cells + i * columns.bytes, load_bytes(columns.of(source, i)));
        return i;
    }

    template <class E>
    void pick_elements(const char* source, char* cells) const {
        const CellColumns columns = *this;
        if (columns.every_second) return pick_every_second<E>(columns.of(source, 0), columns.n, cells);
        for (int64_t i = 0; i < columns.n; ++i)
            memcpy(cells + i * int64_t(sizeof(E)), columns.of(source, i), sizeof(E));
    }

    // Nothing is read past the last cell's column, so that one is left over.
    template <class E>
    static void pick_every_second(const char* source, int64_t n, char* cells) {
        typedef E Vector __attribute__((vector_size(kLanes * 4)));
        constexpr int64_t kElement = sizeof(E), kCells = int64_t(sizeof(Vector)) / kElement;
        const auto pick = [&](int64_t i) {
            Vector low, high;
            memcpy(&low, source + 2 * i * kElement, sizeof low);
            memcpy(&high, source + 2 * (i + kCells / 2) * kElement, sizeof high);
            low = acltwin::ACLTWIN_LEVEL::every_second<0>(low, high);
            memcpy(cells + i * kElement, &low, sizeof low);
        };
        int64_t i = 0;
        for (; i + kCells < n; i += kCells) pick(i);
        if (n > kCells) {  // the last vector starts further left instead of being shorter
            pick(n - 1 - kCells);
            i = n - 1;
        }
        for (; i < n; ++i) memcpy(cells + i * kElement, source + 2 * i * kElement, sizeof(E));
    }

    const int64_t constant_size_;
};

// ---- cells that are apart in the result ----

inline void put_cells(const char* cells, int64_t n, int64_t bytes, char* result, int64_t pitch) {
    if (is_element_size(bytes))
        return with_element_size(bytes, [&](auto e) {
            for (int64_t i = 0; i < n; ++i) memcpy(result + i * pitch, cells + i * int64_t(sizeof e), sizeof e);
        });
    for (int64_t i = 0; i < n; ++i) copy_bytes<Stores::cached>(cells + i * bytes, bytes, result + i * pitch);
}

}  // namespace acltwin::ACLTWIN_LEVEL
