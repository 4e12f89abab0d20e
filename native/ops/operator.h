// An operator as both doors see it: check a call, infer its results, plan it, run the plan.
#pragma once

#include <memory>

#include "core/export.h"
#include "core/failure.h"
#include "core/tensor.h"

namespace acltwin {

enum class Door { array, aclnn };
enum class Profile { documented, device };
enum class Soc { ascend910, ascend910b, ascend910_93, ascend950 };
enum class MapRule { device, torch };

// How strictly a call is judged, and which rounding decides at a cell's border.
struct Mode {
    Door door = Door::array;
    Profile profile = Profile::device;
    Soc soc = Soc::ascend910b;
    MapRule map = MapRule::device;
};

constexpr int kMaxTensors = 4;
constexpr int kMaxArrays = 4;
constexpr int kMaxResults = 2;

// The arguments of one call in documented order, sorted by kind. The results are the last tensors.
// Null pointers are legal here: refusing them is the first check. The array door leaves the results null while it
// checks: rules about a result are then skipped and `infer` says what it must be.
struct Call {
    const Tensor* tensors[kMaxTensors] = {};
    const IntArray* arrays[kMaxArrays] = {};
    double scales[3] = {};
    bool flag = false;
    DType index_dtype = DType::int32;  // of indices that are inferred
    Mode mode;
};

// Work that is ready to run: geometry only, no addresses, so that it can run many times on many blocks.
class Plan {
public:
    virtual ~Plan() = default;
    // `data[i]` is the first element of Call::tensors[i]; `scratch` has scratch_bytes() bytes, 64-byte aligned.
    // Thread-safe. The only possible failure is an index outside its plane (kKernelException, rule "index_range"); its
    // text is for `spelled`.
    virtual Failure run(void* const data[], void* scratch) const = 0;
    size_t scratch_bytes() const { return scratch_bytes_; }

protected:
    size_t scratch_bytes_ = 0;
};

struct Operator {
    const char* name;        // of the Python function: "max_unpool3d_backward"
    const char* aclnn_name;  // "aclnnMaxUnpool3dBackward"
    // The documented argument names, in camelCase: first the tensors (the results last), then arrays, scales, flag.
    const char* tensor_names[kMaxTensors];
    const char* array_names[kMaxArrays];
    const char* scale_names[3];
    const char* flag_name;
    int tensors, results, arrays, scales;  // how many of each; tensors counts the results too
    Failure (*check)(const Call& call);
    // Dtype, dims and strides of result 0 or 1 of a call that passed `check`; the data stays null.
    Tensor (*infer)(const Call& call, int result);
    // For a call that passed `check`, with its results. Null when there is nothing to do (empty results).
    std::unique_ptr<Plan> (*plan)(const Call& call);

    int inputs() const { return tensors - results; }
};

ACLTWIN_API extern const Operator upsample_nearest_exact3d_backward;
ACLTWIN_API extern const Operator upsample_nearest3d_backward;
ACLTWIN_API extern const Operator upsample_nearest_exact2d_backward;
ACLTWIN_API extern const Operator max_unpool3d_backward;
ACLTWIN_API extern const Operator max_pool3d_with_argmax_backward;
ACLTWIN_API extern const Operator upsample_nearest_exact3d;
ACLTWIN_API extern const Operator upsample_nearest3d;
ACLTWIN_API extern const Operator upsample_nearest_exact2d;
ACLTWIN_API extern const Operator max_unpool3d;
ACLTWIN_API extern const Operator max_pool3d_with_argmax;

// The spelling of an argument at a door: "gradOut" for aclnn, "grad_out" for arrays, where `self` is called
// `input` and the result `out`.
ACLTWIN_API std::string argument_name(const char* camel_case, Door door);
// Replaces each "{camelCase}" by the argument's name at the door.
ACLTWIN_API std::string spelled(const std::string& text, Door door);

}  // namespace acltwin
