// The twin with one fault in each of several operators. Every function that is not here is the twin's own, which this
// library is linked with.

#include <dlfcn.h>

#include <cstdint>
#include <cstdlib>

#include "acl/acl.h"
#include "aclnnop/aclnn_max_pool3d_with_argmax.h"
#include "aclnnop/aclnn_max_unpool3d.h"
#include "aclnnop/aclnn_max_unpool3d_backward.h"
#include "aclnnop/aclnn_upsample_nearest_3d.h"
#include "aclnnop/aclnn_upsample_nearest_3d_backward.h"
#include "aclnnop/aclnn_upsample_nearest_exact2d.h"
#include "aclnnop/aclnn_upsample_nearest_exact2d_backward.h"
#include "aclnnop/aclnn_upsample_nearest_exact3d.h"
#include "aclnnop/aclnn_upsample_nearest_exact3d_backward.h"

namespace {

template <class Function>
Function* twins(Function*, const char* name) {
    return reinterpret_cast<Function*>(dlsym(RTLD_NEXT, name));
}

#define TWINS(function) twins(function, #function)

bool refused = false;
int pooled = 0;
std::uint8_t* victim = nullptr;  // the byte that the second phase changes, if there is one

// The first byte of an element that is so many elements from a tensor's first.
std::uint8_t* byte_of(const aclTensor* tensor, int64_t distance) {
    void* storage = nullptr;
    int64_t offset = 0;
    aclDataType type = ACL_FLOAT;
    if (aclGetRawTensorAddr(tensor, &storage) != 0 || aclGetViewOffset(tensor, &offset) != 0 ||
        aclGetDataType(tensor, &type) != 0) {
        std::abort();
    }
    const auto size = static_cast<int64_t>(aclDataTypeSize(type));
    return static_cast<std::uint8_t*>(storage) + (offset + distance) * size + (size - 1);
}

bool has_offset(const aclTensor* tensor) {
    int64_t offset = 0;
    return aclGetViewOffset(tensor, &offset) == 0 && offset != 0;
}

aclnnStatus spoil(aclnnStatus status, aclrtStream stream) {
    if (status == 0 && victim != nullptr && aclrtSynchronizeStream(stream) == 0) {
        *victim ^= 0x11;
    }
    return status;
}

}  // namespace

