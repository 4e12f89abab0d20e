// Windows that touch but do not overlap. A window's index becomes a code, the number of the cell inside the window;
// gradients and codes are spread to the width of the result; then each row of cells takes the gradients with its code.
// Every cell is written once: no zeroing, no reading back. The codes prove that every index lies in its window.
#include "kernels/level/window_scatter_rows.h"

namespace acltwin::ACLTWIN_LEVEL {
namespace {

// What adding a gradient to +0 and rounding gives, on the bits: -0 becomes +0, a signalling NaN quiet.
ACLTWIN_INLINE uint32_t as_sum(float x) { return bit_cast<uint32_t>(x + 0.0f); }
ACLTWIN_INLINE uint16_t as_sum(uint16_t bits, uint16_t infinity, uint16_t quiet) {
    const uint16_t magnitude = bits & 0x7fff;
    const uint16_t sum = magnitude > infinity ? bits | quiet : bits;
    return magnitude == 0 ? 0 : sum;
}
ACLTWIN_INLINE uint16_t as_sum(Half x) { return as_sum(x.bits, 0x7c00, 0x200); }
ACLTWIN_INLINE uint16_t as_sum(BFloat x) { return as_sum(x.bits, 0x7f80, 0x40); }

// Rows of bits, padded so that whole vectors may be read and written past their end.
template <class Bits>
struct ExpandRows {
    static constexpr int64_t kPad = 64 / int64_t(sizeof(Bits));
    Bits values[kScatterChunk + kPad], codes[kScatterChunk + kPad];
};

constexpr int kNoCode = -1;

// The windows [w, w + n) of a row: codes[i] = cell inside the window, in C order. False if an index is not in its
// window.
template <class I, class Bits>
bool make_codes(const ScatterShape& shape, const I* indices, int64_t d, int64_t h, int64_t w, int64_t n, Bits* codes) {
    const uint32_t width = uint32_t(shape.stride[2]);
    const int64_t row = shape.cells[2], slice = shape.cells[1] * row;
    const int64_t slices = min64(shape.stride[0], shape.cells[0] - d * shape.stride[0]);
    const int64_t rows = min64(shape.stride[1], shape.cells[1] - h * shape.stride[1]);
    const uint32_t origin = uint32_t(d * shape.stride[0] * slice + h * shape.stride[1] * row + w * width);
    Word window_origin;  // of each lane
    for (int lane = 0; lane < kLanes; ++lane) window_origin[lane] = origin + uint32_t(lane) * width;
    Int all_found = Int{} - 1;
    LongPair seen = {};
    for (int64_t i = 0; i < n; i += kLanes, window_origin += kLanes * width) {
        const bool whole = i + kLanes <= n;
        const Word index = whole ? load_indices(indices + i, seen) : load_indices_partial(indices + i, n - i, seen);
        const Word offset = index - window_origin;
        Word code = Word{} + uint32_t(kNoCode);
        for (int64_t zd = 0; zd < slices; ++zd)
            for (int64_t zh = 0; zh < rows; ++zh) {
                const Word along_w = offset - uint32_t(zd * slice + zh * row);
                const Word inside = bit_cast<Word>(along_w < width);
                code = (inside & (along_w + uint32_t(zd * shape.stride[1] + zh) * width)) | (~inside & code);
            }
        if (!whole)
            for (int64_t lane = n - i; lane < kLanes; ++lane) code[lane] = 0;
        all_found &= bit_cast<Int>(code) >= 0;
        typedef Bits Codes __attribute__((vector_size(kLanes * sizeof(Bits))));
        const Codes narrow = __builtin_convertvector(code, Codes);
        memcpy(codes + i, &narrow, sizeof narrow);
    }
    // The last window may stick out of the row (ceil mode): its outer cells would be those of the next row.
    const int64_t sticking_out = (w + n) * width - row;
    if (sticking_out > 0 && codes[n - 1] % width >= width - sticking_out) return false;
    return !any_lane(~all_found) && fits_32_bits(seen);
}

ACLTWIN_INLINE void shuffle16(const void* from, const uint8_t* bytes, void* to) {
#if defined(__SSSE3__)
    const __m128i piece = _mm_loadu_si128(static_cast<const __m128i*>(from));
    const __m128i order = _mm_load_si128(reinterpret_cast<const __m128i*>(bytes));
    _mm_store_si128(static_cast<__m128i*>(to), _mm_shuffle_epi8(piece, order));
#else
    for (int i = 0; i < 16; ++i) static_cast<uint8_t*>(to)[i] = static_cast<const uint8_t*>(from)[bytes[i]];
#endif
}

// From one element per window to one per cell along W. A cell's code loses its place along W: what is left names the
// row.
template <class Bits>
void spread(const ExpandShape& expand, const ExpandRows<Bits>& rows, int64_t cells, Bits* values, Bits* codes) {
    constexpr int64_t kLine = 64 / sizeof(Bits);
    int64_t base = 0, phase = 0;
    for (int64_t i = 0; i < cells; i += kLine) {
        const ExpandLine& line = expand.lines[phase];
        for (int piece = 0; piece < 4; ++piece) {
            const int64_t window = base + line.first[piece], cell = i + piece * kLine / 4;
            shuffle16(rows.values + window, line.bytes + piece * 16, values + cell);
            shuffle16(rows.codes + window, line.bytes + piece * 16, codes + cell);
        }
        Bits along_w[kLine];
        memcpy(along_w, line.phase, sizeof along_w);
        for (int64_t cell = 0; cell < kLine; ++cell) codes[i + cell] = Bits(codes[i + cell] - along_w[cell]);
        if (++phase == expand.period) {
            phase = 0;
            base += expand.period_windows;
        }
    }
}

// place[i] = values[i] where codes[i] == code, else zero.
template <class Bits, class T>
ACLTWIN_INLINE void select_row(const Bits* values, const Bits* codes, int code, int64_t n, T* place) {
    typedef Bits Vector __attribute__((vector_size(kLanes * 4)));
    constexpr int64_t kStep = kLanes * 4 / sizeof(Bits);
    const Vector wanted = Vector{} + Bits(code);
    for (int64_t i = 0; i < n; i += kStep) {
        Vector value, cell_code;
        memcpy(&value, values + i, sizeof value);
        memcpy(&cell_code, codes + i, sizeof cell_code);
        const Vector selected = value & bit_cast<Vector>(cell_code == wanted);
        if (i + kStep <= n)
            memcpy(place + i, &selected, sizeof selected);
        else
            memcpy(place + i, &selected, size_t(n - i) * sizeof(Bits));
    }
}

template <class T, class I>
class Expander {
    typedef decltype(as_sum(T())) Bits;

public:
    Expander(const ScatterShape& shape, const ExpandShape& expand, const ScatterData& data)
        : shape_(shape), expand_(expand) {
        constexpr int64_t kLine = 64 / sizeof(Bits);
        pitch_ = (expand.chunk * shape.stride[2] / kLine + 2) * kLine;  // whole lines are written
        const int64_t rows_bytes = kScatterRowBytes * shape.lanes_together;
        values_ = reinterpret_cast<Bits*>(static_cast<char*>(data.scratch) + rows_bytes);
        codes_ = values_ + pitch_ * shape.lanes_together;
    }

