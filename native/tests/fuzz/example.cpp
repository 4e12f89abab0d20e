#include "tests/fuzz/example.h"

#include <algorithm>
#include <cstring>
#include <limits>
#include <string>

#include "core/dtypes.h"
#include "ops/pool.h"

namespace acltwin::fuzz {

namespace {

constexpr int64_t kMost = std::numeric_limits<int64_t>::max();

int64_t odd_number(Bytes& bytes) {
    return bytes.pick<int64_t>({0, -1, 1, 2, 1 << 20, int64_t(1) << 31, int64_t(1) << 40, kMost, -kMost - 1});
}

double odd_scale(Bytes& bytes) {
    const double any[] = {2, 0.5, 1, 1.5, -1, 50, 51, 1e-300, 1e300, std::numeric_limits<double>::infinity()};
    const int64_t i = bytes.below(11);
    return i == 10 ? std::numeric_limits<double>::quiet_NaN() : any[i];
}

DType pick_dtype(Bits dtypes, Bytes& bytes) {
    std::vector<DType> all;
    for (const DTypeFacts& facts : kDTypes)
        if (has(dtypes, facts.dtype)) all.push_back(facts.dtype);
    return all[size_t(bytes.below(int64_t(all.size())))];
}

}  // namespace

Kind kind_of(const Operator& op) {
    const auto does = [&](const char* what) { return std::strstr(op.task, what) != nullptr; };
    const Kind forward = does("unpooling")         ? Kind::unpool
                         : does("adaptive")        ? Kind::adaptive
                         : does("average pooling") ? Kind::average
                         : does("max pooling")     ? Kind::pool
                                                   : Kind::upsample;
    return Kind(int(forward) + (op.is_gradient ? 1 : 0));
}

Example::Example(Bytes& bytes) : op(operators().begin()) {
    op += bytes.below(operators().end() - operators().begin());
    kind = kind_of(*op);
    mode.door = op->c_only || bytes.rarely(2) ? Door::aclnn : Door::array;
    mode.profile = bytes.rarely(2) ? Profile::documented : Profile::device;
    mode.map = mode.door == Door::array && bytes.rarely(2) ? MapRule::torch : MapRule::device;
    if (bytes.rarely(4)) mode.soc = Soc(bytes.below(4));
    channels_last = op->reads_channels_last && bytes.rarely(4);
    lone = op->lone_axis != 0 && bytes.rarely(3);
    build_shapes(bytes);
    while (bytes.rarely(4)) {
        spoil(bytes);
        spoiled = true;
    }
}

void Example::describe(int i, const Shape& shape, DType dtype) {
    shapes[i] = shape;
    Tensor& tensor = tensors[i];
    tensor = {};
    tensor.dtype = dtype;
    tensor.format = channels_last ? op->channels_last_format() : op->tensor[i].formats[0];
    const auto add = [&](int64_t dim) { tensor.dims[tensor.rank++] = dim; };
    add(lone ? shape.n * shape.c : shape.n);
    if (lone) {
        shapes[i].n *= shape.c;
        shapes[i].c = 1;
    }
    if (!lone && !channels_last) add(shape.c);
    for (int axis = 3 - op->axes; axis < 3; ++axis) add(shape.cells[axis]);
    if (!lone && channels_last) add(shape.c);
    tensor.set_contiguous_strides();
}

void Example::build_shapes(Bytes& bytes) {
    const int axes = op->axes;
    Shape small, large;
    small.n = large.n = bytes.rarely(8) ? 0 : 1 + bytes.below(2);
    small.c = large.c = bytes.rarely(8) ? 0 : 1 + bytes.below(3);
    for (int axis = 3 - axes; axis < 3; ++axis) {
        small.cells[axis] = 1 + bytes.below(axis == 2 ? 19 : 6);
        large.cells[axis] = 1 + bytes.below(axis == 2 ? 40 : 8);
    }
    const bool averages = kind == Kind::average || kind == Kind::average_backward;
    const bool of_window = kind == Kind::pool || kind == Kind::pool_backward || (averages && op->arrays > 1);
    const DType dtype =
        pick_dtype(op->tensor[0].dtypes | (mode.door == Door::array ? op->tensor[0].array_dtypes : 0), bytes);
    if (of_window) {
        const bool ceil_mode = bytes.rarely(2);
        const bool plain = kind == Kind::pool && op->results == 1;
        scalars[plain ? 1 : 0] = ceil_mode;  // the other one is autoPad
        if (averages) {
            scalars[1] = bytes.rarely(2);                                  // countIncludePad
            scalars[2].integer = bytes.rarely(4) ? odd_number(bytes) : 0;  // divisorOverride
        }
        const int64_t length = bytes.rarely(3) ? 1 : axes;
        for (int64_t i = 0; i < length; ++i) {
            arrays[0].push_back(1 + bytes.below(4));
            arrays[1].push_back(1 + bytes.below(4));
            arrays[2].push_back(bytes.below(arrays[0].back() / 2 + 1));
            arrays[3].push_back(!averages && !plain && !masks() && bytes.rarely(8) ? 2 : 1);
        }
        if (plain && length == axes && bytes.rarely(2))
            for (int64_t i = 0; i < length; ++i)
                arrays[2].push_back(bytes.below(arrays[0][size_t(i)] - arrays[2][size_t(i)] + 1));
        if (bytes.rarely(4)) arrays[1].clear();
        const Call windows = call(mode.door, /*with_results=*/false);
        for (int i = 0; i < axes; ++i)
            small.cells[3 - axes + i] = pool::axis(windows, i).windows(large.cells[3 - axes + i], ceil_mode);
    } else if (kind == Kind::adaptive || kind == Kind::average) {
        arrays[0].assign(small.cells + 3 - axes, small.cells + 3);
    } else if (kind != Kind::adaptive_backward && kind != Kind::average_backward) {
        for (int axis = 3 - axes; axis < 3; ++axis) {
            const bool unpool = kind == Kind::unpool || kind == Kind::unpool_backward;
            if (unpool) large.cells[axis] = std::max(large.cells[axis], small.cells[axis]);
            arrays[0].push_back(large.cells[axis]);
            if (unpool && op->arrays > 1) arrays[1].push_back(1 + bytes.below(3)), arrays[2].push_back(bytes.below(3));
        }
        if (kind == Kind::upsample_backward) {
            const bool by_format = channels_last && op->input_size_follows_format;
            arrays[1] = {small.n};
            if (!by_format) arrays[1].push_back(small.c);
            arrays[1].insert(arrays[1].end(), small.cells + 3 - axes, small.cells + 3);
            if (by_format) arrays[1].push_back(small.c);
        }
        if (op->scales > 0 && bytes.rarely(3))
            for (int i = 0; i < op->scales; ++i)
                scalars[op->first_scale + i] =
                    bytes.rarely(4) ? odd_scale(bytes)
                                    : double(large.cells[3 - axes + i]) / double(small.cells[3 - axes + i]);
    }
    one_tap = of_window && std::all_of(arrays[0].begin(), arrays[0].end(), [](int64_t size) { return size == 1; });
    index_dtype = bytes.rarely(2) ? DType::int64 : DType::int32;
    for (int i = 0; i < op->tensors; ++i) {
        const bool indices = op->tensor[i].holds == Holds::indices;
        if (op->tensor[i].holds == Holds::mask) {
            Shape mask = small;
            const std::vector<int64_t>& kernel = arrays[0];
            mask.cells[1] = kernel.size() == 1 ? kernel[0] * kernel[0] : kernel[0] * kernel[1];
            mask.cells[2] = ((small.volume() + 15) / 16 + 1) * 32;
            describe(i, mask, DType::int8);
            continue;
        }
        bool is_large = false;
        switch (kind) {
            case Kind::upsample: is_large = i == 1; break;           // self, out
            case Kind::upsample_backward: is_large = i == 0; break;  // gradOut, gradInput
            case Kind::pool:
            case Kind::average:
            case Kind::adaptive: is_large = i == 0; break;          // self, out, indices
            case Kind::average_backward: is_large = i != 0; break;  // gradOutput, self, gradInput
            case Kind::pool_backward:
            case Kind::adaptive_backward: is_large = i == 1 || i == 3; break;  // gradOutput, self, indices, gradInput
            case Kind::unpool: is_large = i == 2; break;                       // self, indices, outRef
            case Kind::unpool_backward: is_large = i == 0; break;              // gradOutput, self, indices, out
        }
        const bool narrow = indices && has(op->tensor[i].dtypes, index_dtype);
        describe(i, is_large ? large : small, indices ? (narrow ? index_dtype : DType::int64) : dtype);
    }
}

// One fault, anywhere.
void Example::spoil(Bytes& bytes) {
    Tensor& tensor = tensors[bytes.below(op->tensors)];
    std::vector<int64_t>& array = arrays[bytes.below(kMaxArrays)];
    const bool from_c = mode.door == Door::aclnn;  // the only door that lets nulls in
    switch (bytes.below(11)) {
        case 0: tensor.dims[bytes.below(kMaxRank)] = odd_number(bytes); break;
        case 1: tensor.rank = int(bytes.below(10)); break;
        case 2: tensor.dtype = DType(bytes.below(32) - 1); break;
        case 3: tensor.format = Format(bytes.below(60) - 1); break;
        case 4: tensor.strides[bytes.below(kMaxRank)] = odd_number(bytes); break;
        case 5: array.resize(size_t(bytes.below(7)), 1); break;
        case 6:
            if (!array.empty()) array[size_t(bytes.below(int64_t(array.size())))] = odd_number(bytes);
            break;
        case 7: {
            Scalar& scalar = scalars[bytes.below(kMaxScalars)];
            scalar.real = odd_scale(bytes);
            scalar.integer = odd_number(bytes);
            break;
        }
        case 8: missing_tensor[bytes.below(kMaxTensors)] = from_c; break;
        case 9: missing_array[bytes.below(kMaxArrays)] = from_c; break;
        case 10: tensor.dims[bytes.below(kMaxRank)] += bytes.below(3) - 1; break;
    }
}

Call Example::call(Door door, bool with_results) {
    Call call;
    call.op = op;
    views_.resize(kMaxArrays);
    for (int i = 0; i < op->arrays; ++i) {
        views_[size_t(i)] = {arrays[i].data(), int64_t(arrays[i].size())};
        if (!missing_array[i]) call.arrays[i] = &views_[size_t(i)];
    }
    for (int i = 0; i < (with_results ? op->tensors : op->inputs()); ++i)
        if (!missing_tensor[i]) call.tensors[i] = &tensors[i];
    std::copy(scalars, scalars + kMaxScalars, call.scalars);
    call.index_dtype = index_dtype;
    call.mode = mode;
    call.mode.door = door;
    return call;
}

bool Example::place(int i, Bytes& bytes) {
    Tensor& tensor = tensors[i];
    constexpr int64_t kLargest = 1 << 16;
    int64_t elements = 1;
    for (int axis = 0; axis < tensor.rank; ++axis) {
        if (axis >= kMaxRank || tensor.dims[axis] < 0 || tensor.dims[axis] > kLargest) return false;
        elements *= tensor.dims[axis];
        if (elements > kLargest) return false;
    }
    if (size_of(tensor.dtype) == 0) return false;
    std::vector<int> order;  // from the innermost axis outwards
    for (int axis = tensor.rank - 1; axis >= 0; --axis) order.push_back(axis);
    const bool plain = op->tensor[i].holds == Holds::mask || bytes.rarely(2), result = i >= op->inputs();
    if (!plain)
        for (size_t left = order.size(); left > 1; --left)
            std::swap(order[left - 1], order[size_t(bytes.below(int64_t(left)))]);
    int64_t step = plain || result ? 1 : 1 + bytes.below(2), low = 0, high = 0;
    for (int axis : order) {
        const bool broadcast = !plain && !result && bytes.rarely(6), backwards = !plain && bytes.rarely(4);
        const int64_t dim = std::max<int64_t>(tensor.dims[axis], 1);
        tensor.strides[axis] = broadcast ? 0 : backwards ? -step : step;
        (tensor.strides[axis] < 0 ? low : high) += (dim - 1) * tensor.strides[axis];
        if (!broadcast) step *= dim + (plain ? 0 : bytes.below(3));
        if (step > 16 * kLargest) return false;
    }
    const size_t element = size_of(tensor.dtype);
    block_bytes[i] = size_t(high - low + 1) * element;
    blocks[i].reset(new unsigned char[block_bytes[i]]);
    std::memset(blocks[i].get(), 0x5a, block_bytes[i]);
    tensor.data = blocks[i].get() - low * int64_t(element);
    return true;
}

unsigned char* Example::index_bytes(int64_t n, int64_t c, int64_t d, int64_t h, int64_t w) const {
    if (!masks()) {
        for (int i = 0; i < op->tensors; ++i)
            if (op->tensor[i].holds == Holds::indices) return at(i, n, c, d, h, w);
        return nullptr;
    }
    if (one_tap) return nullptr;
    const Shape& windows = shapes[op->is_gradient ? 0 : 1];
    const int64_t plane = (d * windows.cells[1] + h) * windows.cells[2] + w;
    return blocks[2].get() + 4 * ((n * windows.c + c) * windows.volume() + plane);
}

unsigned char* Example::at(int i, int64_t n, int64_t c, int64_t d, int64_t h, int64_t w) const {
    const Tensor& tensor = tensors[i];
    const int64_t place[3] = {d, h, w};
    int axis = 0;
    int64_t offset = n * tensor.strides[axis++];
    if (!lone && !channels_last) offset += c * tensor.strides[axis++];
    for (int k = 3 - op->axes; k < 3; ++k) offset += place[k] * tensor.strides[axis++];
    if (!lone && channels_last) offset += c * tensor.strides[axis++];
    return static_cast<unsigned char*>(tensor.data) + offset * int64_t(size_of(tensor.dtype));
}

}  // namespace acltwin::fuzz
