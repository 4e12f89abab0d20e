// How failures are made, and how values look in their texts.
#pragma once

#include <string>

#include "core/sentence.h"
#include "ops/operator.h"

namespace acltwin {

inline bool from_aclnn(const Call& call) { return call.mode.door == Door::aclnn; }
inline bool is_950(const Call& call) { return call.mode.soc == Soc::ascend950; }

// refuse("{outputSize} has ", 2, " values, expected 3; ..."): arguments stand in braces, in documented spelling. Which
// rule it is, the one who runs the rules knows.
template <typename... Parts>
Failure refuse(const Parts&... parts) {
    return {kInvalidParameter, "", sentence(parts...)};
}

std::string text_of(const int64_t* values, int64_t count);  // (1, 2, 8)
std::string text_of(const IntArray& array);
std::string shape_of(const Tensor& tensor);
std::string result_name(const Call& call);  // of the first result, in braces
std::string dtype_names(Bits dtypes);       // float32, float16 or bfloat16

constexpr Soc kSocs[] = {Soc::ascend910, Soc::ascend910b, Soc::ascend910_93, Soc::ascend950};
const char* name_of(Soc soc);

// Whether a tensor of these sizes has more bytes than an int64_t counts. Dims of 0 count as 1: strides are products of
// the others.
bool bytes_overflow(const int64_t* dims, int64_t rank, size_t element_size);

}  // namespace acltwin
