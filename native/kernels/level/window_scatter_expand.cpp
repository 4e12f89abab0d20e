// Windows that touch but do not overlap: every cell belongs to one window and is written once, without zeroing and
// without reading back. Gradients and indices are spread to the width of the result; a cell takes its gradient if the
// index is its own. As many takers as windows prove that every index lies in its window.
#include "kernels/level/window_scatter_result.h"

namespace acltwin::ACLTWIN_LEVEL {
namespace {

// What adding a gradient to +0 and rounding gives, on the bits: -0 becomes +0, a signalling NaN quiet.
ACLTWIN_INLINE Word load_sums(const float* p) { return bit_cast<Word>(load(p) + 0.0f); }
ACLTWIN_INLINE Word as_sums(Word bits, uint32_t infinity, uint32_t quiet) {
    const Word magnitude = bits & 0x7fffu;
    const Word sums = bits | (bit_cast<Word>(magnitude > infinity) & quiet);
    return sums & bit_cast<Word>(magnitude != 0);
}
ACLTWIN_INLINE Word load_sums(const uint16_t* p, uint32_t infinity, uint32_t quiet) {
    Short bits;
    memcpy(&bits, p, sizeof bits);
    return as_sums(__builtin_convertvector(bits, Word), infinity, quiet);
}
ACLTWIN_INLINE Word load_sums(const Half* p) { return load_sums(&p->bits, 0x7c00, 0x200); }
ACLTWIN_INLINE Word load_sums(const BFloat* p) { return load_sums(&p->bits, 0x7f80, 0x40); }

// Of n windows only; the other lanes are zero.
template <class T>
ACLTWIN_INLINE Word load_sums(const T* p, int64_t n) {
    T lanes[kLanes] = {};
    memcpy(lanes, p, size_t(n) * sizeof(T));
    return load_sums(lanes);
}

// ---- how cells are put together from 32-bit lanes ----

struct Cells32 {
    typedef Word Vector;
    static constexpr int kWords = 1;  // vectors of 32-bit lanes in it
    static ACLTWIN_INLINE Vector of_numbers(const Word* words) { return words[0]; }
    static ACLTWIN_INLINE Vector of_masks(const Word* words) { return words[0]; }
    static ACLTWIN_INLINE Word counts(Vector v) { return v; }
    static int cell(int, int lane) { return lane; }
};

// In every 16 bytes the first four cells come from the first vector: that is what the instructions do.
struct Cells16 {
    typedef uint16_t Vector __attribute__((vector_size(kLanes * 4)));
    static constexpr int kWords = 2;
    static int cell(int word, int lane) { return lane / 4 * 8 + word * 4 + lane % 4; }
    static ACLTWIN_INLINE Word counts(Vector v) {
        const Word pairs = bit_cast<Word>(v);
        return (pairs & 0xffffu) + (pairs >> 16);
    }
#if defined(__AVX512BW__) && !defined(ACLTWIN_LANES)
    static ACLTWIN_INLINE Vector of_numbers(const Word* words) {
        return bit_cast<Vector>(_mm512_packus_epi32(bit_cast<__m512i>(words[0]), bit_cast<__m512i>(words[1])));
    }
    static ACLTWIN_INLINE Vector of_masks(const Word* words) {
        return bit_cast<Vector>(_mm512_packs_epi32(bit_cast<__m512i>(words[0]), bit_cast<__m512i>(words[1])));
    }
#elif defined(__AVX2__) && !defined(ACLTWIN_LANES)
    static ACLTWIN_INLINE Vector of_numbers(const Word* words) {
        return bit_cast<Vector>(_mm256_packus_epi32(bit_cast<__m256i>(words[0]), bit_cast<__m256i>(words[1])));
    }
    static ACLTWIN_INLINE Vector of_masks(const Word* words) {
        return bit_cast<Vector>(_mm256_packs_epi32(bit_cast<__m256i>(words[0]), bit_cast<__m256i>(words[1])));
    }
#elif defined(__SSE4_1__) && !defined(ACLTWIN_LANES)
    static ACLTWIN_INLINE Vector of_numbers(const Word* words) {
        return bit_cast<Vector>(_mm_packus_epi32(bit_cast<__m128i>(words[0]), bit_cast<__m128i>(words[1])));
    }
    static ACLTWIN_INLINE Vector of_masks(const Word* words) {
        return bit_cast<Vector>(_mm_packs_epi32(bit_cast<__m128i>(words[0]), bit_cast<__m128i>(words[1])));
    }
#else
    static ACLTWIN_INLINE Vector of_numbers(const Word* words) {
        Vector packed;
        for (int word = 0; word < 2; ++word)
            for (int lane = 0; lane < kLanes; ++lane) packed[cell(word, lane)] = uint16_t(words[word][lane]);
        return packed;
    }
    static ACLTWIN_INLINE Vector of_masks(const Word* words) { return of_numbers(words); }
#endif
};

// For windows of odd width: a pair of vectors would belong to two vectors of windows.
struct HalfCells16 {
    typedef Short Vector;
    static constexpr int kWords = 1;
    static ACLTWIN_INLINE Vector of_numbers(const Word* words) { return __builtin_convertvector(words[0], Short); }
    static ACLTWIN_INLINE Vector of_masks(const Word* words) { return of_numbers(words); }
    static ACLTWIN_INLINE Word counts(Vector v) { return __builtin_convertvector(v, Word); }
    static int cell(int, int lane) { return lane; }
};

constexpr uint32_t kNoCell = 0x80000000u;  // larger than all offsets inside a plane, even after along_w is taken off

// Rows of cells that a row of windows reaches.
template <class T>
struct Targets {
    struct Row {
        Word offset;  // of its first cell from that of the window
        T* place;
    };
    Row rows[kExpandRows];
    int count = 0;
};

// A vector of windows becomes `width` vectors of 32-bit lanes: per lane the window it belongs to and its place along W.
template <class Cells>
struct Pattern {
    int64_t width;
    Word window[kExpandWidth], along_w[kExpandWidth];

