// The rules that 3-D max pooling and its gradient share. Their arrays are kernelSize, stride, padding, dilation; their
// flag is ceilMode. Each rule bears its id in the operators' specifications; the operators put them in order.
#pragma once

#include "ops/axes.h"
#include "ops/checks.h"
#include "ops/pool_window.h"

namespace acltwin::pool {

PoolAxis axis(const Call& call, int i);
std::string window_text(const Call& call);  // the arguments of the window, for a message

// A 4-D tensor is (C, D, H, W).
inline const AxisOrder& order_of(const Tensor& tensor) { return tensor.rank == 4 ? kCdhw : kNcdhw; }

Failure soc(const Call& call);
Failure self_dtype(const Call& call, const Tensor& self);
Failure indices_dtype(const Call& call, const Tensor* indices);      // a null tensor, here and below, is a result
Failure indices_soc_dtype(const Call& call, const Tensor* indices);  // that is not there yet
Failure private_format(const Call& call, std::initializer_list<const char*> names);  // all tensors, in order
Failure rank_is_4_or_5(const Call& call, const char* rule, const char* name, const Tensor* tensor);

Failure kernel_size_length(const Call& call);
Failure kernel_size_positive(const Call& call);
Failure stride_length(const Call& call);
Failure stride_positive(const Call& call);
Failure padding_length(const Call& call);
Failure padding_negative(const Call& call);
Failure padding_half(const Call& call);
Failure dilation_length(const Call& call);
Failure dilation_positive(const Call& call);
Failure dilation_one(const Call& call);

Failure plane_size(const Call& call, const Tensor& self);

}  // namespace acltwin::pool
