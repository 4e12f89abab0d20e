#include "ops/scale.h"

#include <cmath>

#include "ops/axes.h"
#include "ops/source_table.h"

namespace acltwin::scale {

namespace {

const char* name_of_scale(const Call& call, int axis) { return call.op->scalar[call.op->first_scale + axis].name; }

template <class Predicate>
bool all_scales(const Call& call, Predicate predicate) {
    for (int i = 0; i < call.op->scales; ++i)
        if (!predicate(call.scale(i))) return false;
    return true;
}

Failure infinite(const Call& call, int axis) {
    return refuse("{", name_of_scale(call, axis),
                  "} is inf, expected a finite factor, or 0 for none; pass 0 to use only the sizes");
}

}  // namespace

Failure scales_negative(const Call& call) {
    for (int i = 0; i < call.op->scales; ++i)
        if (call.scale(i) < 0)
            return refuse("{", name_of_scale(call, i), "} is ", call.scale(i),
                          call.op->is_gradient ? ", expected the forward pass's factor, or 0 for none"
                                               : ", expected output size / input size, or 0 for none",
                          "; pass 0 to use only the sizes");
    return {};
}

Failure scales_infinite(const Call& call) {
    for (int i = 0; i < call.op->scales; ++i)
        if (std::isinf(call.scale(i))) return infinite(call, i);
    return {};
}

bool all_given(const Call& call) { return all_scales(call, scale_given); }

Failure factor_too_large(const Call& call, int axis, double out, double in) {
    const double scale = call.scale(axis);
    const std::string scale_text = std::string("{") + name_of_scale(call, axis) + "} = ";
    const std::string reason = scale > 0
                                   ? sentence(scale_text, scale)
                                   : sentence(out, " / ", in, " cells; ", scale_text, scale, " counts as not given");
    return refuse(axis_name(*call.op, axis), " is enlarged ", scale > 0 ? scale : out / in, " times (", reason,
                  "), expected at most 50 times; use a smaller factor");
}

Failure output_size_scale(const Call& call, const int64_t in[]) {
    if (!all_scales(call, [](double scale) { return scale > 0; })) return {};
    const IntArray& output_size = *call.arrays[0];
    for (int i = 0; i < call.op->scales; ++i) {
        const double size = double(in[i]), scale = call.scale(i), out = double(output_size.values[i]);
        const double least = std::floor(size * (scale - 1e-5)), most = std::floor(size * (scale + 1e-5));
        if (least <= out && out <= most) continue;
        if (std::isinf(scale)) return infinite(call, i);  // no size would do
        return refuse("{outputSize} is ", text_of(output_size), ", but ", axis_name(*call.op, i), " = ", in[i],
                      " times {", name_of_scale(call, i), "} = ", scale, " is ", most, ", expected ", most,
                      " on that axis; correct one of them, or pass all scales as 0 to use only the sizes");
    }
    return {};
}

}  // namespace acltwin::scale
