// What max pooling and its gradient share. Their arrays are kernelSize, stride, padding, dilation; their flag is
// ceilMode.
#pragma once

#include "ops/axes.h"
#include "ops/pool_window.h"
#include "ops/texts.h"

namespace acltwin::pool {

PoolAxis axis(const Call& call, int i);
std::string window_text(const Call& call);  // the arguments of the window, for a message

const Tensor& self_of(const Call& call);
const int64_t* cells_of(const Call& call);  // D, H, W of self

}  // namespace acltwin::pool
