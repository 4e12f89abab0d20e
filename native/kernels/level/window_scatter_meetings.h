// Gradients of 16 bits that hardly ever meet are stored straight into zeros. Two that meet are added in float32 and
// rounded, as if there had been a sum; of more, a list keeps the sum.
#pragma once

#include "kernels/level/simd.h"
#include "kernels/window_scatter_task.h"

namespace acltwin::ACLTWIN_LEVEL {

template <class T>
constexpr uint16_t kInfinity = 0x7f80;
template <>
constexpr uint16_t kInfinity<Half> = 0x7c00;

// Cells where gradients have met. A sum that became 0 is forgotten: its cell looks as if nothing was there, and the
// next gradient is stored.
template <class T>
class Meetings {
public:
    // No gradient will come for a cell before this one.
    void forget_before(const T* cell) { first_ = cell; }

    // A gradient for a cell that has one. False if too many have met, or a sum is a NaN: which one it would be follows
    // from the order of its terms.
    ACLTWIN_NOINLINE bool add(T* cell, T gradient) {
        if (!begun_) memset(meetings_, 0, sizeof meetings_);
        begun_ = true;
        Meeting *found = nullptr, *free = nullptr;
        const uint64_t hash = uint64_t(reinterpret_cast<uintptr_t>(cell)) * 0x9e3779b97f4a7c15 >> 32;
        for (uint64_t i = 0; i < kProbes; ++i) {
            Meeting& meeting = meetings_[(hash + i) % kMostMeetings];
            if (meeting.cell == cell) found = &meeting;
            if (meeting.cell == nullptr || meeting.cell < first_) free = &meeting;
        }
        const bool known = found != nullptr && narrow<T>(found->sum).bits == cell->bits;
        if (found == nullptr) found = free;
        if (found == nullptr) return false;
        *found = {cell, (known ? found->sum : widen(*cell)) + widen(gradient) + 0.0f};
        *cell = narrow<T>(found->sum);
        return found->sum == found->sum;
    }

private:
    struct Meeting {
        T* cell;
        float sum;
    };

    static constexpr uint64_t kProbes = 8;
    bool begun_ = false;
    const T* first_ = nullptr;
    Meeting meetings_[kMostMeetings];
};

}  // namespace acltwin::ACLTWIN_LEVEL
