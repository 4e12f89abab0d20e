// What the two 3-D upsample gradients share: (gradOut, outputSize, inputSize, scalesD, scalesH, scalesW, gradInput).
// Each rule bears its id in the operators' specifications; the operators put them in order.
#pragma once

#include "ops/checks.h"

namespace acltwin::upsample3d_backward {

Failure pointers(const Call& call);  // grad_out_null, output_size_null, input_size_null, grad_input_null
Failure tensor_shape(const Call& call);
Failure grad_input_dtype(const Call& call);
Failure grad_out_rank(const Call& call);
Failure output_size_length(const Call& call);
Failure input_size_length(const Call& call);
Failure input_size_positive(const Call& call);  // and input_size_bytes
Failure output_size_positive(const Call& call);
Failure grad_out_shape(const Call& call);
Failure grad_input_shape(const Call& call);
Failure scale_factor(const Call& call);
Failure documented_limits(const Call& call);  // dim_limit, memory_limit, rows_limit, plane_limit, output_size_scale
Failure formats_equal(const Call& call);
Failure scales(const Call& call);  // scales_negative, scales_infinite: arrays only

Tensor infer(const Call& call, int);
std::unique_ptr<Plan> plan(const Call& call, bool exact);

}  // namespace acltwin::upsample3d_backward
