#include "kernels/level/indices.h"
#include "kernels/level/scatter_copy_batch.h"
#include "kernels/scatter_copy_task.h"

namespace acltwin::ACLTWIN_LEVEL {
namespace {

// Some planes, which are zeroed together, ahead of where elements go.
template <class E>
class Planes {
    static constexpr int64_t kZeroAhead = 262144 / int64_t(sizeof(E));

public:
    Planes(const ScatterCopyPlanes& p, E* result, int64_t count)
        : result_(result), plane_(p.plane), pitch_(p.result_channel), count_(count) {}

    // One element for each plane. False if a cell is outside.
    template <class I>
    ACLTWIN_INLINE bool put(const E* values, const I* indices) {
        E* const result = result_;
        const int64_t pitch = pitch_;
        int64_t c = 0;
        while (true) {
            c += each_index<8>(indices + c, 1, count_ - c, 0, uint64_t(done_), [&](int64_t k, uint64_t cell) {
                result[(c + k) * pitch + int64_t(cell)] = values[c + k];
            });
            if (c == count_) return true;
            for (const int64_t end = min64(c + 8, count_); c < end; ++c) {
                const int64_t cell = read_once(indices + c);
                if (cell < 0 || cell >= plane_) return false;
                if (cell >= done_) zero(cell + 1);
                result[c * pitch + cell] = values[c];
            }
        }
    }

    // Up to `end`, and further.
    ACLTWIN_NOINLINE void zero(int64_t end) {
        end = min64(plane_, max64(end, done_ + kZeroAhead / count_));
        for (int64_t c = 0; c < count_; ++c) memset(result_ + c * pitch_ + done_, 0, size_t(end - done_) * sizeof(E));
        done_ = end;
    }

private:
    E* const result_;
    const int64_t plane_, pitch_, count_;
    int64_t done_ = 0;  // cells
};

}  // namespace

bool scatter_copy_planes(const ScatterCopyPlanes& p, const void* source, const void* indices, void* result, void*,
                         int64_t first, int64_t last) {
    return with_types(p, source, indices, result, [&](const auto* from, const auto* where, auto* to) {
        Walk<3, 3> block(p.blocks, first);
        for (; first < last; ++first, block.advance()) {
            Planes planes(p, to + block.offset(2), min64(p.grouped, p.channels - block.at(1) * p.grouped));
            Walk<4, 2> cell(p.cells, 0);
            for (int64_t i = 0; i < p.elements; ++i, cell.advance())
                if (!planes.put(from + block.offset(0) + cell.offset(0), where + block.offset(1) + cell.offset(1)))
                    return false;
            planes.zero(p.plane);
        }
        return true;
    });
}

}  // namespace acltwin::ACLTWIN_LEVEL
