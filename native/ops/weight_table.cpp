#include "ops/weight_table.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "core/float_mode.h"
#include "ops/nearest_table.h"

namespace acltwin {

namespace {

// The cubic of Keys with parameter a: |x| <= 1, and 1 <= |x| <= 2.
double inner_cubic(double x, double a) { return ((a + 2) * x - (a + 3)) * x * x + 1; }
double outer_cubic(double x, double a) { return ((a * x - 5 * a) * x + 8 * a) * x - 4 * a; }

double filter_at(Filter filter, double x) {
    x = std::fabs(x);
    if (filter == Filter::linear_antialias) return x < 1 ? 1 - x : 0;
    return x < 1 ? inner_cubic(x, -0.5) : x < 2 ? outer_cubic(x, -0.5) : 0;
}

class Builder {
public:
    Builder(int64_t in, int64_t out, int64_t taps = 1) : in_(in) {
        table_.weight.reserve(size_t(out * taps));
        table_.first.reserve(size_t(out));
        table_.offset.reserve(size_t(out) + 1);
        table_.offset.push_back(0);
    }
    // The next cell takes n cells from `first` on.
    void add(int64_t first, const double* weights, int64_t n) {
        table_.first.push_back(first);
        for (int64_t k = 0; k < n; ++k) table_.weight.push_back(weights[k]);
        table_.offset.push_back(table_.offset.back() + n);
    }
    // The same, where cells outside stand for the nearest one inside.
    void add_clamped(int64_t first, const double* weights, int64_t n) {
        double inside[4] = {};
        const int64_t low = std::clamp<int64_t>(first, 0, in_ - 1),
                      high = std::clamp<int64_t>(first + n - 1, 0, in_ - 1);
        for (int64_t k = 0; k < n; ++k) inside[std::clamp<int64_t>(first + k, 0, in_ - 1) - low] += weights[k];
        add(low, inside, high - low + 1);
    }
    WeightTable take() { return std::move(table_); }

private:
    int64_t in_;
    WeightTable table_;
};

// In float32 or float64; every operation rounds. Not inlined: the compiler must not move the arithmetic out of the
// caller's FloatMode.
template <typename Float>
class Resampler {
public:
    Resampler(int64_t in, int64_t out, const ResampleRule& rule) : in_(in), out_(out), rule_(rule), step_(step()) {}

    Positions positions() const {
        Positions positions;
        positions.wide = rule_.wide;
        positions.fused = rule_.fused && !rule_.align_corners;
        positions.step = double(step_);
        positions.half = rule_.align_corners ? 0 : 0.5;
        positions.shift = -positions.half;
        positions.last = in_ - 1;
        return positions;
    }

    __attribute__((noinline)) WeightTable linear() const {
        Builder table(in_, out_, 2);
        for (int64_t o = 0; o < out_; ++o) {
            const Float place = std::max(place_of(o), Float(0));
            const int64_t cell = position(float(place), in_ - 1);  // rounded down
            const double part = double(std::clamp<Float>(place - Float(cell), 0, 1));
            const double weights[] = {double(Float(1) - Float(part)), part}, one = 1;
            if (cell + 1 < in_)
                table.add(cell, weights, 2);
            else
                table.add(cell, &one, 1);
        }
        return table.take();
    }

    __attribute__((noinline)) WeightTable cubic() const {
        constexpr double a = -0.75;
        Builder table(in_, out_, 4);
        for (int64_t o = 0; o < out_; ++o) {
            const Float place = place_of(o), below = Float(std::floor(float(place)));
            const int64_t cell = below < 0 ? -1 : position(float(below), in_ - 1);
            const double x = double(std::clamp<Float>(place - Float(cell), 0, 1));
            const double weights[] = {outer_cubic(x + 1, a), inner_cubic(x, a), inner_cubic(1 - x, a),
                                      outer_cubic(2 - x, a)};
            table.add_clamped(cell - 1, weights, 4);
        }
        return table.take();
    }

    __attribute__((noinline)) WeightTable antialias(Filter filter) const {
        const Float radius = filter == Filter::linear_antialias ? 1 : 2;
        const Float support = step_ >= 1 ? radius * step_ : radius, inverse = step_ >= 1 ? 1 / step_ : Float(1);
        Builder table(in_, out_);
        std::vector<double> weights;
        for (int64_t o = 0; o < out_; ++o) {
            const Float centre = step_ * (Float(o) + Float(0.5));
            const int64_t first = std::min(position(float(centre - support + Float(0.5)), in_), in_ - 1);
            const int64_t last = std::max(position(float(centre + support + Float(0.5)), in_), first + 1);
            weights.clear();
            double total = 0;
            for (int64_t cell = first; cell < last; ++cell) {
                weights.push_back(filter_at(filter, double((Float(cell) - centre + Float(0.5)) * inverse)));
                total += weights.back();
            }
            for (double& weight : weights) weight = total != 0 ? weight / total : 1 / double(weights.size());
            table.add(first, weights.data(), last - first);
        }
        return table.take();
    }

private:
    Float step() const {
        if (rule_.align_corners) return out_ > 1 ? Float(in_ - 1) / Float(out_ - 1) : Float(0);
        return source_step<Float>(in_, out_, {rule_.scale, rule_.divide_in_float});
    }
    Float place_of(int64_t o) const {
        if (rule_.align_corners) return step_ * Float(o);
        const Float centre = Float(o) + Float(0.5);
        return rule_.fused ? std::fma(step_, centre, Float(-0.5)) : step_ * centre - Float(0.5);
    }

