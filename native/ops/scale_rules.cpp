#include "ops/scale_rules.h"

#include <algorithm>
#include <cmath>

#include "ops/source_table.h"

namespace acltwin {

Scales3d::Scales3d(const Call& call) {
    const bool per_axis = call.mode.map == MapRule::torch;
    const bool used = per_axis || std::all_of(call.scales, call.scales + 3, scale_given);
    for (int i = 0; i < 3; ++i) axis[i] = used ? call.scales[i] : 0;
}

Failure scales_not_negative(const Call& call, std::initializer_list<const char*> names) {
    const double* scale = call.scales;
    for (const char* name : names) {
        if (*scale < 0)
            return refuse(call, "scales_negative", "{", name, "} is ", *scale,
                          ", expected the forward pass's factor, or 0 for none; pass 0 to use the sizes alone");
        ++scale;
    }
    return {};
}

Failure factor_too_large(const Call& call, char axis, const char* scale_name, double scale, double out, double in) {
    const std::string scale_text = std::string("{") + scale_name + "} = ";
    std::ostringstream reason;
    if (scale > 0)
        reason << scale_text << scale;
    else
        reason << out << " / " << in << " cells; " << scale_text << scale << " counts as not given";
    return refuse(call, "scale_factor", axis, " is enlarged ", scale > 0 ? scale : out / in, " times (", reason.str(),
                  "), expected at most 50 times; use a smaller factor");
}

Failure scales_finite(const Call& call, std::initializer_list<const char*> names) {
    if (from_aclnn(call)) return {};
    const double* scale = call.scales;
    for (const char* name : names) {
        if (std::isinf(*scale))
            return refuse(call, "scales_infinite", "{", name,
                          "} is inf, expected a finite factor, or 0 for none; pass 0 to use the sizes alone");
        ++scale;
    }
    return {};
}

Failure output_size_scale(const Call& call, const int64_t in[3]) {
    constexpr const char* kNames[3] = {"scalesD", "scalesH", "scalesW"};
    if (!std::all_of(call.scales, call.scales + 3, [](double scale) { return scale > 0; })) return {};
    const IntArray& output_size = *call.arrays[0];
    for (int i = 0; i < 3; ++i) {
        const double size = double(in[i]), scale = call.scales[i], out = double(output_size.values[i]);
        const double least = std::floor(size * (scale - 1e-5)), most = std::floor(size * (scale + 1e-5));
        if (least <= out && out <= most) continue;
        return refuse(call, "output_size_scale", "{outputSize} is ", text_of(output_size), ", but ", "DHW"[i], " = ",
                      in[i], " times {", kNames[i], "} = ", scale, " is ", most, ", expected ", most, " on that axis",
                      "; correct one of them, or pass all scales as 0 to use the sizes alone");
    }
    return {};
}

}  // namespace acltwin
