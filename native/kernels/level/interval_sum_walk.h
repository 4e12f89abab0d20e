// The way through the tasks of an interval sum: which box, which cells, which place in the result.
#pragma once

#include "kernels/level/interval_sum_rows.h"

namespace acltwin::ACLTWIN_LEVEL {

struct CellRange {
    int64_t first, last;
};

class TaskWalk {
public:
    TaskWalk(const IntervalRows& rows, int64_t task) : rows_(rows) {
        task = take(task, extent(3), index_[rows_.nest[3]]);
        task = take(task, rows_.parts, part_);
        for (int level = 2; level >= 0; --level) task = take(task, extent(level), index_[rows_.nest[level]]);
    }

    void advance() {
        if (step(extent(3), index_[rows_.nest[3]])) return;
        if (step(rows_.parts, part_)) return;
        for (int level = 2; level >= 0; --level)
            if (step(extent(level), index_[rows_.nest[level]])) return;
    }

    template <class T>
    Box<T> box(const T* source) const {
        const int64_t* d = rows_.begin[0] + index_[2];
        const int64_t* h = rows_.begin[1] + index_[3];
        const int64_t* stride = rows_.source_stride;
        const T* first = source + index_[0] * stride[0] + index_[1] * stride[1] + d[0] * stride[2] + h[0] * stride[3];
        return {first, d[1] - d[0], h[1] - h[0], stride[2], stride[3]};
    }

    // Where the row of the result starts.
    template <class T>
    T* row(T* result) const {
        for (int axis = 0; axis < 4; ++axis) result += index_[axis] * rows_.result_stride[axis];
        return result;
    }

    CellRange part() const {
        const int64_t first = part_ * rows_.part_cells;
        return {first, part_ == rows_.parts - 1 ? rows_.cells : first + rows_.part_cells};
    }

private:
    int64_t extent(int level) const { return rows_.extent[rows_.nest[level]]; }

    static int64_t take(int64_t task, int64_t extent, int64_t& index) {
        index = task % extent;
        return task / extent;
    }

    static bool step(int64_t extent, int64_t& index) {
        if (++index < extent) return true;
        index = 0;
        return false;
    }

    const IntervalRows& rows_;
    int64_t index_[4];
    int64_t part_;
};

}  // namespace acltwin::ACLTWIN_LEVEL