    const int64_t in_, out_;
    const ResampleRule rule_;
    const Float step_;
};

template <typename Float>
WeightTable resampled(int64_t in, int64_t out, Filter filter, const ResampleRule& rule) {
    const Resampler<Float> resampler(in, out, rule);
    switch (filter) {
        case Filter::linear: return resampler.linear();
        case Filter::cubic: return resampler.cubic();
        default: return resampler.antialias(filter);
    }
}

}  // namespace

WeightTable resample_table(int64_t in, int64_t out, Filter filter, const ResampleRule& rule) {
    if (in == out && rule.copies_same_size) return same_cells(in);
    const FloatMode mode;
    return rule.wide ? resampled<double>(in, out, filter, rule) : resampled<float>(in, out, filter, rule);
}

bool linear_positions(int64_t in, int64_t out, const ResampleRule& rule, Positions& positions) {
    const FloatMode mode;
    positions = rule.wide ? Resampler<double>(in, out, rule).positions() : Resampler<float>(in, out, rule).positions();
    return positions.usable(out) && !(in == out && rule.copies_same_size);
}

WeightTable same_cells(int64_t cells) {
    WeightTable table;
    table.first.resize(size_t(cells));
    table.offset.resize(size_t(cells) + 1);
    std::iota(table.first.begin(), table.first.end(), 0);
    std::iota(table.offset.begin(), table.offset.end(), 0);
    return table;
}

namespace {

// Sums of cells [begin, end).
void add_window(WeightTable& table, int64_t begin, int64_t end, int64_t divisor) {
    if (table.offset.empty()) table.offset.push_back(0);
    table.first.push_back(begin);
    table.offset.push_back(table.offset.back() + end - begin);
    table.divisor.push_back(double(std::max<int64_t>(divisor, 1)));
}

}  // namespace

WeightTable window_table(int64_t in, int64_t out, const AverageWindow& window) {
    using Wide = __int128;  // the window comes from outside
    WeightTable table;
    for (int64_t o = 0; o < out; ++o) {
        const Wide begin = Wide(o) * window.stride - window.padding;
        const Wide end = std::min(begin + window.kernel, Wide(in) + window.padding);
        const Wide from = std::clamp<Wide>(begin, 0, in), to = std::clamp<Wide>(end, from, in);
        add_window(table, int64_t(from), int64_t(to), int64_t(window.count_padding ? end - begin : to - from));
    }
    return table;
}

WeightTable adaptive_table(int64_t in, int64_t out) {
    using Wide = __int128;
    WeightTable table;
    for (int64_t o = 0; o < out; ++o) {
        const auto begin = int64_t(Wide(o) * in / out), end = int64_t((Wide(o + 1) * in + out - 1) / out);
        add_window(table, begin, end, end - begin);
    }
    return table;
}

WeightTable transposed(const WeightTable& table, int64_t in) {
    const int64_t out = table.cells();
    const auto end_of = [&](int64_t cell) { return table.first[size_t(cell)] + table.count(cell); };
    const auto weight = [&](int64_t from, int64_t to) {  // of cell `from` in cell `to`
        const double own =
            table.weight.empty() ? 1 : table.weight[size_t(table.offset[size_t(to)] + from - table.first[size_t(to)])];
        return table.divisor.empty() ? own : own / table.divisor[size_t(to)];
    };
    const bool weighted = !table.weight.empty() || !table.divisor.empty();
    std::vector<int64_t> begin(size_t(in), out), end(size_t(in), 0);
    int64_t low = 0, high = 0;  // cells before `low` end too early, cells from `high` on begin too late
    for (int64_t i = 0; i < in; ++i) {
        while (low < out && end_of(low) <= i) ++low;
        while (high < out && table.first[size_t(high)] <= i) ++high;
        int64_t first = low, last = high;
        while (weighted && first < last && weight(i, first) == 0) ++first;
        while (weighted && first < last && weight(i, last - 1) == 0) --last;
        if (first < last) begin[size_t(i)] = first, end[size_t(i)] = last;
    }
    // No cell begins before the one before it.
    for (int64_t i = in - 2; i >= 0; --i) begin[size_t(i)] = std::min(begin[size_t(i)], begin[size_t(i) + 1]);
    WeightTable result;
    result.offset.resize(size_t(in) + 1);
    for (size_t i = 0; i < size_t(in); ++i)
        result.offset[i + 1] = result.offset[i] + std::max<int64_t>(0, end[i] - begin[i]);
    if (weighted) result.weight.reserve(size_t(result.offset.back()));
    for (int64_t i = 0; weighted && i < in; ++i)
        for (int64_t k = begin[size_t(i)]; k < end[size_t(i)]; ++k) result.weight.push_back(weight(i, k));
    result.first = std::move(begin);
    return result;
}

}  // namespace acltwin