    explicit Pattern(int64_t width_) : width(width_) {
        for (int64_t v = 0; v < width; ++v)
            for (int lane = 0; lane < kLanes; ++lane) {
                const int64_t first = v / Cells::kWords * Cells::kWords * kLanes;
                const int64_t cell = first + Cells::cell(int(v % Cells::kWords), lane);
                window[v][lane] = uint32_t(cell / width);
                along_w[v][lane] = uint32_t(cell % width);
            }
    }
};

template <class Cells, class T, class I>
class RowExpander {
    typedef typename Cells::Vector Vector;

public:
    explicit RowExpander(int64_t width) : pattern_(width) {}

    void begin_count() {
        takers_ = Word{};
        seen_ = Long{};
    }
    // All of `windows` indices were in their windows.
    bool end_count(int64_t windows) const {
        int64_t takers = 0;
        for (int lane = 0; lane < kLanes; ++lane) takers += takers_[lane];
        return takers == windows && fits_32_bits(seen_);
    }

    // n windows, the first cell of the first one is `origin`; writes at least `cells` cells from place + shift on.
    template <bool kBypass>
    void expand(const T* gradients, const I* indices, int64_t n, uint32_t origin, int64_t cells,
                const Targets<T>& targets, int64_t shift) {
        const uint32_t step = uint32_t(kLanes * pattern_.width);
        Word lane_number;
        for (int lane = 0; lane < kLanes; ++lane) lane_number[lane] = uint32_t(lane);
        Word origins = lane_number * uint32_t(pattern_.width) + origin;
        Vector takers = {};
        Long seen = seen_;
        for (int64_t i = 0, at = 0; at < cells; i += kLanes, at += step, origins += step) {
            Word offsets, values;
            if (i + kLanes <= n) {
                offsets = load_indices(indices + i, seen) - origins;
                values = load_sums(gradients + i);
            } else {
                const int64_t rest = max64(0, n - i);
                const Word inside = bit_cast<Word>(lane_number < uint32_t(rest));
                offsets = load_indices_partial(indices + i, rest, seen) - origins;
                offsets = (inside & offsets) | (~inside & kNoCell);
                values = load_sums(gradients + i, rest);
            }
            int64_t v = 0, to = shift + at;
            for (; v + 2 * Cells::kWords <= pattern_.width; v += 2 * Cells::kWords, to += 2 * kVectorCells)
                fill<kBypass, 2>(offsets, values, v, targets, to, takers);
            if (v < pattern_.width) fill<kBypass, 1>(offsets, values, v, targets, to, takers);
        }
        takers_ += Cells::counts(takers);
        seen_ = seen;
    }

private:
    static constexpr int64_t kVectorCells = sizeof(Vector) / sizeof(T);

