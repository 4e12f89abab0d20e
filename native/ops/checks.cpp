#include "ops/checks.h"

#include <algorithm>

namespace acltwin {

Failure first_failure(const Call& call, std::initializer_list<Rule> rules) {
    for (Rule rule : rules)
        if (Failure failure = rule(call)) return failure;
    return {};
}

std::string text_of(const int64_t* values, int64_t count) {
    std::ostringstream text;
    text << '(';
    for (int64_t i = 0; i < count; ++i) text << (i ? ", " : "") << values[i];
    text << (count == 1 ? ",)" : ")");
    return text.str();
}

std::string text_of(const IntArray& array) { return text_of(array.values, array.size); }

std::string shape_of(const Tensor& tensor) { return text_of(tensor.dims, std::min(tensor.rank, kMaxRank)); }

std::string names_of(std::initializer_list<DType> dtypes) {
    std::string names;
    size_t left = dtypes.size();
    for (DType dtype : dtypes) {
        names += name_of(dtype);
        --left;
        if (left > 0) names += left == 1 ? " or " : ", ";
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

Failure not_null(const Call& call, std::initializer_list<Pointer> pointers) {
    for (const Pointer& pointer : pointers) {
        if (pointer.value != nullptr || !from_aclnn(call)) continue;
        const std::string text = std::string("{") + pointer.name +
                                 "} is a null pointer, expected a valid handle; create it before this call";
        return {kNullPointer, pointer.rule, spelled(text, call.mode.door)};
    }
    return {};
}

Failure soc_is_one_of(const Call& call, std::initializer_list<Soc> supported) {
    if (!from_aclnn(call)) return {};
    std::string names;
    for (Soc soc : supported) {
        if (soc == call.mode.soc) return {};
        names += (names.empty() ? "" : ", ") + std::string(name_of(soc));
    }
    return refuse(call, "soc", "the SoC ", name_of(call.mode.soc), " does not have this operator, expected one of ",
                  names, "; set ACLTWIN_SOC to one of these");
}

bool bytes_overflow(const int64_t* dims, int64_t rank, size_t element_size) {
    int64_t bytes = std::max<int64_t>(int64_t(element_size), 1);
    for (int64_t i = 0; i < rank; ++i)
        if (__builtin_mul_overflow(bytes, std::max<int64_t>(dims[i], 1), &bytes)) return true;
    return false;
}

Failure tensor_shapes(const Call& call, std::initializer_list<const char*> names) {
    const Tensor* const* next = call.tensors;
    for (const char* name : names) {
        const Tensor* tensor = *next++;
        if (tensor == nullptr) continue;
        if (tensor->rank > kMaxRank)
            return refuse(call, "tensor_shape", "{", name, "} has ", tensor->rank, " dimensions, expected at most ",
                          kMaxRank, "; reshape it");
        if (std::any_of(tensor->dims, tensor->dims + tensor->rank, [](int64_t dim) { return dim < 0; }))
            return refuse(call, "tensor_shape", "{", name, "} has shape ", shape_of(*tensor),
                          ", expected no negative dimension; create it with its real shape");
        if (bytes_overflow(tensor->dims, tensor->rank, size_of(tensor->dtype)))
            return refuse(call, "tensor_shape", "{", name, "} has shape ", shape_of(*tensor),
                          ", expected fewer than 2^63 bytes; create it with its real shape");
    }
    return {};
}

Failure dtype_is_one_of(const Call& call, const char* rule, const char* name, const Tensor& tensor,
                        std::initializer_list<DType> dtypes) {
    if (std::find(dtypes.begin(), dtypes.end(), tensor.dtype) != dtypes.end()) return {};
    return refuse(call, rule, "{", name, "} is ", name_of(tensor.dtype), ", expected ", names_of(dtypes),
                  "; convert it");
}

Failure dtype_is_float(const Call& call, const char* rule, const char* name, const Tensor& tensor) {
    if (from_aclnn(call))
        return dtype_is_one_of(call, rule, name, tensor, {DType::float32, DType::float16, DType::bfloat16});
    return dtype_is_one_of(call, rule, name, tensor, {DType::float32, DType::float16, DType::bfloat16, DType::float64});
}

Failure dtype_is_that_of(const Call& call, const char* rule, const char* name, const Tensor& tensor,
                         const char* other_name, const Tensor& other) {
    if (tensor.dtype == other.dtype) return {};
    return refuse(call, rule, "{", name, "} is ", name_of(tensor.dtype), ", expected ", name_of(other.dtype), " like {",
                  other_name, "}; convert one of the two");
}

Failure shape_is_that_of(const Call& call, const char* rule, const char* name, const Tensor* tensor,
                         const char* other_name, const Tensor& other) {
    if (tensor == nullptr) return {};
    if (tensor->rank == other.rank && std::equal(other.dims, other.dims + other.rank, tensor->dims)) return {};
    return refuse(call, rule, "{", name, "} is ", shape_of(*tensor), ", expected ", shape_of(other), " like {",
                  other_name, "}; use the tensors of one forward pass");
}

Failure length_is(const Call& call, const char* rule, const char* name, const IntArray& array, int64_t expected,
                  const char* meaning) {
    if (array.size == expected) return {};
    return refuse(call, rule, "{", name, "} has ", array.size, array.size == 1 ? " value" : " values", ", expected ",
                  expected, " ", meaning, "; pass exactly ", expected);
}

Failure length_is_1_or_3(const Call& call, const char* rule, const char* name, const IntArray& array) {
    if (array.size == 1) return {};
    return length_is(call, rule, name, array, 3, "(D, H, W), or 1 for all axes");
}

Failure values_positive(const Call& call, const char* rule, const char* name, const IntArray& array) {
    if (std::all_of(array.values, array.values + array.size, [](int64_t value) { return value > 0; })) return {};
    return refuse(call, rule, "{", name, "} is ", text_of(array), ", expected only values above 0; correct the others");
}

}  // namespace acltwin
