// A call frame of XLA as a Call of an operator.
//
// A frame has buffers and attributes. What acltwin.jax writes depends on no batch axis, so that a program may be cut
// along them: N and C come from the first buffer.
//   operator        its name
//   channels_last   whether the axes of the buffers are N, D, H, W, C
//   array<i>        the int array i
//   batch_array<i>  the int array i without the N, C that it begins with
//   plane<i>        the tensor i is a shape: this one behind the batch axes; every other tensor is a buffer
//   reals           of every scalar: itself, or 0 if it is a whole number or a bool
//   integers        the others
//   torch_rule      whether rounding at a border is PyTorch's
//   many_devices    whether the program runs on several devices
#pragma once

#include "ops/operator.h"
#include "python/xla_ffi.h"

namespace acltwin {

// The call points into it and into the frame.
struct FrameCall {
    const Operator* op = nullptr;
    bool many_devices = false;
    Tensor tensors[kMaxTensors];
    int64_t batch_arrays[kMaxArrays][kMaxRank];
    IntArray arrays[kMaxArrays];
    Call call;  // its results are null: they are not judged, but compared with what the operator infers

    // The same call with its results.
    Call with_results() const;
};

// The operator first: it is null if the frame names none.
Failure read_frame(const xla_ffi::CallFrame& frame, FrameCall& read);

// A checked call's results have the dtypes and shapes that the operator infers.
Failure check_results(const FrameCall& read);

}  // namespace acltwin
