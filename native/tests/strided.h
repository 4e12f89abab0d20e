// Tensors with any strides for the tests of the kernels: memory with guards around it, and a random layout in it.
#pragma once

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <random>
#include <string>
#include <vector>

namespace acltwin {

inline void expect(bool condition, const std::string& what) {
    if (condition) return;
    std::fprintf(stderr, "FAILED: %s\n", what.c_str());
    std::exit(1);
}

using Random = std::mt19937_64;

inline int64_t pick(Random& random, int64_t low, int64_t high) {  // both included
    return low + int64_t(random() % uint64_t(high - low + 1));
}

struct Dims {
    int64_t of[5];

    int64_t cells() const { return of[2] * of[3] * of[4]; }
    int64_t total() const { return of[0] * of[1] * cells(); }
    std::string text() const {
        std::string all;
        for (int64_t dim : of) all += (all.empty() ? "" : "x") + std::to_string(dim);
        return all;
    }
};

enum class Layout { contiguous, channels_last, some_channels, any, broadcast, h_innermost };

// A 5-D view on guarded memory.
struct Strided {
    size_t element_size;
    Dims dims;
    int64_t strides[5];
    int64_t origin = 0;  // the element of `memory` that is element 0, 0, 0, 0, 0
    std::vector<unsigned char> memory;

    static constexpr int64_t kGuard = 64;  // elements on both sides that nobody may touch

    Strided(size_t element_size_, const Dims& dims_, Layout layout, Random& random)
        : element_size(element_size_), dims(dims_) {
        int order[5] = {0, 1, 2, 3, 4};  // from the outermost to the innermost axis
        if (layout == Layout::channels_last || layout == Layout::some_channels) {
            const int last[5] = {0, 2, 3, 4, 1};
            std::memcpy(order, last, sizeof order);
        }
        if (layout == Layout::h_innermost) std::swap(order[3], order[4]);
        if (layout == Layout::any)
            for (int i = 4; i > 0; --i) std::swap(order[i], order[pick(random, 0, i)]);
        int64_t step = layout == Layout::any ? pick(random, 1, 2) : 1, low = 0, high = 0;
        for (int i = 4; i >= 0; --i) {
            const int axis = order[i];
            const bool broadcast = layout == Layout::broadcast && pick(random, 0, 1) == 0;
            const bool backwards = layout == Layout::any && pick(random, 0, 2) == 0;
            strides[axis] = broadcast ? 0 : backwards ? -step : step;
            (strides[axis] < 0 ? low : high) += std::max<int64_t>(dims.of[axis] - 1, 0) * strides[axis];
            const bool gap = (layout == Layout::any && pick(random, 0, 3) == 0) ||
                             (layout == Layout::some_channels && i == 4);  // those of a larger tensor
            if (!broadcast) step *= dims.of[axis] + (gap ? 3 : 0);
        }
        origin = kGuard - low + pick(random, 0, 15);
        memory.assign(size_t(origin + high + 1 + kGuard) * element_size, 0xa5);
    }

    int64_t offset(const int64_t (&at)[5]) const {
        int64_t sum = origin;
        for (int axis = 0; axis < 5; ++axis) sum += at[axis] * strides[axis];
        return sum;
    }
    void* data() { return memory.data() + size_t(origin) * element_size; }
    unsigned char* at(const int64_t (&position)[5]) { return memory.data() + size_t(offset(position)) * element_size; }

    // Calls visit(position) for every element in C order.
    template <class Visit>
    void each(const Visit& visit) const {
        int64_t at[5] = {};
        for (int64_t left = dims.total(); left > 0; --left) {
            visit(at);
            for (int axis = 4; axis >= 0 && ++at[axis] == dims.of[axis]; --axis) at[axis] = 0;
        }
    }
};

inline void fill_random_bytes(Strided& tensor, Random& random) {
    for (auto& byte : tensor.memory) byte = static_cast<unsigned char>(random());
}

inline void store_index(Strided& indices, const int64_t (&at)[5], int64_t value) {
    const auto narrow = int32_t(value);
    if (indices.element_size == 4)
        std::memcpy(indices.at(at), &narrow, 4);
    else
        std::memcpy(indices.at(at), &value, 8);
}

inline int64_t load_index(Strided& indices, const int64_t (&at)[5]) {
    int32_t narrow;
    int64_t value;
    if (indices.element_size == 8) return std::memcpy(&value, indices.at(at), 8), value;
    return std::memcpy(&narrow, indices.at(at), 4), narrow;
}

}  // namespace acltwin
