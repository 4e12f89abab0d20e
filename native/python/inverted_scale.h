// A scale is the forward pass's factor, output size / input size. Some programs pass its inverse, which is legal, and
// gives zeros and sums of the wrong cells.
#pragma once

#include "ops/operator.h"

namespace acltwin {

bool has_scales(const Call& call);  // cheap: the rest is for calls that have some

// What is to be said about a call that passed its check, with a result of this shape; empty if no scale is nearer to
// the inverse of its axis's factor than to the factor itself.
std::string inverted_scale(const Call& call, const Tensor& result);

// Runs Python code. False with a Python exception set, if a filter makes the warning one.
bool warn_of_inverted_scale(const std::string& text);

}  // namespace acltwin
