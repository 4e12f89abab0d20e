// What a layout's name says about an operator's tensors.
#pragma once

#include "ops/operator.h"

namespace acltwin {

inline Format format_of(const Operator& op, bool channels_last) {
    return channels_last ? op.channels_last_format() : Format::nd;
}

}  // namespace acltwin