    template <bool kBypass, int kVectors>
    ACLTWIN_INLINE void fill(Word window_offsets, Word window_values, int64_t v, const Targets<T>& targets, int64_t to,
                             Vector& takers) const {
        constexpr int kWords = kVectors * Cells::kWords;
        Word offsets[kWords], numbers[kWords];
        for (int word = 0; word < kWords; ++word) {
            offsets[word] = __builtin_shuffle(window_offsets, pattern_.window[v + word]) - pattern_.along_w[v + word];
            numbers[word] = __builtin_shuffle(window_values, pattern_.window[v + word]);
        }
        Vector values[kVectors];
        for (int i = 0; i < kVectors; ++i) values[i] = Cells::of_numbers(numbers + i * Cells::kWords);
        for (int row = 0; row < targets.count; ++row) {
            const Word offset = targets.rows[row].offset;
            T* const place = targets.rows[row].place + to;
            for (int i = 0; i < kVectors; ++i) {
                Word masks[Cells::kWords];
                for (int word = 0; word < Cells::kWords; ++word)
                    masks[word] = bit_cast<Word>(offsets[i * Cells::kWords + word] == offset);
                const Vector taken = Cells::of_masks(masks);
                takers -= taken;
                put<kBypass>(place + i * kVectorCells, values[i] & taken);
            }
        }
    }

    template <bool kBypass>
    ACLTWIN_INLINE static void put(T* place, Vector cells) {
        if constexpr (kBypass)
            stream_vector(place, cells);
        else
            memcpy(place, &cells, sizeof cells);
    }

    const Pattern<Cells> pattern_;
    Word takers_ = {};
    Long seen_ = {};
};

template <class Cells, class T, class I>
class Expander {
public:
    Expander(const ScatterShape& shape, const ExpandShape& expand, const ScatterData& data)
        : shape_(shape),
          expand_(expand),
          size_(shape.stride),
          reader_(shape, data),
          writer_(shape, data),
          row_expander_(shape.stride[2]) {
        staged_ = reinterpret_cast<T*>(static_cast<char*>(data.scratch) + kScatterRowBytes * shape.lanes_together);
        straight_ = vectors_fit(data.result);
        last_sticks_out_ = shape.windows[2] * size_[2] > shape.cells[2];
    }

    bool run(int64_t begin, int64_t end) {
        const int64_t rows = shape_.windows[1], window_rows = shape_.windows[0] * rows;
        for (int64_t row = begin; row < end;) {
            block_ = lane_block(shape_, row / window_rows);
            reader_.open(block_);
            writer_.open(block_);
            const int64_t h = row % rows, h_end = min64(rows, h + end - row);
            if (!expand_slice(row % window_rows / rows, h, h_end)) return false;
            row += h_end - h;
        }
        writer_.finish();
        if (shape_.bypass_cache) stream_fence();
        return true;
    }

private:
    // Vectors may go straight to the result if every row consists of whole ones.
    bool vectors_fit(const void* result) const {
        const int64_t* strides = shape_.result_strides;
        bool fit = strides[4] == 1 && shape_.lanes_together == 1 && shape_.windows[2] % kLanes == 0 &&
                   shape_.windows[2] * size_[2] == shape_.cells[2];
        if (!shape_.bypass_cache) return fit;
        constexpr int64_t kAlignment = sizeof(typename Cells::Vector);
        for (int axis = 0; axis < 4; ++axis) fit = fit && strides[axis] * int64_t(sizeof(T)) % kAlignment == 0;
        return fit && reinterpret_cast<uintptr_t>(result) % uintptr_t(kAlignment) == 0;
    }

    int64_t slices_at(int64_t d) const { return min64(size_[0], shape_.cells[0] - d * size_[0]); }
    int64_t rows_at(int64_t h) const { return min64(size_[1], shape_.cells[1] - h * size_[1]); }
    int64_t cells_from(int64_t w, int64_t n) const {  // the last windows also answer for what is left of the row
        return (w + n == shape_.windows[2] ? shape_.cells[2] : (w + n) * size_[2]) - w * size_[2];
    }

    // The rows [h, h_end) of the windows' slice d.
    bool expand_slice(int64_t d, int64_t h, int64_t h_end) {
        const int64_t windows = (h_end - h) * shape_.windows[2] * block_.count;
        row_expander_.begin_count();
        aim(d, rows_at(h));
        for (; h < h_end; ++h) {
            if (h + 1 == shape_.windows[1]) aim(d, rows_at(h));
            for (int64_t w = 0; w < shape_.windows[2]; w += expand_.chunk)
                if (!expand_chunk(d, h, w, min64(expand_.chunk, shape_.windows[2] - w))) return false;
        }
        if (!row_expander_.end_count(windows)) return false;
        if (h_end == shape_.windows[1]) write_zeros_after(d);
        return true;
    }

    void aim(int64_t d, int64_t rows) {
        targets_.count = 0;
        for (int64_t zd = 0; zd < slices_at(d); ++zd)
            for (int64_t zh = 0; zh < rows; ++zh) {
                auto& target = targets_.rows[targets_.count++];
                target.offset = Word{} + uint32_t((zd * shape_.cells[1] + zh) * shape_.cells[2]);
                target.place = straight_ ? writer_.place(d * size_[0] + zd, zh, 0) : staged_row(0, zd * size_[1] + zh);
            }
    }

