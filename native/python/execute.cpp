#include "python/execute.h"

#include <cstdlib>

#include "core/output_pool.h"
#include "ops/verbose.h"

namespace acltwin {
namespace {

// Scratch memory comes from the stack for small calls and from malloc for the rest.
Failure execute_with_scratch(const Plan& plan, void* const* data, const Operator& op, const Call& call) {
    const auto run = [&](void* scratch) {
        if (!verbose()) return plan.run(data, scratch);
        return run_verbosely(plan, data, scratch, described(Door::array, op, call.tensors));
    };
    alignas(64) char small[4096];
    if (plan.scratch_bytes() <= sizeof small) return run(small);
    const std::unique_ptr<void, void (*)(void*)> scratch(allocate_working_memory(plan.scratch_bytes()), std::free);
    return run(scratch.get());
}

std::string snake_case(const std::string& name) {
    std::string snake;
    for (const char letter : name)
        snake += letter >= 'A' && letter <= 'Z' ? std::string("_") + char(letter - 'A' + 'a') : std::string(1, letter);
    return snake;
}

// A rule is named by its tensor, which array functions may call otherwise: self_dtype is their input_dtype.
std::string rule_of_arrays(const Operator& op, const std::string& rule) {
    for (int i = 0; i < op.tensors; ++i) {
        const std::string begin = snake_case(op.tensor[i].name) + "_";
        if (rule.compare(0, begin.size(), begin) == 0)
            return std::string(op.tensor[i].python_name) + "_" + rule.substr(begin.size());
    }
    return rule;
}

}  // namespace

Failure execute(const Plan* plan, const Operator& op, const Call& call) {
    if (plan == nullptr) return {};
    void* data[kMaxTensors] = {};
    for (int i = 0; i < op.tensors; ++i) data[i] = call.tensors[i]->data;
    Failure failure = execute_with_scratch(*plan, data, op, call);
    if (failure) failure.text = op.spelled(failure.text, Door::array);
    return failure;
}

std::string message_of(const Operator& op, const Failure& failure) {
    return std::string(op.name) + ": " + failure.text + " [" + rule_of_arrays(op, failure.rule) + "]";
}

}  // namespace acltwin
