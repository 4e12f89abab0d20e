// Sizes of the data types, and float16 for hosts that have none.
#include <cstring>

#include "acl/acl_base.h"

size_t aclDataTypeSize(aclDataType dataType) {
    switch (int(dataType)) {  // from C, it may hold any value
        case ACL_INT8:
        case ACL_UINT8:
        case ACL_BOOL:
        case ACL_HIFLOAT8:
        case ACL_FLOAT8_E5M2:
        case ACL_FLOAT8_E4M3FN:
        case ACL_FLOAT8_E8M0: return 1;
        case ACL_FLOAT16:
        case ACL_BF16:
        case ACL_INT16:
        case ACL_UINT16: return 2;
        case ACL_FLOAT:
        case ACL_INT32:
        case ACL_UINT32:
        case ACL_COMPLEX32: return 4;
        case ACL_DOUBLE:
        case ACL_INT64:
        case ACL_UINT64:
        case ACL_COMPLEX64: return 8;
        case ACL_COMPLEX128: return 16;
        default: return 0;
    }
}

size_t aclGetDataTypeSize(aclDataType dataType) { return aclDataTypeSize(dataType); }

namespace {

float float_of(uint32_t bits) {
    float value;
    std::memcpy(&value, &bits, sizeof value);
    return value;
}

uint32_t bits_of(float value) {
    uint32_t bits;
    std::memcpy(&bits, &value, sizeof bits);
    return bits;
}

// Shifts right and rounds to the nearest, halves to even.
uint32_t shift_rounded(uint32_t value, uint32_t bits) {
    const uint32_t half = 1u << (bits - 1), rest = value & ((1u << bits) - 1), shifted = value >> bits;
    return shifted + (rest > half || (rest == half && (shifted & 1)));
}

}  // namespace

float aclFloat16ToFloat(aclFloat16 value) {
    const uint32_t sign = uint32_t(value & 0x8000u) << 16, exponent = value >> 10 & 0x1fu, mantissa = value & 0x3ffu;
    if (exponent == 0x1f) return float_of(sign | 0x7f800000u | mantissa << 13);
    if (exponent != 0) return float_of(sign | (exponent + 112) << 23 | mantissa << 13);
    const float magnitude = float(mantissa) * 0x1p-24f;
    return sign ? -magnitude : magnitude;
}

aclFloat16 aclFloatToFloat16(float value) {
    const uint32_t bits = bits_of(value), sign = bits >> 16 & 0x8000u, magnitude = bits & 0x7fffffffu;
    uint32_t half;
    if (magnitude > 0x7f800000u)
        half = 0x7e00u | (magnitude >> 13 & 0x3ffu);  // NaN stays NaN, quiet
    else if (magnitude >= 0x47800000u)
        half = 0x7c00u;  // 2^16 and above
    else if (magnitude >= 0x38800000u)
        half = shift_rounded(magnitude - (112u << 23), 13);  // a carry runs into the exponent, up to infinity
    else if (magnitude >= 0x33000000u)
        half = shift_rounded((magnitude & 0x7fffffu) | 0x800000u, 126 - (magnitude >> 23));  // subnormal
    else
        half = 0;
    return aclFloat16(sign | half);
}
