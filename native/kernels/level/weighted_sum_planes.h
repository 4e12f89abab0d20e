// As many planes as fill a vector, side by side: they become the channels of one tensor, and that one is what is
// summed.
#pragma once

#include "kernels/level/transpose.h"
#include "kernels/weighted_sum_task.h"

namespace acltwin::ACLTWIN_LEVEL {

// The planes of a block, all of the same shape. The last block has fewer than lanes: the first one stands for the
// others.
template <class Element>
class PlaneBlock {
    typedef std::remove_const_t<Element> T;
    typedef typename Sum<T>::Scalar S;
    typedef typename Sum<T>::Vector V;
    static constexpr int kLanes = kLanesOf<T>;

public:
    PlaneBlock(const PlaneSide& side, Element* tensor, int64_t channels, int64_t first, int64_t count)
        : side_(side), count_(int(count)) {
        for (int i = 0; i < kLanes; ++i) {
            const int64_t plane = first + (i < count ? i : 0);
            plane_[i] = tensor + plane / channels * side.batch_step + plane % channels * side.channel_step;
        }
    }

    void pack(S* to) const {
        each_row([&](int64_t from, int64_t at) {
            S* const cells = to + at * kLanes;
            const int64_t n = side_.extent[2], step = side_.step[2], apart = side_.place[2] * kLanes;
            if (step == 1 && n >= kLanes)
                return each_square(n, [&](int64_t x) {
                    V square[kLanes];
                    for (int i = 0; i < kLanes; ++i) square[i] = load(plane_[i] + from + x);
                    transpose_lanes(square);
                    for (int i = 0; i < kLanes; ++i) store(cells + (x + i) * apart, square[i]);
                });
            for (int64_t x = 0; x < n; ++x)
                for (int i = 0; i < kLanes; ++i) cells[x * apart + i] = widen(plane_[i][from + x * step]);
        });
    }

    void unpack(const S* sums) const {
        each_row([&](int64_t to, int64_t at) {
            const S* const cells = sums + at * kLanes;
            const int64_t n = side_.extent[2], step = side_.step[2], apart = side_.place[2] * kLanes;
            if (step != 1) {
                for (int64_t x = 0; x < n; ++x)
                    for (int i = 0; i < count_; ++i) plane_[i][to + x * step] = narrow<T>(cells[x * apart + i]);
                return;
            }
            const auto square_at = [&](int64_t x, int64_t filled, const auto& put) {
                V square[kLanes];
                for (int i = 0; i < kLanes; ++i) square[i] = i < filled ? load(cells + (x + i) * apart) : V{};
                transpose_lanes(square);
                for (int i = 0; i < count_; ++i) put(plane_[i] + to + x, square[i]);
            };
            if (n < kLanes) return square_at(0, n, [&](T* p, V v) { store_partial(p, v, n); });
            each_square(n, [&](int64_t x) { square_at(x, kLanes, [](T* p, V v) { store_sums(p, v); }); });
        });
    }

private:
    template <class Body>
    ACLTWIN_INLINE void each_row(const Body& body) const {
        for (int64_t a = 0; a < side_.extent[0]; ++a)
            for (int64_t b = 0; b < side_.extent[1]; ++b)
                body(a * side_.step[0] + b * side_.step[1], a * side_.place[0] + b * side_.place[1]);
    }
    // The last square starts further left instead of being narrower.
    template <class Body>
    static ACLTWIN_INLINE void each_square(int64_t n, const Body& body) {
        for (int64_t x = 0; x < n; x += kLanes) body(min64(x, n - kLanes));
    }

    const PlaneSide& side_;
    const int count_;
    Element* plane_[kLanes];
};

}  // namespace acltwin::ACLTWIN_LEVEL
