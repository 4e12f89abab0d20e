#include "ops/texts.h"

#include <algorithm>

#include "core/dtypes.h"

namespace acltwin {

std::string text_of(const int64_t* values, int64_t count) {
    std::string text = "(";
    for (int64_t i = 0; i < count; ++i) text += (i ? ", " : "") + std::to_string(values[i]);
    return text + (count == 1 ? ",)" : ")");
}

// One value is what callers pass as one number.
std::string text_of(const IntArray& array) {
    return array.size == 1 ? std::to_string(array.values[0]) : text_of(array.values, array.size);
}

std::string result_name(const Call& call) { return "{" + std::string(call.op->tensor[call.op->inputs()].name) + "}"; }

std::string shape_of(const Tensor& tensor) { return text_of(tensor.dims, std::min(tensor.rank, kMaxRank)); }

std::string dtype_names(Bits dtypes) {
    std::string names;
    Bits left = dtypes;
    for (const DTypeFacts& facts : kDTypes) {
        if (!has(left, facts.dtype)) continue;
        left &= ~bit(facts.dtype);
        names += (names.empty() ? "" : left == 0 ? " or " : ", ") + std::string(facts.name);
    }
    return names;
}

const char* name_of(Soc soc) {
    switch (soc) {
        case Soc::ascend910: return "Ascend910";
        case Soc::ascend910b: return "Ascend910B";
        case Soc::ascend910_93: return "Ascend910_93";
        case Soc::ascend950: return "Ascend950";
    }
    return "an unknown SoC";
}

bool bytes_overflow(const int64_t* dims, int64_t rank, size_t element_size) {
    int64_t bytes = std::max<int64_t>(int64_t(element_size), 1);
    for (int64_t i = 0; i < rank; ++i)
        if (__builtin_mul_overflow(bytes, std::max<int64_t>(dims[i], 1), &bytes)) return true;
    return false;
}

}  // namespace acltwin
