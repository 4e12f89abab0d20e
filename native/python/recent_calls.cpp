#include "python/recent_calls.h"

#include <cstring>
#include <utility>

namespace acltwin {
namespace {

constexpr int kKept = 16;

// Never destroyed: it may be used until the process ends.
std::unique_ptr<const KnownCall>* const kept = new std::unique_ptr<const KnownCall>[kKept];
int next = 0;

}  // namespace

CallKey::CallKey(const Operator& op, const Call& call) : op_(&op) {
    add(int64_t(call.mode.map));
    add(int64_t(call.index_dtype));
    for (int i = 0; i < op.scalars; ++i) {
        int64_t bits;
        std::memcpy(&bits, &call.scalars[i].real, sizeof bits);
        add(bits);
        add(call.scalars[i].integer);
    }
    for (int i = 0; i < op.tensors; ++i) {
        add(int64_t(call.tensors[i] != nullptr));
        if (call.tensors[i] != nullptr) add(*call.tensors[i]);
    }
    for (int i = 0; i < op.arrays; ++i) add(*call.arrays[i]);
}

void CallKey::add(const Tensor& tensor) {
    usable_ = usable_ && tensor.rank <= kMaxRank;
    if (!usable_) return;
    add(int64_t(tensor.dtype));
    add(int64_t(tensor.format));
    add(tensor.rank);
    for (int i = 0; i < tensor.rank; ++i) {
        add(tensor.dims[i]);
        add(tensor.strides[i]);
    }
}

void CallKey::add(const IntArray& array) {
    usable_ = usable_ && array.size <= kMostValues;
    if (!usable_) return;
    add(array.size);
    for (int64_t i = 0; i < array.size; ++i) add(array.values[i]);
}

bool CallKey::operator==(const CallKey& other) const {
    return op_ == other.op_ && count_ == other.count_ && usable_ && other.usable_ &&
           std::memcmp(words_, other.words_, size_t(count_) * sizeof words_[0]) == 0;
}

const KnownCall* find_recent(const CallKey& key) {
    for (int i = 0; i < kKept; ++i)
        if (kept[i] != nullptr && kept[i]->key == key) return kept[i].get();
    return nullptr;
}

const KnownCall* remember(std::unique_ptr<const KnownCall> call) {
    std::unique_ptr<const KnownCall>& oldest = kept[next];
    next = (next + 1) % kKept;
    oldest = std::move(call);
    return oldest.get();
}

}  // namespace acltwin
