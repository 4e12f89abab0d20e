// Products of sizes and strides that come from outside: none of them overflows.
#pragma once

#include <cstdint>

namespace acltwin {

inline int64_t saturating_product(int64_t a, int64_t b) {  // of numbers >= 0; at most the largest int64_t
    int64_t product;
    return __builtin_mul_overflow(a, b, &product) ? INT64_MAX : product;
}

// A zero anywhere makes the product zero, even if the others would not fit.
inline int64_t saturating_product(int64_t a, int64_t b, int64_t c) {
    return a == 0 ? 0 : saturating_product(a, saturating_product(b, c));
}

inline int64_t saturating_sum(int64_t a, int64_t b) {
    int64_t sum;
    return __builtin_add_overflow(a, b, &sum) ? INT64_MAX : sum;
}

inline int64_t divide_up(int64_t a, int64_t b) { return a / b + (a % b != 0); }  // a >= 0, b > 0

inline bool is_product(int64_t value, int64_t a, int64_t b) {
    int64_t product;
    return !__builtin_mul_overflow(a, b, &product) && product == value;
}

}  // namespace acltwin
