// The machine's own instructions, each behind a function that says what it does: the only file with intrinsics.
// Where a machine lacks an instruction, the compiler's vectors do the same, bit for bit.
#pragma once

#include <type_traits>
#include <utility>

#include "kernels/level/half_bits.h"

#if defined(__x86_64__)
#include <immintrin.h>
#elif defined(__aarch64__)
#include <arm_neon.h>
#endif

namespace acltwin::ACLTWIN_LEVEL {

// ---- lanes ----

template <class V>
constexpr int kLanesIn = int(sizeof(V) / sizeof(V{}[0]));
template <class V>
using LanesOf = std::make_integer_sequence<int, kLanesIn<V>>;

// Elements kPhase, 2 + kPhase, 4 + kPhase, ... of the row that a and b hold.
template <int kPhase, class V, int... kLane>
ACLTWIN_INLINE V every_second(V a, V b, std::integer_sequence<int, kLane...>) {
    return __builtin_shufflevector(a, b, (2 * kLane + kPhase)...);
}
template <int kPhase, class V>
ACLTWIN_INLINE V every_second(V a, V b) {
    return every_second<kPhase>(a, b, LanesOf<V>());
}

typedef uint8_t Bytes __attribute__((vector_size(16)));

// Byte i is byte pick[i] of v, pick[i] < 16.
ACLTWIN_INLINE Bytes pick_bytes(Bytes v, Bytes pick) {
#if defined(__SSSE3__)
    return bit_cast<Bytes>(_mm_shuffle_epi8(bit_cast<__m128i>(v), bit_cast<__m128i>(pick)));
#elif defined(__aarch64__)
    return bit_cast<Bytes>(vqtbl1q_u8(bit_cast<uint8x16_t>(v), bit_cast<uint8x16_t>(pick)));
#else
    uint8_t bytes[16];
    for (int i = 0; i < 16; ++i) bytes[i] = v[pick[i]];
    return bit_cast<Bytes>(bytes);
#endif
}

// Lane i is word index[i] % kLanes of a.
ACLTWIN_INLINE Word lookup(Word a, Int index) {
#if defined(__AVX2__)
    return bit_cast<Word>(_mm256_permutevar8x32_epi32(bit_cast<__m256i>(a), bit_cast<__m256i>(index)));
#else
    const Word first_bytes = bit_cast<Word>(index & (kLanes - 1)) * 0x04040404u;
    return bit_cast<Word>(pick_bytes(bit_cast<Bytes>(a), bit_cast<Bytes>(first_bytes + 0x03020100u)));
#endif
}

// Of each lane, the smaller one; and b > a ? b : a, so a where they are equal or one is NaN.
template <class V>
ACLTWIN_INLINE V smaller(V a, V b) {
    return a < b ? a : b;
}
template <class V>
ACLTWIN_INLINE V larger(V b, V a) {
#if defined(__AVX2__)  // compilers select by a comparison that they need anyway, which takes longer
    if constexpr (std::is_same_v<V, Float>)
        return bit_cast<Float>(_mm256_max_ps(bit_cast<__m256>(b), bit_cast<__m256>(a)));
    if constexpr (std::is_same_v<V, Double>)
        return bit_cast<Double>(_mm256_max_pd(bit_cast<__m256d>(b), bit_cast<__m256d>(a)));
#endif
    return b > a ? b : a;
}

// Whether the mask, a comparison's result, is set in some lane.
ACLTWIN_INLINE bool any_lane(Int mask) {
#if defined(__AVX2__)
    return _mm256_movemask_ps(bit_cast<__m256>(mask)) != 0;
#elif defined(__x86_64__)
    return _mm_movemask_ps(bit_cast<__m128>(mask)) != 0;
#elif defined(__aarch64__)
    return vmaxvq_u32(bit_cast<uint32x4_t>(mask)) != 0;
#else
    int32_t all = 0;
    for (int lane = 0; lane < kLanes; ++lane) all |= mask[lane];
    return all != 0;
#endif
}

// ---- 32-bit lanes from and to 16-bit lanes ----

typedef uint16_t Shorts __attribute__((vector_size(kLanes * 4)));  // as many as two vectors of 32-bit lanes have

// All of a vector at once: left to itself, gcc 12 takes it apart and puts it together again.
ACLTWIN_INLINE Word widen_words(Short bits) {
#if defined(__AVX2__)
    return bit_cast<Word>(_mm256_cvtepu16_epi32(bit_cast<__m128i>(bits)));
#elif defined(__aarch64__)
    return bit_cast<Word>(vmovl_u16(bit_cast<uint16x4_t>(bits)));
#else
    return __builtin_convertvector(bits, Word);
#endif
}

// The words are below 2^16.
ACLTWIN_INLINE Short narrow_words(Word words) {
#if defined(__AVX2__)
    const __m256i all = bit_cast<__m256i>(words);
    return bit_cast<Short>(_mm_packus_epi32(_mm256_castsi256_si128(all), _mm256_extracti128_si256(all, 1)));
#elif defined(__aarch64__)
    return bit_cast<Short>(vmovn_u32(bit_cast<uint32x4_t>(words)));
#else
    return __builtin_convertvector(words, Short);
#endif
}
ACLTWIN_INLINE Shorts narrow_words(Word a, Word b) {
#if defined(__AVX2__)
    const __m256i mixed = _mm256_packus_epi32(bit_cast<__m256i>(a), bit_cast<__m256i>(b));
    return bit_cast<Shorts>(_mm256_permute4x64_epi64(mixed, 0xd8));
#elif defined(__SSE4_1__)
    return bit_cast<Shorts>(_mm_packus_epi32(bit_cast<__m128i>(a), bit_cast<__m128i>(b)));
#else
    return every_second<0>(bit_cast<Shorts>(a), bit_cast<Shorts>(b));
#endif
}
// Lanes are all ones or all zeros.
ACLTWIN_INLINE Shorts narrow_masks(Word a, Word b) {
#if defined(__AVX2__)
    const __m256i mixed = _mm256_packs_epi32(bit_cast<__m256i>(a), bit_cast<__m256i>(b));
    return bit_cast<Shorts>(_mm256_permute4x64_epi64(mixed, 0xd8));
#elif defined(__SSE2__)
    return bit_cast<Shorts>(_mm_packs_epi32(bit_cast<__m128i>(a), bit_cast<__m128i>(b)));
#else
    return every_second<0>(bit_cast<Shorts>(a), bit_cast<Shorts>(b));
#endif
}

// One behind the other.
ACLTWIN_INLINE Shorts join(Short a, Short b) {
#if defined(__AVX2__)
    return bit_cast<Shorts>(_mm256_set_m128i(bit_cast<__m128i>(b), bit_cast<__m128i>(a)));
#else
    const Short both[] = {a, b};
    return bit_cast<Shorts>(both);
#endif
}

// ---- float16: widening is exact, narrowing rounds to nearest even, a NaN becomes quiet and keeps its upper payload
// ----

ACLTWIN_INLINE Float widen_half(Short bits) {
#if defined(__F16C__)
    return bit_cast<Float>(_mm256_cvtph_ps(bit_cast<__m128i>(bits)));
#elif defined(__aarch64__)
    return bit_cast<Float>(vcvt_f32_f16(bit_cast<float16x4_t>(bits)));
#else
    return widen_half_bits(bits);
#endif
}
ACLTWIN_INLINE float widen_half(uint16_t bits) {
#if defined(__F16C__)
    return _cvtsh_ss(bits);
#elif defined(__aarch64__)
    return vgetq_lane_f32(vcvt_f32_f16(bit_cast<float16x4_t>(Short{bits})), 0);
#else
    return widen_half_bits(Short{bits})[0];
#endif
}
ACLTWIN_INLINE Short narrow_half(Float value) {
#if defined(__F16C__)
    return bit_cast<Short>(_mm256_cvtps_ph(bit_cast<__m256>(value), _MM_FROUND_TO_NEAREST_INT));
#elif defined(__aarch64__)
    return bit_cast<Short>(vcvt_f16_f32(bit_cast<float32x4_t>(value)));
#else
    return narrow_half_bits(value);
#endif
}

// ---- memory that another thread may change meanwhile ----

// Reads it once. Without this the compiler may read again what it has checked, and meet another value.
template <class I>
ACLTWIN_INLINE I read_once(const I* p) {
    I value = *p;
    asm("" : "+r"(value));
    return value;
}
ACLTWIN_INLINE Word read_once(Word value) {  // the same for what a vector load gave
#if defined(__x86_64__)
    asm("" : "+x"(value));
#elif defined(__aarch64__)
    asm("" : "+w"(value));
#else
    asm("" : "+m"(value));
#endif
    return value;
}
// A copy: what is read there from now on is the copy's own.
template <class I>
ACLTWIN_INLINE void copy_once(const I* from, int64_t n, I* copy) {
    memcpy(copy, from, size_t(n) * sizeof(I));
    asm volatile("" : : "r"(copy) : "memory");
}

// ---- sums ----

// a * b + c, rounded once.
template <class V>
ACLTWIN_INLINE V multiply_add(V a, V b, V c) {
#if defined(__FMA__)
    if constexpr (std::is_same_v<V, Float>)
        return bit_cast<Float>(_mm256_fmadd_ps(bit_cast<__m256>(a), bit_cast<__m256>(b), bit_cast<__m256>(c)));
    else
        return bit_cast<V>(_mm256_fmadd_pd(bit_cast<__m256d>(a), bit_cast<__m256d>(b), bit_cast<__m256d>(c)));
#else
    V sums;
    for (int lane = 0; lane < kLanesIn<V>; ++lane)
        if constexpr (sizeof(a[0]) == 4)
            sums[lane] = __builtin_fmaf(a[lane], b[lane], c[lane]);
        else
            sums[lane] = __builtin_fma(a[lane], b[lane], c[lane]);
    return sums;
#endif
}

// *sum += *value with a fixed order of the operands: if both are NaN the sum's own survives, in every kernel alike.
// (On machines other than x86-64 the compiler may change the order, and so which NaN it is.)
ACLTWIN_INLINE void add_to(float* sum, const float* value) {
#if defined(__x86_64__)
    _mm_store_ss(sum, _mm_add_ss(_mm_load_ss(sum), _mm_load_ss(value)));
#else
    *sum = *sum + *value;
#endif
}
ACLTWIN_INLINE void add_to(double* sum, const double* value) {
#if defined(__x86_64__)
    _mm_store_sd(sum, _mm_add_sd(_mm_load_sd(sum), _mm_load_sd(value)));
#else
    *sum = *sum + *value;
#endif
}

// -0.0, which the compiler does not know: adding it makes a NaN quiet and changes nothing else.
ACLTWIN_INLINE Float opaque_nothing() {
    float nothing = -0.0f;
#if defined(__x86_64__)
    asm("" : "+x"(nothing));
#elif defined(__aarch64__)
    asm("" : "+w"(nothing));
#else
    asm("" : "+m"(nothing));
#endif
    return nothing - Float{};
}

// ---- non-temporal stores, which bypass the cache; end a run of them with non_temporal_fence ----

// One vector of 8, 16 or 32 bytes, aligned to its size.
template <class Vector>
ACLTWIN_INLINE void store_non_temporal(void* place, Vector v) {
#if defined(__AVX__)
    if constexpr (sizeof(Vector) == 32) return _mm256_stream_si256(static_cast<__m256i*>(place), bit_cast<__m256i>(v));
#endif
#if defined(__x86_64__)
    if constexpr (sizeof(Vector) == 16) return _mm_stream_si128(static_cast<__m128i*>(place), bit_cast<__m128i>(v));
    if constexpr (sizeof(Vector) == 8) return _mm_stream_si64(static_cast<long long*>(place), bit_cast<long long>(v));
#endif
    memcpy(place, &v, sizeof v);
}

// 64 bytes, both sides aligned to them.
ACLTWIN_INLINE void copy_line_non_temporal(void* dst, const void* src) {
    for (size_t at = 0; at < 64; at += sizeof(Word)) {
        Word words;
        memcpy(&words, static_cast<const char*>(src) + at, sizeof words);
        store_non_temporal(static_cast<char*>(dst) + at, words);
    }
}

ACLTWIN_INLINE void non_temporal_fence() {
#if defined(__x86_64__)
    _mm_sfence();
#endif
}

// Two halves of 32 bytes: through the cache, or non-temporal to a place that is aligned to 16 bytes.
enum class Stores { cached, non_temporal };
template <Stores kStores>
ACLTWIN_INLINE void store_pair(void* place, Bytes low, Bytes high) {
#if defined(__AVX2__)
    const __m256i both = _mm256_set_m128i(bit_cast<__m128i>(high), bit_cast<__m128i>(low));
    if constexpr (kStores == Stores::cached) return _mm256_storeu_si256(static_cast<__m256i_u*>(place), both);
#endif
    const Bytes halves[] = {low, high};
    for (int i = 0; i < 2; ++i)
        if constexpr (kStores == Stores::cached)
            memcpy(static_cast<char*>(place) + 16 * i, &halves[i], 16);
        else
            store_non_temporal(static_cast<char*>(place) + 16 * i, halves[i]);
}

}  // namespace acltwin::ACLTWIN_LEVEL
