// Nested loops over memory, and the way through them from any step on: of all kernels the one odometer.
// Kernels of several levels share it, so nothing here may ever be emitted out of line.
#pragma once

#include <cstdint>

#include "kernels/dispatch.h"

namespace acltwin {

// The outermost loop first. Every operand has steps of its own, in elements or in bytes.
template <int kLoops, int kOperands>
struct Loops {
    int64_t extent[kLoops] = {};
    int64_t step[kOperands][kLoops] = {};
};

template <int kLoops, int kOperands>
class Walk {
    static constexpr int kInner = kLoops - 1;

public:
    // At step `number`, counted over all loops.
    ACLTWIN_INLINE Walk(const Loops<kLoops, kOperands>& loops, int64_t number) : loops_(loops) {
        for (int i = kInner; number > 0 && i >= 0; --i) {
            move(i, number % loops.extent[i]);
            number /= loops.extent[i];
        }
    }

    ACLTWIN_INLINE int64_t at(int loop) const { return at_[loop]; }
    ACLTWIN_INLINE int64_t offset(int operand) const { return offset_[operand]; }
    // Steps until the innermost loop ends.
    ACLTWIN_INLINE int64_t left() const { return loops_.extent[kInner] - at_[kInner]; }

    // n steps of the innermost loop, at most as many as are left; those outside go on when it ends. After the last step
    // of all, everything is at its beginning. A loop of one step never moves: its steps may be any numbers.
    ACLTWIN_INLINE void advance(int64_t n = 1) {
        if (at_[kInner] + n < loops_.extent[kInner]) return move(kInner, n);
        rewind(kInner);
        for (int i = kInner - 1; i >= 0; --i) {
            if (at_[i] + 1 < loops_.extent[i]) return move(i, 1);
            rewind(i);
        }
    }

private:
    ACLTWIN_INLINE void move(int loop, int64_t n) {
        at_[loop] += n;
        for (int o = 0; o < kOperands; ++o) offset_[o] += n * loops_.step[o][loop];
    }
    ACLTWIN_INLINE void rewind(int loop) {
        if (at_[loop] != 0) move(loop, -at_[loop]);
    }

    const Loops<kLoops, kOperands>& loops_;
    int64_t at_[kLoops] = {}, offset_[kOperands] = {};
};

}  // namespace acltwin
