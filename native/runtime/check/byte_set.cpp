#include "runtime/check/byte_set.h"

#include <numeric>

namespace acltwin::check {
namespace {

// Whether two runs that repeat every `period` bytes can meet at all.
bool meet_modulo(uint64_t a, uint64_t a_length, uint64_t b, uint64_t b_length, uint64_t period) {
    if (a_length >= period || b_length >= period) return true;
    const uint64_t distance = (b % period + period - a % period) % period;  // from a's begin to b's
    return distance < a_length || period - distance < b_length;
}

}  // namespace

ByteSet ByteSet::view(int64_t first, uint64_t element, int rank, const int64_t* dims, const int64_t* strides) {
    ByteSet set;
    set.length_ = element;
    Axis sorted[kMaxAxes];  // the smallest stride first
    int count = 0;
    for (int i = 0; i < rank && i < kMaxAxes; ++i) {
        if (dims[i] <= 1 || strides[i] == 0) continue;
        if (strides[i] < 0) first += strides[i] * (dims[i] - 1);
        Axis axis = {uint64_t(strides[i] < 0 ? -strides[i] : strides[i]), uint64_t(dims[i])};
        for (int j = 0; j < count; ++j)
            if (axis.stride < sorted[j].stride) std::swap(axis, sorted[j]);
        sorted[count++] = axis;
    }
    set.begin_ = uint64_t(first);
    int kept = 0;  // of `sorted`: what is neither one run nor a longer repetition
    for (int i = 0; i < count; ++i) {
        const Axis axis = sorted[i];
        if (kept == 0 && axis.stride <= set.length_)
            set.length_ += axis.stride * (axis.extent - 1);
        else if (kept > 0 && axis.stride == sorted[kept - 1].stride * sorted[kept - 1].extent)
            sorted[kept - 1].extent *= axis.extent;
        else
            sorted[kept++] = axis;
    }
    set.axes_ = kept;
    std::reverse_copy(sorted, sorted + kept, set.axis_);
    return set;
}

uint64_t ByteSet::count() const {
    uint64_t bytes = length_;
    for (int i = 0; i < axes_; ++i) bytes *= axis_[i].extent;
    return bytes;
}

ByteSet::Steps ByteSet::steps_meeting(int level, uint64_t base, Interval range) const {
    const Axis& axis = axis_[level];
    const uint64_t inner = span(level + 1);
    if (range.end <= base) return {1, 0};
    const uint64_t first = range.begin >= base + inner ? (range.begin - base - inner) / axis.stride + 1 : 0;
    const uint64_t last = std::min(axis.extent - 1, (range.end - 1 - base) / axis.stride);
    if (first > last) return {1, 0};
    return {first, last};
}

bool ByteSet::touches(int level, uint64_t base, Interval range) const {
    if (level == axes_) return base < range.end && range.begin < base + length_;
    const Steps steps = steps_meeting(level, base, range);
    if (steps.first > steps.last) return false;
    for (uint64_t step = steps.first; step <= steps.last; ++step)
        if (touches(level + 1, base + step * axis_[level].stride, range)) return true;
    return false;
}

bool ByteSet::same_shape(const ByteSet& other) const {
    if (length_ != other.length_ || axes_ != other.axes_) return false;
    for (int i = 0; i < axes_; ++i)
        if (axis_[i].stride != other.axis_[i].stride || axis_[i].extent != other.axis_[i].extent) return false;
    return true;
}

bool ByteSet::overlaps(const ByteSet& other) const {
    if (empty() || other.empty()) return false;
    const Interval a = hull(), b = other.hull();
    const Interval common = {std::max(a.begin, b.begin), std::min(a.end, b.end)};
    if (common.empty()) return false;
    if (axes_ == 0) return other.touches(common);
    if (other.axes_ == 0) return touches(common);
    uint64_t period = 0;
    for (int i = 0; i < axes_; ++i) period = std::gcd(period, axis_[i].stride);
    for (int i = 0; i < other.axes_; ++i) period = std::gcd(period, other.axis_[i].stride);
    if (!meet_modulo(begin_, length_, other.begin_, other.length_, period)) return false;
    const bool fewer = count() / length_ <= other.count() / other.length_;
    const ByteSet &listed = fewer ? *this : other, &asked = fewer ? other : *this;
    return !listed.for_each_run(common, [&](Interval run) { return !asked.touches(run); });
}

bool ByteSet::surely_covers(const ByteSet& other) const {
    if (other.empty()) return true;
    const Interval inner = other.hull();
    if (axes_ == 0) return begin_ <= inner.begin && inner.end <= begin_ + length_;
    return begin_ == other.begin_ && same_shape(other);
}

}  // namespace acltwin::check
