#include <algorithm>
#include <cstring>
#include <iterator>

#include "core/dtypes.h"
#include "ops/checks.h"

namespace acltwin {

namespace {

const Operator& op_of(const Call& call) { return *call.op; }
const char* tensor_name(const Call& call, int i) { return op_of(call).tensor[i].name; }

// Of a pointer of any kind.
Failure not_null(const Rule& rule, const Call& call) {
    const Operator& op = op_of(call);
    const int i = rule.argument;
    const char* name = nullptr;
    const void* pointer = nullptr;
    switch (rule.kind) {
        case ArgumentKind::tensor: name = op.tensor[i].name, pointer = call.tensors[i]; break;
        case ArgumentKind::ints: name = op.array[i].name, pointer = call.arrays[i]; break;
        case ArgumentKind::floats: name = op.float_array[i].name, pointer = call.float_arrays[i]; break;
        default: name = op.scalar[i].name, pointer = call.scalars[i].text;
    }
    if (pointer != nullptr) return {};
    return rule.kind == ArgumentKind::text
               ? refuse("{", name, "} is a null pointer, expected a text that ends with 0; pass one")
               : refuse("{", name, "} is a null pointer, expected a valid handle; create it before this call");
}

Failure soc(const Call& call) {
    const Operator& op = op_of(call);
    const Bits having = op.socs | (call.mode.profile == Profile::device ? op.device_socs : 0);
    if (having & bit(call.mode.soc)) return {};
    std::string names;
    for (Soc soc : kSocs)
        if (having & bit(soc)) names += (names.empty() ? "" : ", ") + std::string(name_of(soc));
    return refuse("the SoC ", name_of(call.mode.soc), " does not have this operator, expected one of ", names,
                  "; set ACLTWIN_SOC to one of these");
}

// After it, no product of dims of one tensor can overflow.
Failure tensor_shape(const Call& call) {
    for (int i = 0; i < op_of(call).tensors; ++i) {
        if (call.tensors[i] == nullptr) continue;
        const Tensor& tensor = *call.tensors[i];
        if (tensor.rank > kMaxRank)
            return refuse("{", tensor_name(call, i), "} has ", tensor.rank, " dimensions, expected at most ", kMaxRank,
                          "; reshape it");
        if (std::any_of(tensor.dims, tensor.dims + tensor.rank, [](int64_t dim) { return dim < 0; }))
            return refuse("{", tensor_name(call, i), "} has shape ", shape_of(tensor),
                          ", expected no negative dimension; create it with its real shape");
        if (bytes_overflow(tensor.dims, tensor.rank, size_of(tensor.dtype)))
            return refuse("{", tensor_name(call, i), "} has shape ", shape_of(tensor),
                          ", expected fewer than 2^63 bytes; create it with its real shape");
    }
    return {};
}

bool is_integer(const DTypeFacts& facts) { return facts.kind == 'i' || facts.kind == 'u'; }

// Whether a tensor of integers is refused for being summed.
bool would_sum_integers(const Call& call, const TensorArgument& argument, DType dtype, Bits legal) {
    const DTypeFacts* const facts = facts_of(dtype);
    if (from_aclnn(call) || holds_places(argument.holds) || facts == nullptr || !is_integer(*facts)) return false;
    return std::none_of(std::begin(kDTypes), std::end(kDTypes),
                        [&](const DTypeFacts& other) { return has(legal, other.dtype) && is_integer(other); });
}

Failure dtype(const Call& call, const TensorArgument& argument, const Tensor& tensor) {
    const Bits legal = argument.dtypes | (from_aclnn(call) ? 0 : argument.array_dtypes);
    if (has(legal, tensor.dtype)) return {};
    const bool sums = would_sum_integers(call, argument, tensor.dtype, legal);
    return refuse("{", argument.name, "} is ", name_of(tensor.dtype), ", expected ", dtype_names(legal),
                  sums ? ", because values are summed" : "", "; convert it to one of these");
}

Failure soc_dtype(const Call& call, const TensorArgument& argument, const Tensor& tensor) {
    const Bits lacking = argument.lacking[int(call.mode.soc)];
    if (!has(lacking, tensor.dtype)) return {};
    return refuse("{", argument.name, "} is ", name_of(tensor.dtype), ", expected ",
                  dtype_names(argument.dtypes & ~lacking), " on ", name_of(call.mode.soc),
                  "; convert it, or set ACLTWIN_SOC to a SoC that has ", name_of(tensor.dtype));
}

// Where C is last, tensors have both batch axes.
Bits legal_ranks(const Call& call, const TensorArgument& argument, Format format) {
    return channels_last(call, format) ? argument.ranks & bit(2 + op_of(call).axes) : argument.ranks;
}

// "5 (N, C, D, H, W)" or "4 (C, D, H, W) or 5 (N, C, D, H, W)"
std::string ranks_text(const Call& call, Bits ranks, Format format) {
    std::string text;
    for (int rank = 0; rank <= kMaxRank; ++rank)
        if (ranks & bit(rank))
            text += (text.empty() ? "" : " or ") + std::to_string(rank) + " " + axes_text(call, rank, format);
    return text;
}

Failure rank(const Call& call, const TensorArgument& argument, const Tensor& tensor) {
    const Bits legal = legal_ranks(call, argument, tensor.format);
    if (legal & bit(tensor.rank)) return {};  // "tensor_shape" comes first: the rank is small
    const bool too_many = bit(tensor.rank) > legal;
    const auto position = &argument - op_of(call).tensor;
    std::string fix = too_many ? "; reshape it" : "; add the missing dimensions with size 1";
    for (const Operator& other : operators())
        if (!other.c_only && std::strcmp(other.task, op_of(call).task) == 0 &&
            (other.tensor[position].ranks & bit(tensor.rank)) && !(argument.ranks & bit(tensor.rank)))
            fix = std::string("; for ") + std::to_string(tensor.rank) + " dimensions call " +
                  (from_aclnn(call) ? other.aclnn_name : other.name) +
                  (too_many ? "" : ", or add the missing dimensions with size 1");
    return refuse("{", argument.name, "} has ", tensor.rank, tensor.rank == 1 ? " dimension, " : " dimensions, ",
                  shape_of(tensor), ", expected ", ranks_text(call, legal, tensor.format), fix);
}

Failure length(const Rule& rule, const Call& call) {
    const IntArray& array = *call.arrays[rule.argument];
    const Bits legal = rule.counts | (from_aclnn(call) ? 0 : rule.array_counts);
    if (array.size >= 0 && array.size < 32 && (legal & bit(int(array.size)))) return {};
    std::string counts;
    for (int count = 0; count < 32; ++count)
        if (legal & bit(count))
            counts += (counts.empty() ? "" : (legal >> count) == 1 ? " or " : ", ") + std::to_string(count);
    const std::string has = array.size == 0 ? "no" : std::to_string(array.size);
    return refuse("{", op_of(call).array[rule.argument].name, "} has ", has, array.size == 1 ? " value" : " values",
                  ", expected ", counts, " ", rule.meaning);
}

Failure positive(const Rule& rule, const Call& call) {
    const IntArray& array = *call.arrays[rule.argument];
    if (std::all_of(array.values, array.values + array.size, [](int64_t value) { return value > 0; })) return {};
    return refuse("{", op_of(call).array[rule.argument].name, "} is ", text_of(array),
                  ", expected 1 or more on every axis");
}

Failure format(const TensorArgument& argument, const Tensor& tensor) {
    std::string names;
    for (const Format* legal = argument.formats; *legal != Format::undefined; ++legal) {
        if (*legal == tensor.format) return {};
        names += (names.empty() ? "" : ", ") + std::string(name_of(*legal));
    }
    return refuse("{", argument.name, "} has format ", name_of(tensor.format), ", expected one of ", names,
                  "; create it with one of these");
}

Failure public_format(const Call& call) {
    constexpr Format kPrivate[] = {Format::nc1hwc0,          Format::nc1hwc0_c04,     Format::ndc1hwc0,
                                   Format::fractal_z,        Format::fractal_z_3d,    Format::fractal_nz,
                                   Format::fractal_nz_c0_2,  Format::fractal_nz_c0_4, Format::fractal_nz_c0_8,
                                   Format::fractal_nz_c0_16, Format::fractal_nz_c0_32};
    for (int i = 0; i < op_of(call).tensors; ++i) {
        const Format format = call.tensors[i]->format;
        if (std::find(std::begin(kPrivate), std::end(kPrivate), format) != std::end(kPrivate))
            return refuse("{", tensor_name(call, i), "} has the private format ", name_of(format),
                          ", expected a public one; create it as ND");
    }
    return {};
}

Failure contiguous(const TensorArgument& argument, const Tensor& tensor) {
    if (tensor.contiguous()) return {};
    return refuse("{", argument.name, "} has shape ", shape_of(tensor), " and strides ",
                  text_of(tensor.strides, tensor.rank), ", expected a contiguous one; create it without strides");
}

// What to do about a tensor that does not fit the others.
const char* fix_of(const Call& call, const TensorArgument& argument) {
    return &argument < call.op->tensor + call.op->inputs() ? "; use the tensors and arguments of one forward pass"
                                                           : "; create it with that shape";
}

// D, H, W are the values of outputSize, the first array.
Failure plane(const Call& call, const TensorArgument& argument, const Tensor& tensor) {
    const int64_t* const plane = plane_of(call, tensor);
    if (std::equal(plane, plane + call.op->axes, call.arrays[0]->values)) return {};
    return refuse("{", argument.name, "} is ", shape_of(tensor), ", expected ", axis_names(*call.op), " = ",
                  text_of(*call.arrays[0]), " of {", call.op->array[0].name, "}", fix_of(call, argument));
}

// Some dimensions are above 0.
Failure filled(const Rule& rule, const Call& call, const TensorArgument& argument, const Tensor& tensor) {
    int first = 0, count = tensor.rank;
    const char* which = "every dimension";
    switch (rule.check) {
        case Check::batch_filled: which = "N", first = axis_order(call, tensor).axis[0], count = 1; break;
        case Check::channels_filled: which = "C", first = axis_order(call, tensor).axis[1], count = 1; break;
        case Check::rest_filled: which = "every dimension but the first", first = 1, --count; break;
        case Check::plane_filled:
            which = "every dimension but N and C", first = first_spatial(call, tensor), count = call.op->axes;
            break;
        default: break;
    }
    if (std::all_of(tensor.dims + first, tensor.dims + first + count, [](int64_t dim) { return dim > 0; })) return {};
    return refuse("{", argument.name, "} is ", shape_of(tensor), " = ", axes_text(call, tensor), ", expected ", which,
                  " above 0; skip the call where ", *rule.meaning ? rule.meaning : "there is nothing to compute");
}

// ---- one tensor against another ----

struct Pair {
    const Call& call;
    const TensorArgument& argument;
    const Tensor& tensor;
    const char* other_name;
    const Tensor& other;

