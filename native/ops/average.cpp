// Averages over windows of one size, whose sums are divided by the number of their cells, with or without padding, or
// by divisorOverride; averages over windows that follow from the sizes, where cell o of out covers cells floor(o * in /
// out) to ceil((o + 1) * in / out) - 1 of self; and the gradients. The tensors are self and out, or gradOutput, self
// and the gradient of self.
#include "ops/pool.h"

namespace acltwin {

namespace average {

namespace {

// Takes divisors that are all the same out of a table; 0 if they are not.
double take_divisor(WeightTable& table) {
    const std::vector<double>& all = table.divisor;
    if (all.empty()) return 1;
    const double first = all.front();
    if (!std::all_of(all.begin(), all.end(), [&](double divisor) { return divisor == first; })) return 0;
    table.divisor.clear();
    return first;
}

// All results divided by one number more.
void divide_by(WeightedSum& sum, double divisor) {
    if (divisor == 1) return;
    std::vector<double>& all = sum.table[0].divisor;
    if (all.empty()) all.assign(sum.table[0].first.size(), 1);
    for (double& one : all) one *= divisor;
}

}  // namespace

std::unique_ptr<Plan> plan(const Call& call, WeightTable (*table)(const Call& call, int axis, int64_t in, int64_t out),
                           int64_t divisor) {
    WeightedSum sum;
    sum.result = call.op->inputs();
    sum.dtype = call.tensors[sum.result]->dtype;
    read_tensors(call, *call.tensors[0], *call.tensors[sum.result], sum);
    double common = 1;
    fill_tables(call, sum, sum.table, same_cells(1), [&](int axis, int64_t in, int64_t out) {
        WeightTable windows = table(call, axis, in, out);
        if (divisor != 0) windows.divisor.clear();
        if (const double same = take_divisor(windows)) common *= same;
        return call.op->is_gradient ? transposed(windows, in) : std::move(windows);
    });
    divide_by(sum, divisor != 0 ? double(divisor) : common);
    return plan_weighted_sum(std::move(sum));
}

}  // namespace average

namespace avg_pool {

std::unique_ptr<Plan> plan(const Call& call) {
    const auto table = [](const Call& of, int i, int64_t in, int64_t out) {
        const PoolAxis axis = pool::axis(of, i);
        const bool count_padding = of.scalar("countIncludePad").integer != 0;
        return window_table(in, out, {axis.kernel, axis.stride, axis.padding, count_padding});
    };
    return average::plan(call, table, call.scalar("divisorOverride").integer);
}

// A format says which axes a tensor has: NCHW four, NCL three.
Failure format_rank(const Call& call) {
    for (int i = 0; i < call.op->tensors; ++i) {
        const Tensor* tensor = call.tensors[i];
        if (tensor == nullptr || (tensor->format == Format::nchw) == (tensor->rank == 4)) continue;
        return refuse("{", call.op->tensor[i].name, "} has ", tensor->rank, " dimensions and format ",
                      name_of(tensor->format), ", expected NCHW for 4 dimensions and NCL for 3; create it so");
    }
    return {};
}

Failure kernel_input(const Call& call) {
    for (int i = 0; i < call.op->axes; ++i) {
        const int64_t cells = pool::plane_of_self(call)[i];
        if (pool::axis(call, i).kernel <= cells) continue;
        return refuse("{kernelSize} is ", text_of(*call.arrays[0]), " and ", axis_name(*call.op, i), " of {self} ",
                      cells, ", expected a kernel of at most that size; use a smaller one");
    }
    return {};
}

// ---- cubeMathType: in which precision the device's matrix unit computes ----

Failure cube_math_type_range(const Call& call) {
    const int64_t type = call.scalar("cubeMathType").integer;
    const int most = call.op->is_gradient ? 3 : 4;
    if (type >= 0 && type <= most) return {};
    return refuse("{cubeMathType} is ", type, ", expected 0 to ", most, "; pass 0");
}

Failure cube_math_type_soc(const Call& call) {
    const Tensor& self = pool::self_of(call);
    if (self.dtype != DType::float32) return {};
    const int64_t type = call.scalar("cubeMathType").integer, *const cells = pool::plane_of_self(call);
    const char* const soc = name_of(call.mode.soc);
    if (call.mode.soc == Soc::ascend910 && type != 1 && type != 2)
        return refuse("{cubeMathType} is ", type, " for float32 on ", soc,
                      ", expected 1 or 2: its matrix unit has no float32; pass one of these");
    if (call.mode.soc != Soc::ascend910b && call.mode.soc != Soc::ascend910_93) return {};
    if (type == 0 || type == 2) return {};
    // The paths through the matrix unit; the vector unit ignores it.
    const PoolAxis h = pool::axis(call, 0), w = pool::axis(call, 1);
    const bool whole = h.kernel == cells[0] && w.kernel == cells[1] && h.padding == 0 && w.padding == 0;
    const bool square = cells[1] / cells[0] < 2 && cells[0] / cells[1] < 2;
    const bool small =
        h.kernel <= 255 && w.kernel <= 255 && (h.kernel * w.kernel <= 255 || (h.kernel <= 20 && w.kernel <= 20));
    const int64_t divisor = call.scalar("divisorOverride").integer;
    const bool few = self.dims[axis_order(call, self).axis[1]] < 65536 && divisor >= -255 && divisor <= 255;
    if (!whole && !(square && small && few && !pool::ceil_mode(call))) return {};
    return refuse("{cubeMathType} is ", type, " for float32 on ", soc, ", expected 0 or 2; pass 0");
}

}  // namespace avg_pool

namespace adaptive_avg_pool {
std::unique_ptr<Plan> plan(const Call& call) {
    return average::plan(call, [](const Call&, int, int64_t in, int64_t out) { return adaptive_table(in, out); });
}
}  // namespace adaptive_avg_pool

}  // namespace acltwin
