// The bytes of a block that an access touches: exactly those of a strided view, however many there are.
#pragma once

#include <algorithm>
#include <cstdint>

namespace acltwin::check {

struct Interval {
    uint64_t begin = 0, end = 0;

    bool empty() const { return begin >= end; }
};

// Runs of `length` bytes, repeated along axes. A view needs no more memory than its axes, and two views are compared
// without listing the bytes of either where arithmetic tells them apart.
class ByteSet {
public:
    static constexpr int kMaxAxes = 8;

    ByteSet() = default;
    ByteSet(uint64_t begin, uint64_t length) : begin_(begin), length_(length) {}
    // `first` is the offset of element [0, 0, ...]; strides count bytes and may be zero or negative. The view must lie
    // at offsets of 0 and more, and have elements.
    static ByteSet view(int64_t first, uint64_t element, int rank, const int64_t* dims, const int64_t* strides);

    ByteSet moved(uint64_t distance) const {
        ByteSet set = *this;
        set.begin_ += distance;
        return set;
    }

    bool empty() const { return length_ == 0; }
    Interval hull() const { return {begin_, begin_ + span(0)}; }
    uint64_t count() const;  // bytes, those that are reached twice counted twice
    bool touches(Interval range) const { return !range.empty() && !empty() && touches(0, begin_, range); }
    bool overlaps(const ByteSet& other) const;
    // Whether it is certain that each byte of `other` is among these; exact only for simple sets.
    bool surely_covers(const ByteSet& other) const;

    // Calls visit(Interval) for each run that meets `within`, until it returns false. False when it did.
    template <class Visit>
    bool for_each_run(Interval within, const Visit& visit) const {
        return within.empty() || empty() || visit_runs(0, begin_, within, visit);
    }
    template <class Visit>
    bool for_each_run(const Visit& visit) const {
        return for_each_run(hull(), visit);
    }

private:
    struct Axis {
        uint64_t stride, extent;
    };
    struct Steps {
        uint64_t first, last;  // which steps along an axis can meet a range; none when first > last
    };

    uint64_t span(int level) const {  // how far the axes from `level` on reach, the run included
        uint64_t reach = length_;
        for (int i = level; i < axes_; ++i) reach += axis_[i].stride * (axis_[i].extent - 1);
        return reach;
    }
    Steps steps_meeting(int level, uint64_t base, Interval range) const;
    bool touches(int level, uint64_t base, Interval range) const;
    bool same_shape(const ByteSet& other) const;

    template <class Visit>
    bool visit_runs(int level, uint64_t base, Interval within, const Visit& visit) const {
        if (level == axes_)
            return base >= within.end || base + length_ <= within.begin || visit({base, base + length_});
        const Steps steps = steps_meeting(level, base, within);
        for (uint64_t step = steps.first; step <= steps.last && steps.first <= steps.last; ++step)
            if (!visit_runs(level + 1, base + step * axis_[level].stride, within, visit)) return false;
        return true;
    }

    uint64_t begin_ = 0, length_ = 0;
    int axes_ = 0;
    Axis axis_[kMaxAxes] = {};  // the largest stride first
};

}  // namespace acltwin::check
