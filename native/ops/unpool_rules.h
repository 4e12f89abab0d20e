// The rules that 3-D max unpooling and its gradient share. Their arrays are outputSize, stride, padding; `self` is the
// pooled tensor. Each rule bears its id in the operators' specifications; the operators put them in order.
#pragma once

#include "ops/axes.h"
#include "ops/checks.h"

namespace acltwin::unpool {

// A 4-D tensor is (N, D, H, W): one plane per N.
inline const AxisOrder& order_of(const Tensor& tensor) { return tensor.rank == 4 ? kNdhw : kNcdhw; }

Failure contiguous(const Call& call, const char* rule, const char* name, const Tensor* tensor);
Failure dtype(const Call& call, const char* rule, const char* name, const Tensor& tensor);
Failure self_rank(const Call& call, const Tensor& self);
Failure rank_is_that_of_self(const Call& call, const char* rule, const char* name, const Tensor* tensor,
                             const Tensor& self);
Failure self_size(const Call& call, const Tensor& self);
Failure stride_length(const Call& call);
Failure padding_length(const Call& call);
Failure stride_positive(const Call& call);
Failure output_size_positive(const Call& call);
Failure output_size_volume(const Call& call, const Tensor& self);

}  // namespace acltwin::unpool
