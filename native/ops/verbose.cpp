#include "ops/verbose.h"

#include <chrono>
#include <cstdio>

#include "core/environment.h"
#include "core/thread_pool.h"
#include "ops/texts.h"

namespace acltwin {
namespace {

const bool is_verbose = environment_number("ACLTWIN_VERBOSE", 0, 1, 0) == 1;

}  // namespace

bool verbose() { return is_verbose; }

std::string described(Door door, const Operator& op, const Tensor* const tensors[]) {
    std::string text = door == Door::array ? "array " : "aclnn ";
    text += op.name;
    for (int i = 0; i < op.tensors; ++i)
        text += (i == op.inputs() ? " -> " : " ") + shape_of(*tensors[i]) + " " + name_of(tensors[i]->dtype);
    return text;
}

Failure run_verbosely(const Plan& plan, void* const data[], void* scratch, const std::string& call) {
    using Clock = std::chrono::steady_clock;
    begin_counting_threads();
    const auto begin = Clock::now();
    Failure failure = plan.run(data, scratch);
    const double microseconds = std::chrono::duration<double, std::micro>(Clock::now() - begin).count();
    const int threads = threads_counted();
    std::fprintf(stderr, "acltwin: %s, %s, %d thread%s, %.1f us%s\n", call.c_str(), plan.variant().c_str(), threads,
                 threads == 1 ? "" : "s", microseconds, failure ? ", failed" : "");
    return failure;
}

}  // namespace acltwin
