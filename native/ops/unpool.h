// What max unpooling and its gradient share. Their arrays are outputSize, stride, padding; `self` is the pooled tensor.
#pragma once

#include "ops/axes.h"
#include "ops/texts.h"

namespace acltwin::unpool {

std::string batch_text(const Call& call, const Tensor& tensor);  // "N, C = (2, 3)"

Failure self_size(const Call& call, const Tensor& self);
Failure output_size_volume(const Call& call, const Tensor& self);

}  // namespace acltwin::unpool