    template <class... Parts>
    Failure refuse_formats(const Parts&... expected) const {
        return refuse("{", other_name, "} has format ", name_of(other.format), " and {", argument.name, "} ",
                      name_of(tensor.format), ", expected ", expected..., "; create both with the same format");
    }
};

Failure same_dtype(const Pair& of) {
    if (of.tensor.dtype == of.other.dtype) return {};
    return refuse("{", of.argument.name, "} is ", name_of(of.tensor.dtype), ", expected ", name_of(of.other.dtype),
                  " like {", of.other_name, "}; convert one of the two");
}

Failure same_rank(const Pair& of) {
    if (of.tensor.rank == of.other.rank) return {};
    return refuse("{", of.argument.name, "} has ", of.tensor.rank, " dimensions, ", shape_of(of.tensor), ", expected ",
                  of.other.rank, " like {", of.other_name, "} ", shape_of(of.other), "; give it all of ",
                  axes_text(of.call, of.other));
}

Failure same_shape(const Pair& of) {
    const Tensor &tensor = of.tensor, &other = of.other;
    if (tensor.rank == other.rank && std::equal(other.dims, other.dims + other.rank, tensor.dims)) return {};
    return refuse("{", of.argument.name, "} is ", shape_of(tensor), ", expected ", shape_of(other), " like {",
                  of.other_name, "}; use the tensors of one forward pass");
}

// Rank, N and C.
Failure same_batch(const Pair& of) {
    const BatchSizes own = batch_of(of.call, of.tensor), batch = batch_of(of.call, of.other);
    if (of.tensor.rank == of.other.rank && std::equal(own.size, own.size + own.count, batch.size)) return {};
    const char* const names = batch.count == 2 ? "N, C" : of.call.op->lone_axis == 'N' ? "N" : "C";
    return refuse("{", of.argument.name, "} is ", shape_of(of.tensor), ", expected ", axes_text(of.call, of.other),
                  " with ", names, " = ", text_of(batch.size, batch.count), " like {", of.other_name, "} ",
                  shape_of(of.other), fix_of(of.call, of.argument));
}

Failure same_format(const Pair& of) {
    return of.tensor.format == of.other.format ? Failure() : of.refuse_formats("the same");
}

Failure same_axis_order(const Pair& of) {
    const Format last = of.call.op->channels_last_format();
    if ((of.tensor.format == last) == (of.other.format == last)) return {};
    return of.refuse_formats("both ", name_of(last), " or neither");
}

}  // namespace

Failure check_declared(const Rule& rule, const Call& call) {
    switch (rule.check) {
        case Check::not_null: return not_null(rule, call);
        case Check::soc: return soc(call);
        case Check::tensor_shape: return tensor_shape(call);
        case Check::length: return length(rule, call);
        case Check::positive: return positive(rule, call);
        case Check::public_format: return public_format(call);
        case Check::result_bytes: return result_bytes(rule, call);
        case Check::resized: return result_size(call);
        default: break;
    }
    // A null tensor is a result that is not there yet.
    const int second = rule.other < 0 ? rule.argument : rule.other;
    const Tensor *const tensor = call.tensors[rule.argument], *const other = call.tensors[second];
    if (tensor == nullptr || other == nullptr) return {};
    const TensorArgument& argument = op_of(call).tensor[rule.argument];
    const Pair pair = {call, argument, *tensor, tensor_name(call, second), *other};
    switch (rule.check) {
        case Check::dtype: return dtype(call, argument, *tensor);
        case Check::soc_dtype: return soc_dtype(call, argument, *tensor);
        case Check::rank: return rank(call, argument, *tensor);
        case Check::format: return format(argument, *tensor);
        case Check::contiguous: return contiguous(argument, *tensor);
        case Check::plane: return plane(call, argument, *tensor);
        case Check::same_dtype: return same_dtype(pair);
        case Check::same_rank: return same_rank(pair);
        case Check::same_shape: return same_shape(pair);
        case Check::same_batch: return same_batch(pair);
        case Check::same_format: return same_format(pair);
        case Check::same_axis_order: return same_axis_order(pair);
        default: return filled(rule, call, argument, *tensor);
    }
}

}  // namespace acltwin
