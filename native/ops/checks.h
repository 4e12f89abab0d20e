// Rules by their declaration, and what rules of several families ask for. Tensors and arrays are named by their
// positions in the call; a tensor that is not there yet, a result of arrays, passes.
#pragma once

#include "ops/axes.h"
#include "ops/texts.h"

namespace acltwin {

// The rules that need no code of their own: what they ask for stands in the operators' declarations.
Failure check_declared(const Rule& rule, const Call& call);

// A tensor has the shape of another one; or the first result that which the operator infers. The text says where the
// expected shape comes from, and what to do.
using ShapeText = std::string (*)(const Call& call, const Tensor& expected);
Failure has_shape(const Call& call, int tensor, const Tensor& expected, ShapeText text);
Failure result_shape(const Call& call, ShapeText text);

// The bytes of a result can be counted; of all results, for whose sizes the rule's array is to blame.
bool countable(const Call& call, int result);
Failure result_bytes(const Rule& rule, const Call& call);
// The first result has the sizes that outputSize or, of a gradient, inputSize gives: the last array.
Failure result_size(const Call& call);

// int32 counts the cells of a plane. `reason` says why it must, `fix` what to do where it does not.
Failure plane_in_int32(const Call& call, const std::string& reason, const char* fix);

}  // namespace acltwin
