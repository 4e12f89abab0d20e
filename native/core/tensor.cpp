#include "core/tensor.h"

#include "core/dtypes.h"

namespace acltwin {

size_t size_of(DType dtype) {
    const DTypeFacts* facts = facts_of(dtype);
    return facts == nullptr ? 0 : size_t(facts->bytes);
}

const char* name_of(DType dtype) {
    const DTypeFacts* facts = facts_of(dtype);
    return facts == nullptr ? "an unsupported type" : facts->name;
}

const char* name_of(Format format) {
    switch (format) {
        case Format::nchw: return "NCHW";
        case Format::nhwc: return "NHWC";
        case Format::nd: return "ND";
        case Format::nc1hwc0: return "NC1HWC0";
        case Format::fractal_z: return "FRACTAL_Z";
        case Format::nc1hwc0_c04: return "NC1HWC0_C04";
        case Format::hwcn: return "HWCN";
        case Format::ndhwc: return "NDHWC";
        case Format::fractal_nz: return "FRACTAL_NZ";
        case Format::ncdhw: return "NCDHW";
        case Format::ndc1hwc0: return "NDC1HWC0";
        case Format::fractal_z_3d: return "FRACTAL_Z_3D";
        case Format::nc: return "NC";
        case Format::ncl: return "NCL";
        case Format::fractal_nz_c0_16: return "FRACTAL_NZ_C0_16";
        case Format::fractal_nz_c0_32: return "FRACTAL_NZ_C0_32";
        case Format::fractal_nz_c0_2: return "FRACTAL_NZ_C0_2";
        case Format::fractal_nz_c0_4: return "FRACTAL_NZ_C0_4";
        case Format::fractal_nz_c0_8: return "FRACTAL_NZ_C0_8";
        case Format::nlc: return "NLC";
        case Format::undefined: break;
    }
    return "an unknown format";
}

bool Tensor::empty() const {
    for (int i = 0; i < rank && i < kMaxRank; ++i)
        if (dims[i] == 0) return true;
    return false;
}

bool Tensor::contiguous() const {
    if (empty()) return true;
    int64_t expected = 1;
    for (int i = rank - 1; i >= 0; --i) {
        if (dims[i] == 1) continue;  // its stride is never used
        if (strides[i] != expected || __builtin_mul_overflow(expected, dims[i], &expected)) return false;
    }
    return true;
}

void Tensor::set_contiguous_strides() {
    int64_t stride = 1;
    for (int i = rank - 1; i >= 0; --i) {
        strides[i] = stride;
        // An absurd shape has no elements to address; its strides only have to be defined.
        if (dims[i] > 0 && __builtin_mul_overflow(stride, dims[i], &stride)) stride = 0;
    }
}

size_t bytes_of(const Tensor& tensor) {
    size_t bytes = size_of(tensor.dtype);
    for (int i = 0; i < tensor.rank; ++i)
        if (__builtin_mul_overflow(bytes, size_t(tensor.dims[i]), &bytes)) return SIZE_MAX;
    return bytes;
}

}  // namespace acltwin