extern "C" {

// Refuses in the first phase, with a message.
aclnnStatus aclnnMaxUnpool3dGetWorkspaceSize(const aclTensor*, const aclTensor*, const aclIntArray*, const aclIntArray*,
                                             const aclIntArray*, aclTensor*, uint64_t*, aclOpExecutor**) {
    refused = true;
    return 161002;
}

const char* aclGetRecentErrMsg() {
    const bool mine = refused;
    refused = false;
    return mine ? "unpooling is closed today" : TWINS(aclGetRecentErrMsg)();
}

// Ends the process.
aclnnStatus aclnnMaxUnpool3dBackward(void*, uint64_t, aclOpExecutor*, aclrtStream) { std::abort(); }

// Writes nothing.
aclnnStatus aclnnUpsampleNearest3d(void*, uint64_t, aclOpExecutor*, aclrtStream) { return 0; }

// Wants a workspace.
aclnnStatus aclnnUpsampleNearestExact2dGetWorkspaceSize(const aclTensor* self, const aclIntArray* outputSize,
                                                        double scalesH, double scalesW, aclTensor* out,
                                                        uint64_t* workspaceSize, aclOpExecutor** executor) {
    const auto status = TWINS(aclnnUpsampleNearestExact2dGetWorkspaceSize)(self, outputSize, scalesH, scalesW, out,
                                                                           workspaceSize, executor);
    *workspaceSize += 1024;
    return status;
}

// A wrong first cell.
aclnnStatus aclnnUpsampleNearestExact2dBackwardGetWorkspaceSize(const aclTensor* gradOutput,
                                                                const aclIntArray* outputSize,
                                                                const aclIntArray* inputSize, double scalesH,
                                                                double scalesW, aclTensor* out, uint64_t* workspaceSize,
                                                                aclOpExecutor** executor) {
    victim = byte_of(out, 0);
    return TWINS(aclnnUpsampleNearestExact2dBackwardGetWorkspaceSize)(gradOutput, outputSize, inputSize, scalesH,
                                                                      scalesW, out, workspaceSize, executor);
}

aclnnStatus aclnnUpsampleNearestExact2dBackward(void* workspace, uint64_t size, aclOpExecutor* executor,
                                                aclrtStream stream) {
    return spoil(TWINS(aclnnUpsampleNearestExact2dBackward)(workspace, size, executor, stream), stream);
}

// A wrong first cell, but only of views with an offset.
aclnnStatus aclnnUpsampleNearest3dBackwardGetWorkspaceSize(const aclTensor* gradOut, const aclIntArray* outputSize,
                                                           const aclIntArray* inputSize, double scalesD, double scalesH,
                                                           double scalesW, aclTensor* gradInput,
                                                           uint64_t* workspaceSize, aclOpExecutor** executor) {
    victim = has_offset(gradInput) ? byte_of(gradInput, 0) : nullptr;
    return TWINS(aclnnUpsampleNearest3dBackwardGetWorkspaceSize)(gradOut, outputSize, inputSize, scalesD, scalesH,
                                                                 scalesW, gradInput, workspaceSize, executor);
}

aclnnStatus aclnnUpsampleNearest3dBackward(void* workspace, uint64_t size, aclOpExecutor* executor,
                                           aclrtStream stream) {
    return spoil(TWINS(aclnnUpsampleNearest3dBackward)(workspace, size, executor, stream), stream);
}

// Writes in front of the result, where there is something.
aclnnStatus aclnnUpsampleNearestExact3dBackwardGetWorkspaceSize(const aclTensor* gradOut, const aclIntArray* outputSize,
                                                                const aclIntArray* inputSize, double scalesD,
                                                                double scalesH, double scalesW, aclTensor* gradInput,
                                                                uint64_t* workspaceSize, aclOpExecutor** executor) {
    victim = has_offset(gradInput) ? byte_of(gradInput, -1) : nullptr;
    return TWINS(aclnnUpsampleNearestExact3dBackwardGetWorkspaceSize)(gradOut, outputSize, inputSize, scalesD, scalesH,
                                                                      scalesW, gradInput, workspaceSize, executor);
}

aclnnStatus aclnnUpsampleNearestExact3dBackward(void* workspace, uint64_t size, aclOpExecutor* executor,
                                                aclrtStream stream) {
    return spoil(TWINS(aclnnUpsampleNearestExact3dBackward)(workspace, size, executor, stream), stream);
}

// Writes its input.
aclnnStatus aclnnUpsampleNearestExact3dGetWorkspaceSize(const aclTensor* self, const aclIntArray* outputSize,
                                                        double scalesD, double scalesH, double scalesW, aclTensor* out,
                                                        uint64_t* workspaceSize, aclOpExecutor** executor) {
    victim = byte_of(self, 0);
    return TWINS(aclnnUpsampleNearestExact3dGetWorkspaceSize)(self, outputSize, scalesD, scalesH, scalesW, out,
                                                              workspaceSize, executor);
}

aclnnStatus aclnnUpsampleNearestExact3d(void* workspace, uint64_t size, aclOpExecutor* executor, aclrtStream stream) {
    return spoil(TWINS(aclnnUpsampleNearestExact3d)(workspace, size, executor, stream), stream);
}

// Is right every other time.
aclnnStatus aclnnMaxPool3dWithArgmaxGetWorkspaceSize(const aclTensor* self, const aclIntArray* kernelSize,
                                                     const aclIntArray* stride, const aclIntArray* padding,
                                                     const aclIntArray* dilation, bool ceilMode, aclTensor* out,
                                                     aclTensor* indices, uint64_t* workspaceSize,
                                                     aclOpExecutor** executor) {
    victim = pooled++ % 2 != 0 ? byte_of(out, 0) : nullptr;
    return TWINS(aclnnMaxPool3dWithArgmaxGetWorkspaceSize)(self, kernelSize, stride, padding, dilation, ceilMode, out,
                                                           indices, workspaceSize, executor);
}

aclnnStatus aclnnMaxPool3dWithArgmax(void* workspace, uint64_t size, aclOpExecutor* executor, aclrtStream stream) {
    return spoil(TWINS(aclnnMaxPool3dWithArgmax)(workspace, size, executor, stream), stream);
}

}  // extern "C"