    bool expand_chunk(int64_t d, int64_t h, int64_t w, int64_t n) {
        const int64_t first_row = d * size_[0] * shape_.cells[1] + h * size_[1], cells = cells_from(w, n);
        const uint32_t origin = uint32_t(first_row * shape_.cells[2] + w * size_[2]);
        reader_.read_raw(d, h, w, n);
        for (int64_t lane = 0; lane < block_.count; ++lane) {
            const T* gradients = reader_.raw(lane);
            const I* indices = reader_.indices(lane);
            const int64_t shift =
                straight_ ? h * size_[1] * shape_.result_strides[3] + w * size_[2] : staged_row(lane, 0) - staged_;
            if (straight_ && shape_.bypass_cache)
                row_expander_.template expand<true>(gradients, indices, n, origin, cells, targets_, shift);
            else
                row_expander_.template expand<false>(gradients, indices, n, origin, cells, targets_, shift);
            if (last_sticks_out_ && w + n == shape_.windows[2] &&
                takes_next_row(uint64_t(int64_t(indices[n - 1])) - (origin + uint64_t(n - 1) * uint64_t(size_[2]))))
                return false;
        }
        if (!straight_) write_staged(d, h, w, cells);
        return true;
    }

    // In ceil mode the last window may reach beyond the row, where the cells would be those of the next row.
    bool takes_next_row(uint64_t offset) const {
        const uint64_t size = uint64_t(size_[2]), missing = uint64_t(shape_.windows[2] * size_[2] - shape_.cells[2]);
        for (int row = 0; row < targets_.count; ++row)
            if (offset - targets_.rows[row].offset[0] - (size - missing) < missing) return true;
        return false;
    }

    T* staged_row(int64_t lane, int64_t row) const {
        return staged_ + (lane * size_[0] * size_[1] + row) * expand_.pitch;
    }

    void write_staged(int64_t d, int64_t h, int64_t w, int64_t cells) {
        for (int64_t zd = 0; zd < slices_at(d); ++zd)
            for (int64_t zh = 0; zh < rows_at(h); ++zh)
                writer_.write(d * size_[0] + zd, h * size_[1] + zh, w * size_[2], cells,
                              [&](int64_t lane, int64_t at, int64_t m, T* place) {
                                  memcpy(place, staged_row(lane, zd * size_[1] + zh) + at, size_t(m) * sizeof(T));
                              });
    }

    // Rows and slices beyond the last windows.
    void write_zeros_after(int64_t d) {
        const int64_t slices_end = d * size_[0] + slices_at(d);
        for (int64_t slice = d * size_[0]; slice < slices_end; ++slice)
            write_zeros(slice, shape_.windows[1] * size_[1]);
        if (d + 1 < shape_.windows[0]) return;
        for (int64_t slice = slices_end; slice < shape_.cells[0]; ++slice) write_zeros(slice, 0);
    }
    void write_zeros(int64_t slice, int64_t row) {
        for (; row < shape_.cells[1]; ++row)
            writer_.write(slice, row, 0, shape_.cells[2],
                          [](int64_t, int64_t, int64_t m, T* place) { memset(place, 0, size_t(m) * sizeof(T)); });
    }

    const ScatterShape& shape_;
    const ExpandShape& expand_;
    const int64_t* const size_;  // of a window
    RowReader<T, I> reader_;
    ResultWriter<T> writer_;
    RowExpander<Cells, T, I> row_expander_;
    LaneBlock block_ = {};
    bool straight_, last_sticks_out_;
    T* staged_;  // expanded rows on their way, unless they go straight to the result
    Targets<T> targets_;
};

template <class Cells, class T>
bool expand_with(const ScatterShape& shape, const ExpandShape& expand, const ScatterData& data, int64_t begin,
                 int64_t end) {
    return shape.index_dtype == DType::int32 ? Expander<Cells, T, int32_t>(shape, expand, data).run(begin, end)
                                             : Expander<Cells, T, int64_t>(shape, expand, data).run(begin, end);
}

template <class T>
bool expand_as(const ScatterShape& shape, const ExpandShape& expand, const ScatterData& data, int64_t begin,
               int64_t end) {
    if constexpr (sizeof(T) == 4)
        return expand_with<Cells32, T>(shape, expand, data, begin, end);
    else if (shape.stride[2] % 2 == 0)
        return expand_with<Cells16, T>(shape, expand, data, begin, end);
    else
        return expand_with<HalfCells16, T>(shape, expand, data, begin, end);
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
