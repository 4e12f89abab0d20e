// Gradients of 16 bits that hardly ever meet, in planes without gaps: stored straight into zeros.
#include "kernels/level/indices.h"
#include "kernels/level/types.h"
#include "kernels/level/window_scatter_places.h"

namespace acltwin::ACLTWIN_LEVEL {
namespace {

template <class T, class I, class Offsets>
class DirectScatter {
public:
    DirectScatter(const ScatterShape& shape, const ScatterData& data, Offsets offsets)
        : shape_(shape), result_(static_cast<T*>(data.result)), offsets_(offsets), reader_(shape, data) {
        reach_.first = reach_.place = reach_.shift = 0;
        reach_.slices = reach_.pitch = 1;
        reach_.rows = reach_.slice = uint32_t(shape.plane);
        reach_.ring = 1u << 31;  // never
    }

    bool run(int64_t number) {
        const PlaneBlock block = plane_block(shape_, number);
        const int64_t pitch = shape_.result_strides[1];
        T* const cells = result_ + block.outer * shape_.result_strides[0] + block.inner * pitch;
        meetings_.forget_before(cells);
        reader_.open(block);
        for (int64_t plane = 0; plane < block.count; ++plane)
            memset(cells + plane * pitch, 0, size_t(shape_.plane) * sizeof(T));
        const auto store_run = [&](int64_t n) {
            for (int64_t plane = 0; plane < block.count; ++plane)
                if (!store(reader_.indices(plane), reader_.values(plane), n, cells + plane * pitch)) return false;
            return true;
        };
        for (int64_t d = 0; d < shape_.windows[0]; ++d)
            if (!reader_.each_run(d, reader_.in_place() ? INT64_MAX : kScatterChunk, store_run)) return false;
        return true;
    }

private:
    ACLTWIN_INLINE bool store(const I* indices, const T* values, int64_t n, T* cells) {
        for (int64_t at = 0, piece; at < n; at += piece) {
            piece = min64(n - at, kPiece);
            const auto put = [&](int64_t i, uint64_t cell) { places_[i] = uint32_t(cell); };
            if (piece < kLanes ? each_index<1>(indices + at, 1, piece, 0, uint64_t(shape_.plane), put) < piece
                               : !find_piece(Places::cells, reach_, indices + at, 0, channel_, piece, places_))
                return false;
            if (!std::is_same_v<Offsets, CellOffsets<0>>)
                for (int64_t i = 0; i < piece; ++i) places_[i] = uint32_t(offsets_(places_[i]));
            if (!store_values(places_, values + at, piece, cells, meetings_)) return false;
        }
        return true;
    }

    const ScatterShape& shape_;
    T* const result_;
    const Offsets offsets_;
    RowReader<T, I> reader_;
    Reach reach_ = {};
    Meetings<T> meetings_;
    alignas(64) uint32_t channel_[kPiece] = {}, places_[kPiece];
};

}  // namespace

bool scatter_direct(const ScatterShape& shape, const ScatterData& data, int64_t begin, int64_t end) {
    return with_index_type(shape.index_dtype, [&](auto index) {
        return with_cell_offsets(shape.places, shape.plane, [&](auto offsets) {
            const auto run_all = [&](auto element) {
                DirectScatter<decltype(element), decltype(index), decltype(offsets)> scatter(shape, data, offsets);
                for (int64_t block = begin; block < end; ++block)
                    if (!scatter.run(block)) return false;
                return true;
            };
            return shape.dtype == DType::float16 ? run_all(Half()) : run_all(BFloat());
        });
    });
}

}  // namespace acltwin::ACLTWIN_LEVEL
