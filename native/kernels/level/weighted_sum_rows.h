// Weighted sums of rows, column by column.
#pragma once

#include <type_traits>

#include "kernels/level/simd.h"
#include "kernels/weighted_sum_task.h"

namespace acltwin::ACLTWIN_LEVEL {

// The rows of a group and their weights.
template <class T>
struct Terms {
    const T* row[kTapsPerGroup];
    typename Sum<T>::Scalar weight[kTapsPerGroup];
    int count = 0;

    ACLTWIN_INLINE void add(const T* next, typename Sum<T>::Scalar next_weight) {
        row[count] = next;
        weight[count++] = next_weight;
    }
};

constexpr int kAnyTerms = 0;

// The sum of a group at any column; kCount rows, each with its pointer and weight in a register.
template <int kCount, bool kWeighted, class T>
class TermSum {
    typedef typename Sum<T>::Vector V;

public:
    ACLTWIN_INLINE TermSum(const Terms<T>& terms, int64_t shift) : terms_(terms), shift_(shift) {
        if constexpr (kCount != kAnyTerms)
            for (int k = 0; k < kCount; ++k) {
                rows_[k] = terms.row[k] + shift;
                asm("" : "+r"(rows_[k]));  // as vectors they would be taken apart again
                weights_[k] = terms.weight[k] - V{};
            }
    }

    ACLTWIN_INLINE V operator()(int64_t at) const {
        return sum([&](const T* row) { return load(row + at); });
    }
    ACLTWIN_INLINE V partial(int64_t n) const {
        return sum([&](const T* row) { return load_partial(row, n); });
    }

private:
    template <class Load>
    ACLTWIN_INLINE V sum(const Load& load_row) const {
        const int count = kCount != kAnyTerms ? kCount : terms_.count;
        const auto term = [&](int k) {
            if constexpr (kCount == kAnyTerms)
                return kWeighted ? load_row(terms_.row[k] + shift_) * terms_.weight[k]
                                 : load_row(terms_.row[k] + shift_);
            else
                return kWeighted ? load_row(rows_[k]) * weights_[k] : load_row(rows_[k]);
        };
        V sum = term(0);
        for (int k = 1; k < count; ++k) sum += term(k);
        return sum;
    }

    const Terms<T>& terms_;
    const int64_t shift_;
    const T* rows_[kCount != kAnyTerms ? kCount : 1];
    V weights_[kCount != kAnyTerms ? kCount : 1];
};

// Calls body(sum) with the sum of a group of terms, `shift` elements further on.
template <class T, class Body>
ACLTWIN_INLINE void with_terms(const Terms<T>& terms, bool weighted, int64_t shift, const Body& body) {
    const auto with_count = [&](auto is_weighted) {
        constexpr bool kWeighted = is_weighted;
        constexpr auto special = [](int count) { return kSpecialised ? count : kAnyTerms; };
        switch (terms.count) {
            case 1: return body(TermSum<1, kWeighted, T>(terms, shift));
            case 2: return body(TermSum<2, kWeighted, T>(terms, shift));
            case 3: return body(TermSum<special(3), kWeighted, T>(terms, shift));
            case 4: return body(TermSum<special(4), kWeighted, T>(terms, shift));
            default: return body(TermSum<kAnyTerms, kWeighted, T>(terms, shift));
        }
    };
    if (weighted) return with_count(std::true_type());
    with_count(std::false_type());
}

// Calls put(i, vector at i) for vectors that cover n elements, n at least a vector. The last one starts further left
// instead of being shorter, and is ready before the others are put.
template <int kLanes, class At, class Put>
ACLTWIN_INLINE void each_vector(int64_t n, const At& at, const Put& put) {
    const auto last = at(n - kLanes);
    for (int64_t i = 0; i + kLanes < n; i += kLanes) put(i, at(i));
    put(n - kLanes, last);
}

// The sums of n neighbouring columns: the first group fills `totals`, the others are added to it.
template <class T>
void add_terms(const Terms<T>& terms, bool weighted, bool first, int64_t shift, int64_t n,
               typename Sum<T>::Scalar* totals) {
    constexpr int kLanes = kLanesOf<T>;
    typedef typename Sum<T>::Vector V;
    with_terms(terms, weighted, shift, [&](const auto& sum) {
        const auto put = [&](int64_t i, V v) { store(totals + i, v); };
        if (n < kLanes)
            store_partial(totals, first ? sum.partial(n) : load_partial(totals, n) + sum.partial(n), n);
        else if (first)
            each_vector<kLanes>(n, sum, put);
        else
            each_vector<kLanes>(n, [&](int64_t i) { return load(totals + i) + sum(i); }, put);
    });
}

// The same for columns that are `pitch` elements apart.
template <class T>
void add_scattered_terms(const Terms<T>& terms, bool first, int64_t shift, int64_t pitch, int64_t n,
                         typename Sum<T>::Scalar* totals) {
    for (int64_t i = 0; i < n; ++i, shift += pitch) {
        auto sum = widen(terms.row[0][shift]) * terms.weight[0];
        for (int k = 1; k < terms.count; ++k) sum += widen(terms.row[k][shift]) * terms.weight[k];
        totals[i] = first ? sum : totals[i] + sum;
    }
}

}  // namespace acltwin::ACLTWIN_LEVEL
