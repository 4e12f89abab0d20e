// Two to eight threads make the same few calls, or any, on the same objects, and take their time before every mutex.
// For ACLTWIN_STRESS_SECONDS, 2 unless set.
#include <chrono>
#include <cstdlib>
#include <random>
#include <vector>

#include "mutex_hook.h"
#include "shared_calls.h"

typedef std::mt19937 Random;

static int below(Random& random, int end) { return int(random() % unsigned(end)); }

static bool ends_something(const SharedCall& call) {
    return std::string(call.name).find("Destroy") != std::string::npos ||
           std::string(call.name).find("Reset") != std::string::npos;
}

// Mostly a pair, over and over, as the windows between two calls are hit best by nothing but them; every third time
// two that both end something.
static std::vector<int> choose_calls(Random& random) {
    const int kind = below(random, 3);
    std::vector<int> calls(kind == 0 ? 12 : 2);
    for (int& call : calls) call = below(random, kSharedCallCount);
    while (kind == 1 && !(ends_something(kSharedCalls[calls[0]]) && ends_something(kSharedCalls[calls[1]])))
        for (int& call : calls) call = below(random, kSharedCallCount);
    return calls;
}

static void run_round(Random& random) {
    EXPECT_OK(aclrtSetDevice(0));
    Shared shared;
    const int threads = 2 + below(random, 7);
    const std::vector<int> calls = choose_calls(random);
    std::string story = std::to_string(threads) + " threads did, over and over:";
    for (int call : calls) story += std::string("\n    ") + kSharedCalls[call].name;
    std::snprintf(watchdog::story, sizeof watchdog::story, "%s", story.c_str());
    std::vector<std::thread> crowd;
    for (int i = 0; i < threads; ++i) {
        const unsigned seed = unsigned(random());
        crowd.emplace_back([&shared, &calls, seed, i] {
            Random choice(seed);
            shared.enter();
            before_mutex = dawdle;
            for (int step = 0; step < 12; ++step) {
                const SharedCall& call = kSharedCalls[calls[size_t(below(choice, int(calls.size())))]];
                watchdog::Watched watched(1 + i, call.name);
                call.make(shared);
            }
            before_mutex = nullptr;
        });
    }
    for (std::thread& thread : crowd) thread.join();
    shared.settle();
}

int main() {
    const char* wanted = std::getenv("ACLTWIN_STRESS_SECONDS");
    const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(wanted != nullptr ? std::atoi(wanted) : 2);
    watchdog::start();
    long rounds = 0;
    for (; std::chrono::steady_clock::now() < end; ++rounds) {
        Random random{unsigned(rounds)};
        run_round(random);
    }
    expect_working_runtime();
    std::printf("%ld rounds of %d calls\n", rounds, kSharedCallCount);
    return 0;
}
