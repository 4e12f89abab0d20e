// From the types that a plan names to those that a kernel is compiled for: each of these calls body(T()).
#pragma once

#include "core/tensor.h"
#include "kernels/level/simd.h"

namespace acltwin::ACLTWIN_LEVEL {

// What vectors of 32-bit lanes hold: float32, float16, bfloat16.
template <class Body>
ACLTWIN_INLINE auto with_lane_type(DType dtype, const Body& body) {
    switch (dtype) {
        case DType::float16: return body(Half());
        case DType::bfloat16: return body(BFloat());
        default: return body(float());
    }
}
template <class Body>
ACLTWIN_INLINE auto with_float_type(DType dtype, const Body& body) {
    return dtype == DType::float64 ? body(double()) : with_lane_type(dtype, body);
}

template <class Body>
ACLTWIN_INLINE auto with_index_type(DType dtype, const Body& body) {
    return dtype == DType::int64 ? body(int64_t()) : body(int32_t());
}

// Elements of 1, 2, 4 or 8 bytes that are moved, whatever they mean.
ACLTWIN_INLINE bool is_element_size(int64_t bytes) { return bytes <= 8 && (bytes & (bytes - 1)) == 0; }
template <class Body>
ACLTWIN_INLINE auto with_element_size(int64_t bytes, const Body& body) {
    switch (bytes) {
        case 1: return body(uint8_t());
        case 2: return body(uint16_t());
        case 4: return body(uint32_t());
        default: return body(uint64_t());
    }
}

}  // namespace acltwin::ACLTWIN_LEVEL
