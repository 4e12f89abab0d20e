#include "python/xla_planes.h"

#include <algorithm>
#include <cstring>

#include "core/dtypes.h"
#include "python/execute.h"

namespace acltwin {
namespace {

uint64_t mark_of(const DTypeFacts& facts) {
    switch (facts.kind) {
        case 'f': return facts.bytes == 2 ? 0x7e00 : facts.bytes == 4 ? 0x7fc00000 : 0x7ff8000000000000;
        case 'V': return 0x7fc0;  // bfloat16
        case 'i': return uint64_t(1) << (8 * facts.bytes - 1);
        default: return ~uint64_t(0);
    }
}

// Writes the low bytes of `mark` to every element, axis by axis.
void fill(const Tensor& tensor, uint64_t mark, int axis, char* data) {
    const size_t size = size_of(tensor.dtype);
    if (axis == tensor.rank) {
        std::memcpy(data, &mark, size);  // little-endian, like every machine we run on
        return;
    }
    for (int64_t i = 0; i < tensor.dims[axis]; ++i)
        fill(tensor, mark, axis + 1, data + i * tensor.strides[axis] * int64_t(size));
}

// The call for one plane: every tensor cut to it.
class PlaneCall {
public:
    PlaneCall(const FrameCall& read, int64_t plane) : read_(read), call_(read.with_results()) {
        for (int i = 0; i < read.op->tensors; ++i) {
            tensors_[i] = read.tensors[i];
            cut(tensors_[i], plane);
            call_.tensors[i] = &tensors_[i];
        }
    }

    void run() const {
        if (!execute(*read_.op, call_)) return;
        for (int i = read_.op->inputs(); i < read_.op->tensors; ++i)
            fill(tensors_[i], mark_of(*facts_of(tensors_[i].dtype)), 0, static_cast<char*>(tensors_[i].data));
    }

private:
    void cut(Tensor& tensor, int64_t plane) const {
        int64_t offset = 0;
        for (int axis = tensor.rank - read_.op->axes - 1; axis >= 0; --axis) {
            offset += plane % tensor.dims[axis] * tensor.strides[axis];
            plane /= tensor.dims[axis];
            tensor.dims[axis] = 1;
        }
        if (tensor.data != nullptr)
            tensor.data = static_cast<char*>(tensor.data) + offset * int64_t(size_of(tensor.dtype));
    }

    const FrameCall& read_;
    Tensor tensors_[kMaxTensors];
    Call call_;
};

}  // namespace

void run_planes(const FrameCall& read) {
    const Tensor& first = read.tensors[0];
    int64_t planes = 1;
    for (int axis = 0; axis < first.rank - read.op->axes; ++axis) planes *= first.dims[axis];
    for (int64_t plane = 0; plane < planes; ++plane) PlaneCall(read, plane).run();
}

}  // namespace acltwin
