// Calls come again and again with the same shapes, and many cost more to check and to plan than to run. What was found
// out about the last few of them is kept. Everything here is guarded by the interpreter's lock.
#pragma once

#include <memory>

#include "ops/operator.h"

namespace acltwin {

// All that checks, inference and plans look at: the whole call except for addresses, and the number of threads.
class CallKey {
public:
    CallKey(const Operator& op, const Call& call);
    bool operator==(const CallKey& other) const;

private:
    void add(int64_t word) {
        if (count_ == kMostWords)
            usable_ = false;  // a call with more to say is checked and planned anew
        else
            words_[count_++] = word;
    }
    void add(const Tensor& tensor);
    void add(const IntArray& array);

    static constexpr int kMostValues = 8;  // of an array; longer ones are for a check to refuse
    static constexpr int kMostWords =
        3 + 2 * kMaxScalars + kMaxTensors * (4 + 2 * kMaxRank) + kMaxArrays * (1 + kMostValues);
    const Operator* op_;
    bool usable_ = true;
    int count_ = 0;
    int64_t words_[kMostWords];
};

// A call that passed its check.
struct KnownCall {
    CallKey key;
    Tensor results[kMaxResults];  // as inferred
    std::unique_ptr<Plan> plan;
    int64_t cells = 0;  // along all axes, added up: as long are the tables of the plan
};

std::shared_ptr<const KnownCall> find_recent(const CallKey& key);  // null if there is none
void remember(std::shared_ptr<const KnownCall> call);              // instead of the oldest ones

}  // namespace acltwin
