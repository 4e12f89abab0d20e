// The two phases of an operator: the first checks a call and plans it, the second queues the plan on a stream.
#pragma once

#include "aclnn/aclnn_base.h"
#include "ops/operator.h"
#include "runtime/tensor.h"

namespace acltwin {

// A call as it comes through the C door: handles, in the order of Call.
struct HandleCall {
    const aclTensor* tensors[kMaxTensors] = {};
    const aclIntArray* arrays[kMaxArrays] = {};
    const aclFloatArray* float_arrays[kMaxFloatArrays] = {};
    Scalar scalars[kMaxScalars];
};

aclnnStatus get_workspace_size(const Operator& op, const HandleCall& call, uint64_t* workspace_size,
                               aclOpExecutor** executor);
aclnnStatus execute(const Operator& op, void* workspace, uint64_t workspace_size, aclOpExecutor* executor,
                    aclrtStream stream);

// Scratch memory begins at a multiple of this; workspaces may begin anywhere, so the room to align is asked for with
// them.
constexpr size_t kScratchAlignment = 64;

// One planned call. It refers to the caller's tensors, which must live until it is executed; the data are looked up
// then.
struct Executor {
    static constexpr Kind kKind = Kind::executor;

    struct Argument {
        const aclTensor* handle = nullptr;
        Tensor view;  // without an address
        Extent extent;
    };

    const Operator* op = nullptr;
    Argument arguments[kMaxTensors];
    std::shared_ptr<const Plan> plan;  // null: nothing to do
    uint64_t workspace_size = 0;
    bool repeatable = false;  // guarded by the runtime's lock
};

}  // namespace acltwin
