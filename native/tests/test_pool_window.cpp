// How many windows a pooling has along one axis, absurd arguments included.
#include <limits>

#include "ops/pool.h"
#include "tests/expect.h"

using namespace acltwin;

int main() {
    const auto windows = [](int64_t size, int64_t kernel, int64_t stride, int64_t padding, int64_t dilation,
                            bool ceil) { return PoolAxis{kernel, stride, padding, dilation}.windows(size, ceil); };
    expect(windows(7, 2, 2, 0, 1, false) == 3 && windows(7, 2, 2, 0, 1, true) == 4, "ceil_mode takes the rest");
    expect(windows(4, 2, 2, 1, 1, true) == 3, "the last window may begin in the cells");
    expect(windows(5, 3, 3, 1, 1, true) == 2, "the last window may not begin in the right padding");
    expect(windows(5, 2, 1, 0, 3, false) == 2, "dilation widens a window");
    expect(windows(2, 3, 1, 0, 1, false) == 0 && windows(2, 3, 1, 0, 1, true) == 0, "no window fits");
    expect(windows(2, 3, 2, 0, 1, true) == 1, "ceil_mode admits a window that sticks out");
    expect(windows(0, 2, 2, 0, 1, false) == 0 && windows(0, 2, 2, 0, 1, true) == 0, "no cells, no windows");
    const PoolAxis sided = {3, 2, 0, 1, 2};
    expect(sided.windows(4, false) == 2 && sided.windows(4, true) == 2, "more padding behind adds windows, none there");
    const PoolAxis behind = {2, 2, 0, 1, 2};
    expect(behind.windows(4, false) == 3 && behind.windows(4, true) == 2, "only ceil mode drops a window of padding");
    constexpr int64_t kHuge = std::numeric_limits<int64_t>::max();
    expect(windows(kHuge, 1, 1, 0, 1, false) == kHuge, "the largest count");
    expect(windows(kHuge, kHuge, kHuge, kHuge / 2, kHuge, true) == 0, "nothing overflows");
}
