#include "ops/operator.h"

#include <algorithm>
#include <cstring>

#include "core/float_mode.h"
#include "ops/checks.h"

namespace acltwin {

namespace {

Bits judge_of(const Mode& mode) {
    if (mode.door == Door::array) return kByArray;
    return mode.profile == Profile::documented ? kByDocumented : kByDevice;
}

bool any_empty(const Operator& op, const Call& call) {
    return std::any_of(call.tensors, call.tensors + op.tensors, [](const Tensor* tensor) { return tensor->empty(); });
}

}  // namespace

Failure Operator::check(const Call& call) const {
    const Bits judge = judge_of(call.mode);
    for (const Rule* rule = rules; rule != rules + rule_count; ++rule) {
        if (!(rule->judges & judge)) continue;
        Failure failure = rule->check == Check::particular ? rule->particular(call) : check_declared(*rule, call);
        if (failure) {
            failure.rule = rule->id;
            failure.code = rule->code;
            failure.raises = rule->raises;
            failure.text = spelled(failure.text, call.mode.door);
            return failure;
        }
        if (rule->check == Check::tensor_shape && empty_succeeds_first && judge != kByArray && any_empty(*this, call))
            return {};
    }
    return {};
}

std::unique_ptr<Plan> Operator::plan(const Call& call) const {
    // With nothing to scatter, arrays get zeros; the device leaves a result as it is.
    const bool idle = call.mode.door == Door::aclnn ? any_empty(*this, call) : call.tensors[inputs()]->empty();
    if (idle) return nullptr;
    const FloatMode mode;  // a plan holds rounded numbers
    return plan_work(call);
}

std::string Operator::spelled(const std::string& text, Door door) const {
    const auto name_of_argument = [&](const std::string& name) {
        std::string found = name;
        const auto look_in = [&](const auto* arguments, int count) {
            for (int i = 0; i < count && door == Door::array; ++i)
                if (name == arguments[i].name && arguments[i].python_name != nullptr) found = arguments[i].python_name;
        };
        look_in(tensor, tensors);
        look_in(array, arrays);
        look_in(float_array, float_arrays);
        look_in(scalar, scalars);
        return found;
    };
    std::string result;
    size_t position = 0;
    while (true) {
        const size_t open = text.find('{', position);
        if (open == std::string::npos) return result + text.substr(position);
        const size_t close = text.find('}', open);
        result += text.substr(position, open - position);
        result += name_of_argument(text.substr(open + 1, close - open - 1));
        position = close + 1;
    }
}

const Scalar& Call::scalar(const char* name) const {
    int i = 0;
    while (std::strcmp(op->scalar[i].name, name) != 0) ++i;
    return scalars[i];
}

const Operator* find_operator(const char* name) {
    for (const Operator& op : operators())
        if (std::strcmp(name, op.name) == 0) return &op;
    return nullptr;
}

}  // namespace acltwin
