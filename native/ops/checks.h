// Tools of the operators' checks: rules in order, and failure texts that name arguments as the caller spells them.
#pragma once

#include <initializer_list>
#include <sstream>
#include <string>

#include "ops/operator.h"

namespace acltwin {

// A rule looks at the whole call and may rely on every rule before it.
using Rule = Failure (*)(const Call& call);
Failure first_failure(const Call& call, std::initializer_list<Rule> rules);

inline bool from_aclnn(const Call& call) { return call.mode.door == Door::aclnn; }
// What the documents forbid, beyond what the device refuses.
inline bool documented_profile(const Call& call) {
    return from_aclnn(call) && call.mode.profile == Profile::documented;
}

// refuse(call, "output_size_length", "{outputSize} has ", 2, " values, expected 3; ...")
template <typename... Parts>
Failure refuse(const Call& call, const char* rule, const Parts&... parts) {
    std::ostringstream text;
    (text << ... << parts);
    return {kInvalidParameter, rule, spelled(text.str(), call.mode.door)};
}

// ---- how values look in a text ----
std::string text_of(const int64_t* values, int64_t count);  // (1, 2, 8)
std::string text_of(const IntArray& array);
std::string shape_of(const Tensor& tensor);
std::string names_of(std::initializer_list<DType> dtypes);  // float32, float16 or bfloat16
const char* name_of(Soc soc);

// ---- rules that several operators have ----
struct Pointer {
    const void* value;
    const char* name;
    const char* rule;
};
// The array door leaves out the results it has yet to make, and nothing else.
Failure not_null(const Call& call, std::initializer_list<Pointer> pointers);

// "soc": the array door runs on the CPU and has none.
Failure soc_is_one_of(const Call& call, std::initializer_list<Soc> supported);

// "tensor_shape": at most kMaxRank dims, none negative, and a size in bytes that fits an int64_t. After it, no product
// of dims of one tensor can overflow. Tensors are named in documented order; null ones are skipped.
Failure tensor_shapes(const Call& call, std::initializer_list<const char*> names);
// The same for sizes that only become a tensor later. Dims of 0 count as 1: strides are products of the others.
bool bytes_overflow(const int64_t* dims, int64_t rank, size_t element_size);

Failure dtype_is_one_of(const Call& call, const char* rule, const char* name, const Tensor& tensor,
                        std::initializer_list<DType> dtypes);
// Floating-point dtypes; arrays may be float64, which the device does not have.
Failure dtype_is_float(const Call& call, const char* rule, const char* name, const Tensor& tensor);
Failure dtype_is_that_of(const Call& call, const char* rule, const char* name, const Tensor& tensor,
                         const char* other_name, const Tensor& other);
// A null tensor is a result that is not there yet.
Failure shape_is_that_of(const Call& call, const char* rule, const char* name, const Tensor* tensor,
                         const char* other_name, const Tensor& other);
Failure length_is(const Call& call, const char* rule, const char* name, const IntArray& array, int64_t expected,
                  const char* meaning);
Failure length_is_1_or_3(const Call& call, const char* rule, const char* name, const IntArray& array);
Failure values_positive(const Call& call, const char* rule, const char* name, const IntArray& array);

}  // namespace acltwin
