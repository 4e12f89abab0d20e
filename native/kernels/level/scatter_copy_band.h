// The part of a dense result that is being formed: what lies before it is finished, what lies behind it is not begun.
#pragma once

#include "kernels/level/simd.h"
#include "kernels/scatter_copy_task.h"

namespace acltwin::ACLTWIN_LEVEL {

// Elements are counted from a place that is aligned to a cache line. Without a ring the result is zeroed before it is
// needed, as much as the second-level cache holds. With a ring it is formed there, and leaves line by line around the
// cache.
template <class E>
class Band {
    static constexpr int64_t kLine = int64_t(64 / sizeof(E));
    static constexpr int64_t kZeroAhead = 262144 / int64_t(sizeof(E));

public:
    Band(void* ring, int64_t ring_elements)
        : ring_(static_cast<E*>(ring)), capacity_(ring_elements), mask_(ring_elements > 0 ? ring_elements - 1 : -1) {
        if (ring_elements > 0) memset(ring, 0, size_t(ring_elements) * sizeof(E));
    }

    // The elements [first, end) of the result are to be written.
    void open(E* result, int64_t first, int64_t end) {
        origin_ = int64_t(reinterpret_cast<uintptr_t>(result) % 64 / sizeof(E));
        result_ = result - origin_;
        if (capacity_ == 0) ring_ = result_;
        first_ = done_ = first + origin_;
        end_ = end + origin_;
        if (capacity_ == 0 && first < end) reach(first_ + 1);
    }

    int64_t origin() const { return origin_; }  // the number of the result's element 0

    // The elements that can be written at once, each at its place.
    int64_t open_begin() const { return capacity_ > 0 ? done_ : first_; }
    int64_t open_end() const { return capacity_ > 0 ? min64(end_, done_ / kLine * kLine + capacity_) : done_; }
    E* place(int64_t at) const { return ring_ + (at & mask_); }
    int64_t mask() const { return mask_; }

    // Makes room for the elements up to `end`, and for some more; false if there was room.
    bool reach(int64_t end) {
        if (end <= open_end()) return false;
        if (capacity_ > 0) {
            flush(min64(end_, (end - capacity_ + capacity_ / 16 + kLine - 1) / kLine * kLine));
        } else {
            const int64_t zeroed = min64(end_, max64(end, done_ + kZeroAhead));
            memset(result_ + done_, 0, size_t(zeroed - done_) * sizeof(E));
            done_ = zeroed;
        }
        return true;
    }

    // The place of any element that has been reached: with a ring it may be in memory already, and must settle there.
    ACLTWIN_INLINE E* any_place(int64_t at) const { return at >= open_begin() ? place(at) : result_ + at; }
    void settle() {
        if (unsettled_) non_temporal_fence();
        unsettled_ = false;
    }

    void close() {
        if (capacity_ > 0)
            flush(end_);
        else
            reach(end_);
    }

private:
    void flush(int64_t end) {
        const int64_t head = min64(end, (done_ + kLine - 1) / kLine * kLine);
        copy(head);
        unsettled_ |= done_ + kLine <= end;
        for (; done_ + kLine <= end; done_ += kLine) {
            E* const line = ring_ + (done_ & mask_);
            copy_line_non_temporal(result_ + done_, line);
            for (int i = 0; i < 64 / int(sizeof(Word)); ++i) {
                const Word zero = {};
                memcpy(line + i * int64_t(sizeof(Word) / sizeof(E)), &zero, sizeof zero);
            }
        }
        copy(end);
    }

    void copy(int64_t end) {
        for (; done_ < end; ++done_) {
            result_[done_] = ring_[done_ & mask_];
            ring_[done_ & mask_] = 0;
        }
    }

    E *ring_, *result_ = nullptr;
    int64_t capacity_, mask_;
    int64_t origin_ = 0, first_ = 0, done_ = 0, end_ = 0;
    bool unsettled_ = false;  // non-temporal lines are on their way
};

}  // namespace acltwin::ACLTWIN_LEVEL
