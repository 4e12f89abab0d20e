#include "ops/average.h"

#include <algorithm>

#include "ops/axes.h"

namespace acltwin::average {

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

WeightedSum geometry(const Call& call, const Tensor& source, const Tensor& result) {
    WeightedSum sum;
    sum.result = call.op->inputs();
    sum.dtype = result.dtype;
    read_axes(call, source, sum.source_dims, sum.source_strides);
    read_axes(call, result, sum.result_dims, sum.result_strides);
    for (WeightTable& table : sum.table) table = same_cells(1);
    return sum;
}

}  // namespace

std::unique_ptr<Plan> plan_forward(const Call& call, const Tensor& source, const Tensor& result,
                                   WeightTable (*table)(const Call& call, int axis, int64_t in, int64_t out),
                                   int64_t divisor) {
    WeightedSum sum = geometry(call, source, result);
    double common = 1;
    for (int i = 0; i < call.op->axes; ++i) {
        const int axis = 3 - call.op->axes + i;
        sum.table[axis] = table(call, i, sum.source_dims[2 + axis], sum.result_dims[2 + axis]);
        if (divisor != 0) sum.table[axis].divisor.clear();
        if (const double same = take_divisor(sum.table[axis])) common *= same;
    }
    divide_by(sum, divisor != 0 ? double(divisor) : common);
    return plan_weighted_sum(std::move(sum));
}

std::unique_ptr<Plan> plan_gradient(const Call& call, const Tensor& source, const Tensor& result,
                                    WeightTable (*table)(const Call& call, int axis, int64_t in, int64_t out),
                                    int64_t divisor) {
    WeightedSum sum = geometry(call, source, result);
    double common = 1;
    for (int i = 0; i < call.op->axes; ++i) {
        const int axis = 3 - call.op->axes + i;
        const int64_t in = sum.result_dims[2 + axis];
        WeightTable windows = table(call, i, in, sum.source_dims[2 + axis]);
        if (divisor != 0) windows.divisor.clear();
        if (const double same = take_divisor(windows)) common *= same;
        sum.table[axis] = transposed(windows, in);
    }
    divide_by(sum, divisor != 0 ? double(divisor) : common);
    return plan_weighted_sum(std::move(sum));
}

}  // namespace acltwin::average
