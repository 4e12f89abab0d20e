// What the kernels do with vectors: loads, stores, lanes brought together.
#pragma once

#include "kernels/level/short_floats.h"

namespace acltwin::ACLTWIN_LEVEL {

// ---- loads and stores: any alignment; the partial ones touch exactly n elements, 0 <= n <= lanes ----

template <class V>
ACLTWIN_INLINE V load_as(const void* p) {
    V v;
    memcpy(&v, p, sizeof v);
    return v;
}
ACLTWIN_INLINE Float load(const float* p) { return load_as<Float>(p); }
ACLTWIN_INLINE Double load(const double* p) { return load_as<Double>(p); }
ACLTWIN_INLINE Int load(const int32_t* p) { return load_as<Int>(p); }
template <class T>  // Half, BFloat
ACLTWIN_INLINE Float load(const T* p) {
    return widen(load_as<Short>(p), T());
}
ACLTWIN_INLINE void store(float* p, Float v) { memcpy(p, &v, sizeof v); }
ACLTWIN_INLINE void store(double* p, Double v) { memcpy(p, &v, sizeof v); }
ACLTWIN_INLINE void store(int32_t* p, Int v) { memcpy(p, &v, sizeof v); }
template <class T>
ACLTWIN_INLINE void store(T* p, Float v) {
    const Short bits = narrow(v, T());
    memcpy(p, &bits, sizeof bits);
}

// A finished sum, see from_zero.
ACLTWIN_INLINE void store_sums(float* p, Float sums) { store(p, from_zero(sums)); }
ACLTWIN_INLINE void store_sums(double* p, Double sums) { store(p, from_zero(sums)); }
template <class T>
ACLTWIN_INLINE void store_sums(T* p, Float sums) {
    const Short bits = narrow_sum(sums, T());
    memcpy(p, &bits, sizeof bits);
}

// Two vectors at once, without signalling NaNs: half as many stores for the short types.
template <class T>
ACLTWIN_INLINE void store_two(T* p, typename Sum<T>::Vector a, typename Sum<T>::Vector b) {
    store(p, a);
    store(p + kLanesOf<T>, b);
}
ACLTWIN_INLINE void store_two(Half* p, Float a, Float b) {
    const Shorts both = join(narrow(a, Half()), narrow(b, Half()));
    memcpy(p, &both, sizeof both);
}
ACLTWIN_INLINE void store_two(BFloat* p, Float a, Float b) {
    const Shorts both = narrow_words(round_words(a) >> 16, round_words(b) >> 16);
    memcpy(p, &both, sizeof both);
}

template <class V, int... kLane>
ACLTWIN_INLINE void store_lanes(void* p, V v, std::integer_sequence<int, kLane...>) {
    const auto lanes = __builtin_shufflevector(v, v, kLane...);
    memcpy(p, &lanes, sizeof lanes);
}
// The first n lanes of finished sums.
template <int n, class T>
ACLTWIN_INLINE void store_first_sums(T* p, typename Sum<T>::Vector v) {
    if constexpr (n == kLanesOf<T>)
        store_sums(p, v);
    else if constexpr (sizeof(T) == sizeof(typename Sum<T>::Scalar))
        store_lanes(p, from_zero(v), std::make_integer_sequence<int, n>());
    else
        store_lanes(p, narrow_sum(v, T()), std::make_integer_sequence<int, n>());
}

// Copies of constant sizes: quicker than a call for so few bytes.
template <class T>
ACLTWIN_INLINE void copy_partial(T* to, const T* from, int64_t n) {
    if (n == kLanesOf<T>) {
        memcpy(to, from, kLanesOf<T> * sizeof(T));
        return;
    }
    for (int64_t size = kLanesOf<T> / 2, at = 0; size > 0; size /= 2) {
        if ((n & size) == 0) continue;
        memcpy(to + at, from + at, size_t(size) * sizeof(T));
        at += size;
    }
}
template <class T, int... kByte>
ACLTWIN_INLINE auto load_half_vector(const T* p, std::integer_sequence<int, kByte...>) {
    typedef uint8_t HalfVector __attribute__((vector_size(sizeof...(kByte) / 2)));
    const auto all = __builtin_shufflevector(load_as<HalfVector>(p), HalfVector{}, kByte...);
    return load(reinterpret_cast<const T*>(&all));
}
template <class T>
ACLTWIN_INLINE auto load_partial(const T* p, int64_t n) {  // lanes from n on are zero
    // What comes by way of memory waits for the stores.
    if (n == kLanesOf<T> / 2) return load_half_vector(p, std::make_integer_sequence<int, kLanesOf<T> * sizeof(T)>());
    T lanes[kLanesOf<T>] = {};
    copy_partial(lanes, p, n);
    return load(lanes);
}
template <class T>
ACLTWIN_INLINE void store_partial(T* p, typename Sum<T>::Vector v, int64_t n) {
    T lanes[kLanesOf<T>];
    store(lanes, v);
    copy_partial(p, lanes, n);
}

ACLTWIN_INLINE float widen(float x) { return x; }
ACLTWIN_INLINE double widen(double x) { return x; }
ACLTWIN_INLINE float widen(BFloat x) { return bit_cast<float>(uint32_t(x.bits) << 16); }
ACLTWIN_INLINE float widen(Half x) { return widen_half(x.bits); }
template <class T>
ACLTWIN_INLINE T narrow(typename Sum<T>::Scalar x) {  // one element; rounds like the vector form
    if constexpr (sizeof(T) == sizeof(x)) {
        return x;
    } else {
        T result;
        store_partial(&result, x - Float{}, 1);  // which keeps -0.0
        return result;
    }
}

// ---- lanes of several vectors, brought together in one ----

// Elements kPhase, 2 + kPhase, ... of the row that a and b hold, out of order, because shuffles within 16 bytes are
// cheapest; what they add up to is put in order at the end.
template <class V>
constexpr int kHalfGroup = int(8 / sizeof(V{}[0]));
template <int kPhase, class V, int... kLane>
ACLTWIN_INLINE V every_second_in_groups(V a, V b, std::integer_sequence<int, kLane...>) {
    constexpr int half = kHalfGroup<V>, group = 2 * half;
    return __builtin_shufflevector(
        a, b, (kLane % group / half * kLanesIn<V> + kLane / group * group + 2 * (kLane % half) + kPhase)...);
}
template <class V, int... kLane>
ACLTWIN_INLINE V groups_in_order(V sums, std::integer_sequence<int, kLane...>) {
    constexpr int half = kHalfGroup<V>, row = kLanesIn<V> / 2;
    return __builtin_shufflevector(sums, sums, (kLane % row / half * 2 * half + kLane % half + kLane / row * half)...);
}

// Elements kPhase, 3 + kPhase, 6 + kPhase, ... of the row that a, b and c hold: no two of them are in the same lane, so
// they are first brought into one vector, then into order.
constexpr int vector_of_third(int lane, int phase, int lanes) {
    int element = lane;
    while (element % 3 != phase) element += lanes;
    return element / lanes;
}
template <int kPhase, class V, int... kLane>
ACLTWIN_INLINE V every_third(V a, V b, V c, std::integer_sequence<int, kLane...>) {
    constexpr int n = kLanesIn<V>;
    const V ab = __builtin_shufflevector(a, b, (vector_of_third(kLane, kPhase, n) == 1 ? n + kLane : kLane)...);
    const V abc = __builtin_shufflevector(ab, c, (vector_of_third(kLane, kPhase, n) == 2 ? n + kLane : kLane)...);
    return __builtin_shufflevector(abc, abc, ((3 * kLane + kPhase) % n)...);
}
template <int kPhase, class V>
ACLTWIN_INLINE V every_third(V a, V b, V c) {
    return every_third<kPhase>(a, b, c, LanesOf<V>());
}

// Lane i is word index[i] % (2 * kLanes) of a and b.
ACLTWIN_INLINE Word lookup(Word a, Word b, Int index) {
    // The bit that tells a from b, brought to where a selection by sign needs no comparison.
    return (index << (31 - __builtin_ctz(kLanes))) < 0 ? lookup(b, index) : lookup(a, index);
}

}  // namespace acltwin::ACLTWIN_LEVEL