    // One row of windows of a block of lanes.
    bool expand_row(RowReader<T, I>& reader, RowWriter<T>& writer, int64_t lanes, int64_t d, int64_t h) {
        for (int64_t w = 0; w < shape_.windows[2]; w += expand_.chunk) {
            const int64_t n = min64(expand_.chunk, shape_.windows[2] - w), first = w * shape_.stride[2];
            const bool last = w + n == shape_.windows[2];
            const int64_t cells = (last ? shape_.cells[2] : (w + n) * shape_.stride[2]) - first;
            reader.read_raw(d, h, w, n);
            for (int64_t lane = 0; lane < lanes; ++lane)
                if (!prepare(reader, lane, d, h, w, n, cells)) return false;
            write_rows(writer, d, h, first, cells);
        }
        return true;
    }

    // Slices and rows beyond the last window.
    void write_zeros(RowWriter<T>& writer, int64_t d, int64_t h) {
        for (int64_t w = 0; w < shape_.cells[2]; w += kScatterChunk) {
            const int64_t n = min64(kScatterChunk, shape_.cells[2] - w);
            writer.write(d, h, w, n, [&](int64_t, T* place) { memset(place, 0, size_t(n) * sizeof(T)); });
        }
    }

private:
    bool prepare(const RowReader<T, I>& reader, int64_t lane, int64_t d, int64_t h, int64_t w, int64_t n,
                 int64_t cells) {
        const T* gradients = reader.raw(lane);
        for (int64_t i = 0; i < n; ++i) rows_.values[i] = as_sum(gradients[i]);
        if (!make_codes(shape_, reader.indices(lane), d, h, w, n, rows_.codes)) return false;
        for (int64_t i = 0; i < rows_.kPad; ++i) rows_.codes[n + i] = Bits(kNoCode);  // cells beyond the last window
        spread(expand_, rows_, cells, values_ + lane * pitch_, codes_ + lane * pitch_);
        return true;
    }

