// What rules of several families ask for. Tensors and arrays are named by their positions in the call; a tensor that is
// not there yet, a result of arrays, passes.
#pragma once

#include "ops/axes.h"
#include "ops/texts.h"

namespace acltwin {

enum class Dims { batch, channels, plane, behind_first, all };
Failure above_zero(const Call& call, int tensor, Dims dims, const char* lack = "there is nothing to compute");

// Rank, N and C.
Failure same_batch(const Call& call, int tensor, int other);
// D, H, W are the values of an array.
Failure has_plane(const Call& call, int tensor, int array);

// A tensor has the shape of another one; or the first result that which the operator infers. The text says where the
// expected shape comes from, and what to do.
using ShapeText = std::string (*)(const Call& call, const Tensor& expected);
Failure has_shape(const Call& call, int tensor, const Tensor& expected, ShapeText text);
Failure result_shape(const Call& call, ShapeText text);
std::string output_size_text(const Call& call, const Tensor& expected);  // where outputSize is the first array

// The bytes of a result can be counted; of all results, for whose sizes an array is to blame.
bool countable(const Call& call, int result);
Failure size_bytes(const Call& call, int array, const char* fix = "");

// int32 counts the cells of a plane. `reason` says why it must, `fix` what to do where it does not.
Failure plane_in_int32(const Call& call, const std::string& reason, const char* fix);

}  // namespace acltwin
