// Max pooling whose second result is the device's mask: bytes that hold the int32 indices of all planes one after the
// other, or, for a window of one cell, bits that are all set; and the gradient of that, which reads them.
#include <algorithm>
#include <cstring>
#include <limits>

#include "kernels/saturating.h"
#include "ops/pool.h"

namespace acltwin {

namespace max_pool_mask {

namespace {

bool one_tap(const Call& call) {
    for (int i = 0; i < call.op->axes; ++i)
        if (pool::axis(call, i).kernel != 1) return false;
    return true;
}

int64_t windows_per_plane(const Call& call) {
    int64_t windows = 1;
    for (int i = 0; i < call.op->axes; ++i) windows = saturating_product(windows, pool::windows(call, i));
    return windows;
}

// Bits come in words of 16 channels, these in blocks of 16 windows, and a plane has a block more than it fills.
constexpr int64_t kWindows = 16, kBlock = 32;
int64_t row_bytes(int64_t windows) {
    return saturating_product(saturating_sum(divide_up(windows, kWindows), 1), kBlock);
}

// [N,] C, taps of a window, bytes of a row; what is too large stays so.
Tensor mask(const Call& call) {
    Tensor mask = pool::self_of(call);
    mask.data = nullptr;
    mask.dtype = DType::int8;
    const int batch = mask.rank - call.op->axes;
    mask.rank = batch + 2;
    mask.dims[batch] = 1;
    for (int i = 0; i < call.op->axes; ++i)
        mask.dims[batch] = saturating_product(mask.dims[batch], pool::axis(call, i).kernel);
    mask.dims[batch + 1] = row_bytes(windows_per_plane(call));
    mask.set_contiguous_strides();
    return mask;
}

// The indices as the tensor that they are: of one for each window, contiguous.
void read_strides(const Call& call, const Tensor& windows, int64_t strides[5]) {
    Tensor indices = windows;
    indices.set_contiguous_strides();
    read_axes(call, indices, nullptr, strides);
}

class OneTap final : public Plan {
public:
    OneTap(std::unique_ptr<Plan> copy, int64_t rows, int64_t windows)
        : copy_(std::move(copy)), rows_(rows), row_(row_bytes(windows)), set_(row_ - kBlock) {
        scratch_bytes_ = copy_->scratch_bytes();
    }
    Failure run(void* const data[], void* scratch) const override {
        for (int64_t i = 0; i < rows_; ++i) std::memset(static_cast<char*>(data[2]) + i * row_, 0xFF, size_t(set_));
        return copy_->run(data, scratch);
    }
    std::string variant() const override { return copy_->variant() + ", bits"; }

private:
    const std::unique_ptr<Plan> copy_;
    const int64_t rows_, row_, set_;
};

}  // namespace

Failure plane_cells(const Call& call) {
    return plane_in_int32(call, ": the mask holds int32 indices", "use smaller planes");
}

Failure indices_bytes(const Call& call) {
    if (countable(call, 1)) return {};
    return refuse("{self} is ", shape_of(pool::self_of(call)), ", for which ", pool::window_text(call),
                  " needs a mask ", shape_of(mask(call)), ", expected fewer than 2^63 bytes; use a smaller kernel");
}

// Of the second result, or of a gradient's third tensor.
Failure indices_shape(const Call& call) {
    return has_shape(call, 2, mask(call), [](const Call& of, const Tensor&) {
        return sentence(", the mask of {self} ", shape_of(pool::self_of(of)), " with ", pool::window_text(of), "; ",
                        of.op->is_gradient ? "pass that of the forward pass" : "create it with that shape");
    });
}

Tensor infer(const Call& call, int result) { return result == 0 ? pool::infer(call, 0) : mask(call); }

std::unique_ptr<Plan> plan(const Call& call) {
    WindowMax windows = pool::window_max(call);
    if (!one_tap(call)) windows.index_dtype = DType::int32;
    read_strides(call, *call.tensors[1], windows.index_strides);
    pool::set_windows(call, windows);
    std::unique_ptr<Plan> values = plan_window_max(windows);
    if (!one_tap(call)) return values;
    const int64_t rows = windows.result_dims[0] * divide_up(windows.result_dims[1], 16);
    return std::make_unique<OneTap>(std::move(values), rows, windows_per_plane(call));
}

}  // namespace max_pool_mask

namespace max_pool_mask_backward {

std::unique_ptr<Plan> plan(const Call& call) {
    using namespace max_pool_mask;
    if (one_tap(call)) {  // each gradient goes to the one cell of its window
        const auto table = [](const Call& of, int i, int64_t in, int64_t out) {
            return window_table(in, out, {1, pool::axis(of, i).stride, 0, false});
        };
        return average::plan(call, table);
    }
    WindowScatter scatter = pool::window_scatter(call);
    scatter.index_dtype = DType::int32;
    read_strides(call, *call.tensors[0], scatter.index_strides);
    pool::set_windows(call, scatter, std::numeric_limits<int32_t>::max());
    return plan_window_scatter(scatter);
}

}  // namespace max_pool_mask_backward

}  // namespace acltwin
