#include "python/inverted_scale.h"

#include "core/sentence.h"
#include "python/python.h"

namespace acltwin {
namespace {

const int64_t* spatial_dims(const Operator& op, const Tensor& tensor) {
    return tensor.dims + (tensor.format == op.channels_last_format() ? 1 : 2);
}

// Distances are those of logarithms, so a scale is nearer to the inverse if it is on the other side of 1.
bool is_inverted(float scale, int64_t out, int64_t in) {
    return scale > 1 ? out < in : scale > 0 && scale < 1 && out > in;
}

}  // namespace

bool has_scales(const Call& call) {
    for (int i = 0; i < call.op->scales; ++i)
        if (call.scale(i) != 0) return true;
    return false;
}

std::string inverted_scale(const Call& call, const Tensor& result) {
    const Operator& op = *call.op;
    const int64_t* out = spatial_dims(op, op.is_gradient ? *call.tensors[0] : result);
    const int64_t* in = spatial_dims(op, op.is_gradient ? result : *call.tensors[0]);
    for (int i = 0; i < op.scales; ++i) {
        if (!is_inverted(float(call.scale(i)), out[i], in[i])) continue;
        return sentence(
            op.name, ": ", op.scalar[op.first_scale + i].python_name, " is ", call.scale(i), ", but output / input is ",
            out[i], " / ", in[i], " = ", double(out[i]) / double(in[i]),
            ": it looks inverted; pass output size / input size of the forward pass, or 0 to use only the sizes");
    }
    return {};
}

bool warn_of_inverted_scale(const std::string& text) {
    Object warn = import_attribute("acltwin._warnings", "warn_of_inverted_scale");
    Object message(PyUnicode_FromString(text.c_str()));
    return warn && message && Object(PyObject_CallFunctionObjArgs(warn.get(), message.get(), nullptr));
}

}  // namespace acltwin
