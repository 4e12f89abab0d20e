#include "ops/pool_window.h"

#include <algorithm>
#include <limits>

namespace acltwin {

int64_t PoolAxis::windows(int64_t size, bool ceil_mode) const {
    using Wide = __int128;  // the values come from outside: any product of two of them must fit
    const Wide room = Wide(size) + 2 * Wide(padding) + more_behind - Wide(dilation) * (Wide(kernel) - 1) - 1;
    if (room < 0 && (!ceil_mode || room <= -Wide(stride))) return 0;
    // From here room / stride rounds towards 0, which is up for a negative room, and that is what ceil_mode wants.
    Wide count = (ceil_mode && room > 0 ? (room + stride - 1) / stride : room / stride) + 1;
    // A window must begin inside the cells or their left padding.
    if ((count - 1) * stride >= Wide(size) + padding) --count;
    return int64_t(std::min<Wide>(count, std::numeric_limits<int64_t>::max()));
}

PoolAxis pool_axis(const IntArray& kernel, const IntArray& stride, const IntArray& padding, const IntArray& dilation,
                   int axis) {
    return {value_on_axis(kernel, axis), value_on_axis(stride.size == 0 ? kernel : stride, axis),
            value_on_axis(padding, axis), value_on_axis(dilation, axis, 1)};
}

}  // namespace acltwin
