// An operator as every door sees it: check a call, infer its results, plan it, run the plan.
//
// What an operator takes and which rules it has is declared in src/acltwin/ops; declarations.cpp is generated from
// there. An operator's own file in this folder adds what no table can say: the rules particular to it, `infer`, `plan`.
#pragma once

#include <memory>

#include "core/export.h"
#include "core/plan.h"
#include "core/tensor.h"

namespace acltwin {

enum class Door { array, aclnn };
enum class Profile { documented, device };
enum class Soc { ascend910, ascend910b, ascend910_93, ascend950 };
// `torch` is PyTorch's for contiguous float32 tensors, whatever layout and dtype a tensor has; `torch_tensor` is what
// PyTorch does with a tensor of this very layout and dtype.
enum class MapRule { device, torch, torch_tensor };

// How strictly a call is judged, and which rounding decides at a cell's border.
struct Mode {
    Door door = Door::array;
    Profile profile = Profile::device;
    Soc soc = Soc::ascend910b;
    MapRule map = MapRule::device;
};

constexpr int kMaxTensors = 4;
constexpr int kMaxArrays = 4;
constexpr int kMaxFloatArrays = 1;
constexpr int kMaxScalars = 4;
constexpr int kMaxResults = 2;
constexpr int kMaxParameters = 10;

struct Operator;

// Reals are double or float in C.
enum class ArgumentKind : uint8_t { tensor, ints, floats, real, boolean, int64, int8, text };

// A number, a bool (0 or 1) or a text: which of them, the operator's table says.
struct Scalar {
    double real = 0;
    int64_t integer = 0;
    const char* text = nullptr;  // only through aclnn, during phase 1

    Scalar() = default;
    Scalar(double value) : real(value) {}
    Scalar(int64_t value) : integer(value) {}
    Scalar(int8_t value) : integer(value) {}
    Scalar(bool value) : integer(value) {}
    Scalar(const char* value) : text(value) {}
};

// The arguments of one call in documented order, sorted by kind. The results are the last tensors.
// Null pointers are legal here: refusing them is the first check. The array door leaves the results null while it
// checks: rules about a result are then skipped and `infer` says what it must be.
struct Call {
    const Operator* op = nullptr;
    const Tensor* tensors[kMaxTensors] = {};
    const IntArray* arrays[kMaxArrays] = {};
    const FloatArray* float_arrays[kMaxFloatArrays] = {};
    Scalar scalars[kMaxScalars];
    DType index_dtype = DType::int32;  // of indices that are inferred
    Mode mode;

