// The rules that need no code of their own: what they ask for stands in the operators' declarations.
#pragma once

#include "ops/operator.h"

namespace acltwin {

// The failure's text names arguments as {gradOut}; its rule is not filled in.
Failure check_declared(const Rule& rule, const Call& call);

}  // namespace acltwin
