// What every part of the core knows about a tensor: where its elements are, never who owns them.
#pragma once

#include <cstddef>
#include <cstdint>

#include "core/export.h"

namespace acltwin {

constexpr int kMaxRank = 8;

// The numbers are those of aclDataType and aclFormat, so that both doors convert with a cast.
enum class DType : int32_t {
    undefined = -1,
    float32 = 0,
    float16 = 1,
    int8 = 2,
    int32 = 3,
    uint8 = 4,
    int16 = 6,
    uint16 = 7,
    uint32 = 8,
    int64 = 9,
    uint64 = 10,
    float64 = 11,
    boolean = 12,
    bfloat16 = 27,
};

enum class Format : int32_t {
    undefined = -1,
    nchw = 0,
    nhwc = 1,
    nd = 2,
    nc1hwc0 = 3,
    fractal_z = 4,
    nc1hwc0_c04 = 12,
    hwcn = 16,
    ndhwc = 27,
    fractal_nz = 29,
    ncdhw = 30,
    ndc1hwc0 = 32,
    fractal_z_3d = 33,
    nc = 35,
    ncl = 47,
    fractal_nz_c0_16 = 50,
    fractal_nz_c0_32 = 51,
    fractal_nz_c0_2 = 52,
    fractal_nz_c0_4 = 53,
    fractal_nz_c0_8 = 54,
    nlc = 1000,  // of arrays: aclFormat has no such order
};

ACLTWIN_API size_t size_of(DType dtype);       // bytes of one element; 0 if the core has no such type
ACLTWIN_API const char* name_of(DType dtype);  // "float32", ...
ACLTWIN_API const char* name_of(Format format);

// A view: `data` is the first element, strides count elements and may be zero or negative.
// A rank above kMaxRank is kept as it is, so that a check can refuse it; only the first kMaxRank dims are there.
struct Tensor {
    void* data = nullptr;
    DType dtype = DType::undefined;
    Format format = Format::nd;
    int rank = 0;
    int64_t dims[kMaxRank] = {};
    int64_t strides[kMaxRank] = {};

    ACLTWIN_API bool empty() const;
    ACLTWIN_API bool contiguous() const;
    ACLTWIN_API void set_contiguous_strides();
};

ACLTWIN_API size_t bytes_of(const Tensor& tensor);  // of its elements; SIZE_MAX if they are too many to count

struct IntArray {
    const int64_t* values = nullptr;
    int64_t size = 0;
};

struct FloatArray {
    const float* values = nullptr;
    int64_t size = 0;
};

}  // namespace acltwin