    void write_rows(RowWriter<T>& writer, int64_t d, int64_t h, int64_t first, int64_t cells) {
        const int64_t* size = shape_.stride;
        for (int64_t zd = 0; zd < min64(size[0], shape_.cells[0] - d * size[0]); ++zd)
            for (int64_t zh = 0; zh < min64(size[1], shape_.cells[1] - h * size[1]); ++zh) {
                const int code = int((zd * size[1] + zh) * size[2]);
                for (int64_t at = 0; at < cells; at += kScatterChunk) {
                    const int64_t n = min64(kScatterChunk, cells - at);
                    writer.write(d * size[0] + zd, h * size[1] + zh, first + at, n, [&](int64_t lane, T* place) {
                        const int64_t from = lane * pitch_ + at;
                        select_row(values_ + from, codes_ + from, code, n, place);
                    });
                }
            }
    }

    const ScatterShape& shape_;
    const ExpandShape& expand_;
    int64_t pitch_;
    Bits *values_, *codes_;  // one per cell, for each lane
    ExpandRows<Bits> rows_ = {};
};

template <class T, class I>
bool expand_rows(const ScatterShape& shape, const ExpandShape& expand, const ScatterData& data, int64_t begin,
                 int64_t end) {
    Expander<T, I> expander(shape, expand, data);
    RowReader<T, I> reader(shape, data);
    RowWriter<T> writer(shape, data);
    const int64_t window_rows = shape.windows[0] * shape.windows[1];
    for (int64_t row = begin; row < end;) {
        const LaneBlock block = lane_block(shape, row / window_rows);
        reader.open(block);
        writer.open(block);
        for (const int64_t stop = min64(end, (row / window_rows + 1) * window_rows); row < stop; ++row) {
            const int64_t d = row % window_rows / shape.windows[1], h = row % shape.windows[1];
            if (!expander.expand_row(reader, writer, block.count, d, h)) return false;
            const int64_t slices_end = min64((d + 1) * shape.stride[0], shape.cells[0]);
            if (h + 1 == shape.windows[1])
                for (int64_t z = d * shape.stride[0]; z < slices_end; ++z)
                    for (int64_t y = (h + 1) * shape.stride[1]; y < shape.cells[1]; ++y)
                        expander.write_zeros(writer, z, y);
            if (row + 1 == (row / window_rows + 1) * window_rows)
                for (int64_t z = slices_end; z < shape.cells[0]; ++z)
                    for (int64_t y = 0; y < shape.cells[1]; ++y) expander.write_zeros(writer, z, y);
        }
    }
    writer.finish();
    return true;
}

template <class T>
bool expand_as(const ScatterShape& shape, const ExpandShape& expand, const ScatterData& data, int64_t begin,
               int64_t end) {
    return shape.index_dtype == DType::int32 ? expand_rows<T, int32_t>(shape, expand, data, begin, end)
                                             : expand_rows<T, int64_t>(shape, expand, data, begin, end);
}

}  // namespace

bool scatter_expand(const ScatterShape& shape, const ExpandShape& expand, const ScatterData& data, int64_t begin,
                    int64_t end) {
    switch (shape.dtype) {
        case DType::float32: return expand_as<float>(shape, expand, data, begin, end);
        case DType::float16: return expand_as<Half>(shape, expand, data, begin, end);
        default: return expand_as<BFloat>(shape, expand, data, begin, end);
    }
}

}  // namespace acltwin::ACLTWIN_LEVEL