    double scale(int axis) const;                  // of an upsampling, along a spatial axis; 0: not given
    const Scalar& scalar(const char* name) const;  // by its documented name, which the operator has
};

// Shape: the values are never read. Mask: bytes, which may hold indices.
enum class Holds : uint8_t { values, indices, shape, mask };
constexpr bool holds_places(Holds holds) { return holds == Holds::indices || holds == Holds::mask; }
// Of the first element, whatever size elements have.
constexpr size_t alignment_of(Holds holds, size_t element) { return holds == Holds::mask ? 4 : element; }

// Sets of small numbers (ranks, lengths, SoCs, judges) and of dtypes, as bits.
using Bits = uint32_t;
constexpr Bits bit(int i) { return Bits(1) << i; }
constexpr Bits bit(DType dtype) { return bit(int(dtype)); }
// A dtype from outside can be any number.
constexpr bool has(Bits dtypes, DType dtype) {
    return int(dtype) >= 0 && int(dtype) < 32 && (dtypes & bit(dtype)) != 0;
}
constexpr Bits bit(Soc soc) { return bit(int(soc)); }

struct TensorArgument {
    const char* name = nullptr;         // as documented, in camelCase
    const char* python_name = nullptr;  // of the array function
    Holds holds = Holds::values;
    Bits dtypes = 0, array_dtypes = 0;  // aclnn's; what arrays may be beyond that
    Bits lacking[4] = {};               // by Soc: the dtypes it does not have
    Bits ranks = 0;
    const Format* formats = nullptr;  // ended by Format::undefined
};

struct NamedArgument {
    const char* name = nullptr;
    const char* python_name = nullptr;
    ArgumentKind kind = ArgumentKind::ints;
    int64_t empty = 0;  // of ints: what no values mean; of a stride, 0 is the kernel size
};

// Who applies a rule.
constexpr Bits kByArray = 1, kByDocumented = 2, kByDevice = 4;

enum class Check : uint8_t {
    not_null,
    soc,
    tensor_shape,
    dtype,
    soc_dtype,
    same_dtype,
    rank,
    same_rank,
    same_shape,
    length,
    positive,
    format,
    same_format,
    same_axis_order,
    public_format,
    contiguous,
    same_batch,
    plane,
    batch_filled,
    channels_filled,
    plane_filled,
    rest_filled,
    filled,
    result_bytes,
    resized,
    particular,
};

// One thing that a call must fulfil; it may rely on every rule before it.
struct Rule {
    const char* id;
    Check check;
    Bits judges;
    int argument = -1, other = -1;                      // positions among the arguments of their kind
    Bits counts = 0, array_counts = 0;                  // of a length
    const char* meaning = "";                           // of a length
    Failure (*particular)(const Call& call) = nullptr;  // its text names arguments as {gradOut}; the rule is filled in
    Raises raises = Raises::value_error;
    ArgumentKind kind = ArgumentKind::tensor;  // of the argument
    int code = kInvalidParameter;
};

struct Operator {
    const char* name;                                     // of the Python function: "max_unpool3d_backward"
    const char* aclnn_name;                               // "aclnnMaxUnpool3dBackward"
    int tensors, results, arrays, float_arrays, scalars;  // how many of each; tensors counts the results too
    TensorArgument tensor[kMaxTensors];
    NamedArgument array[kMaxArrays];
    NamedArgument float_array[kMaxFloatArrays];
    NamedArgument scalar[kMaxScalars];
    int first_scale, scales;  // of an upsampling: which of the scalars are factors, one for each axis
    bool c_only;              // there is no Python function
    int parameters;           // of the Python function, and their kinds in documented order; tensors come first
    ArgumentKind parameter[kMaxParameters];
    int axes;                  // spatial ones: 1 to 3
    char lone_axis;            // 'N' or 'C': the batch axis of a tensor that has only one; 0: tensors have both
    bool reads_channels_last;  // whether the format NHWC or NDHWC says where C is
    bool takes_channels_last;  // whether arrays may have their C last, though no format says so
    bool is_gradient;
    bool input_size_follows_format;
    bool empty_succeeds_first;  // aclnn: before all rules behind "tensor_shape"
    Bits socs, device_socs;     // where the documents have it; where the device profile has it beyond that
    const char* task;           // what it computes, along whatever axes: "pool: max pooling"
    bool exact;                 // of an upsampling: cells are matched at their centres
    const Rule* rules;
    int rule_count;
    // Dtype, dims and strides of result 0 or 1 of a call that passed `check`; the data stays null.
    Tensor (*infer)(const Call& call, int result);
    // For a call that passed `check`, with its results, none of which is empty.
    std::unique_ptr<Plan> (*plan_work)(const Call& call);

    int inputs() const { return tensors - results; }
    bool makes_indices() const { return tensor[tensors - 1].holds == Holds::indices; }
    Format channels_last_format() const { return axes == 3 ? Format::ndhwc : axes == 2 ? Format::nhwc : Format::nlc; }

    // Judges a call by the rules in order; the first broken one counts.
    ACLTWIN_API Failure check(const Call& call) const;
    // For a call that passed `check`, with its results. Null when there is nothing to do.
    ACLTWIN_API std::unique_ptr<Plan> plan(const Call& call) const;
    // Replaces each "{camelCase}" by the argument's name at the door.
    ACLTWIN_API std::string spelled(const std::string& text, Door door) const;
};

inline double Call::scale(int axis) const { return scalars[op->first_scale + axis].real; }

// Every operator, in alphabetical order.
struct Operators {
    const Operator *first, *last;
    const Operator* begin() const { return first; }
    const Operator* end() const { return last; }
};
ACLTWIN_API Operators operators();
// By its name; null if there is none.
ACLTWIN_API const Operator* find_operator(const char* name);

}  // namespace acltwin
