// A copy of a tensor's elements in a block that ends where they end, so that a sanitizer sees any read outside them.
#pragma once

#include <memory>

#include "strided.h"

namespace acltwin {

class ExactMemory {
public:
    explicit ExactMemory(const Strided& tensor) {
        int64_t low = 0, high = 0;
        for (int axis = 0; axis < 5; ++axis)
            (tensor.strides[axis] < 0 ? low : high) += (tensor.dims.of[axis] - 1) * tensor.strides[axis];
        const size_t bytes = size_t(high - low + 1) * tensor.element_size;
        block_.reset(new unsigned char[bytes]);
        std::memcpy(block_.get(), tensor.memory.data() + size_t(tensor.origin + low) * tensor.element_size, bytes);
        first_ = block_.get() - low * int64_t(tensor.element_size);
    }

    void* data() { return first_; }

private:
    std::unique_ptr<unsigned char[]> block_;
    unsigned char* first_;
};

}  // namespace acltwin
