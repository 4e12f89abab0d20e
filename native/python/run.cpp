#include "python/run.h"

#include <cstdlib>
#include <cstring>
#include <new>

#include "core/float_mode.h"

namespace acltwin {
namespace {

// Scratch memory comes from the stack for small calls and from malloc for the rest.
Failure run_with_scratch(const Plan& plan, void* const* data) {
    alignas(64) char small[4096];
    if (plan.scratch_bytes() <= sizeof small) return plan.run(data, small);
    const size_t bytes = (plan.scratch_bytes() + 63) / 64 * 64;
    std::unique_ptr<void, void (*)(void*)> scratch(std::aligned_alloc(64, bytes), std::free);
    if (!scratch) throw std::bad_alloc();
    return plan.run(data, scratch.get());
}

}  // namespace

std::unique_ptr<Plan> plan_call(const Operator& op, const Call& call) {
    const FloatMode plain;  // a plan holds rounded numbers too
    return op.plan(call);
}

Failure run_plan(const Plan* plan, const Operator& op, const Call& call) {
    if (plan == nullptr) return {};
    void* data[kMaxTensors] = {};
    for (int i = 0; i < op.tensors; ++i) data[i] = call.tensors[i]->data;
    Failure failure = run_with_scratch(*plan, data);
    if (failure) failure.text = op.spelled(failure.text, Door::array);
    return failure;
}

Failure run_call(const Operator& op, const Call& call) { return run_plan(plan_call(op, call).get(), op, call); }

std::string message_of(const Operator& op, const Failure& failure) {
    return std::string(op.name) + ": " + failure.text + " [" + failure.rule + "]";
}

bool is_index_failure(const Failure& failure) { return std::strcmp(failure.rule, "index_range") == 0; }

}  // namespace acltwin
