#include "ops/scale.h"

#include <algorithm>
#include <cmath>

#include "ops/axes.h"
#include "ops/source_table.h"

namespace acltwin::scale {

namespace {

const double* end_of_scales(const Call& call) { return call.scales + call.op->scales; }

Failure infinite(const Call& call, int axis) {
    return refuse("{", call.op->scale[axis].name,
                  "} is inf, expected a finite factor, or 0 for none; pass 0 to use the sizes alone");
}

}  // namespace

Failure scales_negative(const Call& call) {
    for (int i = 0; i < call.op->scales; ++i)
        if (call.scales[i] < 0)
            return refuse("{", call.op->scale[i].name, "} is ", call.scales[i],
                          ", expected the forward pass's factor, or 0 for none; pass 0 to use the sizes alone");
    return {};
}

Failure scales_infinite(const Call& call) {
    for (int i = 0; i < call.op->scales; ++i)
        if (std::isinf(call.scales[i])) return infinite(call, i);
    return {};
}

bool all_given(const Call& call) { return std::all_of(call.scales, end_of_scales(call), scale_given); }

Failure factor_too_large(const Call& call, int axis, double out, double in) {
    const double scale = call.scales[axis];
    const std::string scale_text = std::string("{") + call.op->scale[axis].name + "} = ";
    const std::string reason = scale > 0
                                   ? sentence(scale_text, scale)
                                   : sentence(out, " / ", in, " cells; ", scale_text, scale, " counts as not given");
    return refuse(axis_name(*call.op, axis), " is enlarged ", scale > 0 ? scale : out / in, " times (", reason,
                  "), expected at most 50 times; use a smaller factor");
}

Failure output_size_scale(const Call& call, const int64_t in[]) {
    if (!std::all_of(call.scales, end_of_scales(call), [](double scale) { return scale > 0; })) return {};
    const IntArray& output_size = *call.arrays[0];
    for (int i = 0; i < call.op->scales; ++i) {
        const double size = double(in[i]), scale = call.scales[i], out = double(output_size.values[i]);
        const double least = std::floor(size * (scale - 1e-5)), most = std::floor(size * (scale + 1e-5));
        if (least <= out && out <= most) continue;
        if (std::isinf(scale)) return infinite(call, i);  // no size would do
        return refuse("{outputSize} is ", text_of(output_size), ", but ", axis_name(*call.op, i), " = ", in[i],
                      " times {", call.op->scale[i].name, "} = ", scale, " is ", most, ", expected ", most,
                      " on that axis; correct one of them, or pass all scales as 0 to use the sizes alone");
    }
    return {};
}

}  // namespace acltwin::scale
