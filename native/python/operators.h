// The operators that Python sees, and what their shape says about their arguments.
#pragma once

#include <cstring>

#include "ops/operator.h"

// Every operator once: `apply` is a macro that takes its name.
#define ACLTWIN_EACH_OPERATOR(apply)                                                                                 \
    apply(upsample_nearest_exact3d_backward) apply(upsample_nearest3d_backward)                                      \
        apply(upsample_nearest_exact2d_backward) apply(max_unpool3d_backward) apply(max_pool3d_with_argmax_backward) \
            apply(upsample_nearest_exact3d) apply(upsample_nearest3d) apply(upsample_nearest_exact2d)                \
                apply(max_unpool3d) apply(max_pool3d_with_argmax)

namespace acltwin {

// Null if there is none.
inline const Operator* find_operator(const char* name) {
#define ACLTWIN_FIND(op) \
    if (std::strcmp(name, op.name) == 0) return &op;
    ACLTWIN_EACH_OPERATOR(ACLTWIN_FIND)
#undef ACLTWIN_FIND
    return nullptr;
}

inline bool is_2d(const Operator& op) { return op.scales == 2; }

// Of two results the second holds indices, whose type the caller chooses.
inline bool makes_indices(const Operator& op) { return op.results == 2; }

inline Format format_of(const Operator& op, bool channels_last) {
    if (!channels_last) return Format::nd;
    return is_2d(op) ? Format::nhwc : Format::ndhwc;
}

}  // namespace acltwin
