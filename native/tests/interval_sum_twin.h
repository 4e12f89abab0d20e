// The scalar twin of an interval sum, which follows the documented order of additions one element at a time, and the
// elements and memory it works on.
#pragma once

#include <cstdlib>
#include <cstring>
#include <string>
#include <vector>

#include "kernels/interval_sum.h"
#include "reference_float.h"

namespace acltwin {

// ---- elements ----

template <class T>
struct Element {  // float32 and float64 are their own sums
    typedef T Sum;
    static T widen(T x) { return x; }
    static T narrow(T x) { return x; }
};
template <DType kType>
struct ShortFloat {
    uint16_t bits;
};
template <DType kType>
struct Element<ShortFloat<kType>> {
    typedef float Sum;
    static float widen(ShortFloat<kType> x) {
        static const std::vector<float> values = [] {
            std::vector<float> all(65536);
            for (size_t i = 0; i < all.size(); ++i) {
                const auto bits = uint16_t(i);
                all[i] = widened(kType, &bits);
            }
            return all;
        }();
        return values[x.bits];
    }
    static ShortFloat<kType> narrow(float x) {
        ShortFloat<kType> rounded;
        store_rounded(kType, x, &rounded.bits);
        return rounded;
    }
};

template <class T>
bool same(T a, T b) {  // which NaN comes out is the only freedom
    if (std::isnan(Element<T>::widen(a))) return std::isnan(Element<T>::widen(b));
    return std::memcmp(&a, &b, sizeof(T)) == 0;
}

// ---- the twin ----

template <class T>
T sum_of_box(const IntervalSum& g, const T* source, const int64_t (&index)[5]) {
    typedef typename Element<T>::Sum S;
    const auto from = [&](int i) { return g.begin[i][size_t(index[2 + i])]; };
    const auto to = [&](int i) { return g.begin[i][size_t(index[2 + i]) + 1]; };
    if (from(0) == to(0) || from(1) == to(1) || from(2) == to(2)) return Element<T>::narrow(0);
    S cell = 0;
    for (int64_t w = from(2); w < to(2); ++w) {
        S total = 0, group = 0;
        int64_t rows = 0;
        for (int64_t d = from(0); d < to(0); ++d) {
            for (int64_t h = from(1); h < to(1); ++h, ++rows) {
                const S x = Element<T>::widen(
                    source[index[0] * g.source_strides[0] + index[1] * g.source_strides[1] + d * g.source_strides[2] +
                           h * g.source_strides[3] + w * g.source_strides[4]]);
                if (rows % 8 == 0 && rows > 0) total = rows == 8 ? group : total + group;
                group = rows % 8 == 0 ? x : group + x;
            }
        }
        total = rows <= 8 ? group : total + group;
        cell = w == from(2) ? total : cell + total;
    }
    return Element<T>::narrow(S(0) + cell);
}

// ---- what a failure names ----

inline std::string describe(const IntervalSum& g) {
    std::string text = "dtype " + std::string(name_of(g.dtype));
    const auto add = [&](const char* name, const int64_t (&values)[5]) {
        text += std::string("\n  ") + name;
        for (int64_t value : values) text += " " + std::to_string(value);
    };
    add("source dims", g.source_dims);
    add("source strides", g.source_strides);
    add("result dims", g.result_dims);
    add("result strides", g.result_strides);
    for (int i = 0; i < 3; ++i) {
        text += "\n  begin";
        for (int64_t value : g.begin[i]) text += " " + std::to_string(value);
    }
    return text;
}

// ---- memory: exactly the elements that a view reaches, so that a sanitizer sees the first one beyond ----

template <class T>
struct Memory {
    T* all = nullptr;
    T* first = nullptr;  // the element with index 0
    int64_t size = 0;

    Memory(const int64_t (&dims)[5], const int64_t (&strides)[5]) {
        int64_t low = 0, high = 0;
        for (int i = 0; i < 5; ++i) (strides[i] < 0 ? low : high) += (dims[i] - 1) * strides[i];
        size = high - low + 1;
        for (int i = 0; i < 5; ++i)
            if (dims[i] == 0) size = 0, low = 0;
        // Not at the start of a cache line.
        all = static_cast<T*>(std::malloc(size_t(size + kShift) * sizeof(T)));
        first = all + kShift - low;
    }
    ~Memory() { std::free(all); }
    Memory(const Memory&) = delete;
    Memory& operator=(const Memory&) = delete;

    T* begin() { return all + kShift; }

    static constexpr int64_t kShift = 3;
};

}  // namespace acltwin
