// Gradients of 16 bits that hardly ever meet: stored straight into zeros. Two that meet are added in float32 and
// rounded, as if there had been a sum; of more, a list keeps the sum.
#include "kernels/level/indices.h"
#include "kernels/level/types.h"
#include "kernels/level/window_scatter_rows.h"

namespace acltwin::ACLTWIN_LEVEL {
namespace {

// Cells where gradients have met. A sum that became 0 is forgotten: its cell looks as if nothing was there, and the
// next gradient is stored.
template <class T>
class Meetings {
public:
    // False if there are too many, or a NaN: which one it would be follows from the order of a sum.
    ACLTWIN_NOINLINE bool add(T* cell, T gradient) {
        int at = 0;
        while (at < count_ && cell_[at] != cell) ++at;
        if (at == kMost) return false;
        const bool known = at < count_ && narrow<T>(sum_[at]).bits == cell->bits;
        if (at == count_) cell_[count_++] = cell;
        sum_[at] = (known ? sum_[at] : widen(*cell)) + widen(gradient) + 0.0f;
        *cell = narrow<T>(sum_[at]);
        return sum_[at] == sum_[at];
    }

private:
    static constexpr int kMost = 64;
    int count_ = 0;
    T* cell_[kMost];
    float sum_[kMost];
};

template <class T>
constexpr uint16_t kInfinity = 0x7f80;
template <>
constexpr uint16_t kInfinity<Half> = 0x7c00;

template <class T, class I>
ACLTWIN_NOINLINE bool store_row(const I* indices, const T* values, int64_t n, int64_t plane, T* cells,
                                Meetings<T>& meetings) {
    bool good = true;
    const int64_t done = each_index<8>(indices, 1, n, 0, uint64_t(plane), [&](int64_t i, uint64_t cell) {
        const uint16_t bits = values[i].bits, magnitude = bits & 0x7fff;
        if (__builtin_expect(cells[cell].bits != 0 || magnitude > kInfinity<T>, false))
            good = good && magnitude <= kInfinity<T> && meetings.add(cells + cell, values[i]);
        else
            cells[cell].bits = magnitude == 0 ? 0 : bits;
    });
    return good && done == n;
}

template <class T, class I>
bool store_block(const ScatterShape& shape, int64_t number, const ScatterData& data) {
    RowReader<T, I> reader(shape, data);
    const PlaneBlock block = plane_block(shape, number);
    reader.open(block);
    T* const result =
        static_cast<T*>(data.result) + block.outer * shape.result_strides[0] + block.inner * shape.result_strides[1];
    Meetings<T> meetings;
    for (int64_t plane = 0; plane < block.count; ++plane)
        memset(result + plane * shape.result_strides[1], 0, size_t(shape.plane) * sizeof(T));
    const int64_t windows = shape.windows[2], most = reader.in_place() ? windows : kScatterChunk;
    for (int64_t d = 0; d < shape.windows[0]; ++d)
        for (int64_t h = 0; h < shape.windows[1]; ++h)
            for (int64_t w = 0; w < windows; w += most) {
                const int64_t n = min64(most, windows - w);
                reader.read(d, h, w, n);
                for (int64_t plane = 0; plane < block.count; ++plane)
                    if (!store_row(reader.indices(plane), reader.values(plane), n, shape.plane,
                                   result + plane * shape.result_strides[1], meetings))
                        return false;
            }
    return true;
}

}  // namespace

bool scatter_direct(const ScatterShape& shape, const ScatterData& data, int64_t block) {
    return with_index_type(shape.index_dtype, [&](auto index) {
        typedef decltype(index) I;
        return shape.dtype == DType::float16 ? store_block<Half, I>(shape, block, data)
                                             : store_block<BFloat, I>(shape, block, data);
    });
}

}  // namespace acltwin::ACLTWIN_LEVEL
