// The way through the tasks of an interval sum: which box, which cells, which place in the result.
#pragma once

#include "kernels/level/interval_sum_rows.h"

namespace acltwin::ACLTWIN_LEVEL {

struct CellRange {
    int64_t first, last;
};

template <class T>
class TaskWalk {
public:
    TaskWalk(const IntervalRows& rows, const T* source, T* result, int64_t task)
        : rows_(rows), inner_(rows.nest[3]), source_(source), result_(result) {
        task = take(task, rows_.extent[inner_], index_[inner_]);
        task = take(task, rows_.parts, part_);
        for (int level = 2; level >= 0; --level)
            task = take(task, rows_.extent[rows_.nest[level]], index_[rows_.nest[level]]);
        enter();
    }

    // Most steps are along the innermost axis and change little.
    ACLTWIN_INLINE void advance() {
        if (++index_[inner_] < rows_.extent[inner_]) {
            row_ += rows_.result_stride[inner_];
            if (inner_ == 3)
                ++h_;
            else if (inner_ == 2)
                ++d_;
            else
                volume_ += rows_.source_stride[inner_];
            return;
        }
        carry();
        enter();
    }

    ACLTWIN_INLINE Box<T> box() const {
        const int64_t depth_stride = rows_.source_stride[2], height_stride = rows_.source_stride[3];
        return {volume_ + d_[0] * depth_stride + h_[0] * height_stride, d_[1] - d_[0], h_[1] - h_[0], depth_stride,
                height_stride};
    }

    // Where the row of the result starts.
    T* row() const { return row_; }

    CellRange part() const { return cells_; }

private:
    static int64_t take(int64_t task, int64_t extent, int64_t& index) {
        index = task % extent;
        return task / extent;
    }

    void carry() {
        index_[inner_] = 0;
        if (++part_ < rows_.parts) return;
        part_ = 0;
        for (int level = 2; level >= 0; --level) {
            const int axis = rows_.nest[level];
            if (++index_[axis] < rows_.extent[axis]) return;
            index_[axis] = 0;
        }
    }

    void enter() {
        volume_ = source_ + index_[0] * rows_.source_stride[0] + index_[1] * rows_.source_stride[1];
        d_ = rows_.begin[0] + index_[2];
        h_ = rows_.begin[1] + index_[3];
        row_ = result_;
        for (int axis = 0; axis < 4; ++axis) row_ += index_[axis] * rows_.result_stride[axis];
        const int64_t first = part_ * rows_.part_cells;
        cells_ = {first, part_ == rows_.parts - 1 ? rows_.cells : first + rows_.part_cells};
    }

    const IntervalRows& rows_;
    const int inner_;
    const T* const source_;
    T* const result_;
    int64_t index_[4];
    int64_t part_;
    const T* volume_;   // of this N and C
    const int64_t* d_;  // interval on D
    const int64_t* h_;  // interval on H
    T* row_;
    CellRange cells_;
};

}  // namespace acltwin::ACLTWIN_LEVEL
