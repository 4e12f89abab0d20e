#include "python/recent_calls.h"

#include <cstring>
#include <utility>

#include "core/thread_pool.h"

namespace acltwin {
namespace {

constexpr int kKept = 16;
// Of all that are kept: tables take up to some hundred bytes per cell.
constexpr int64_t kMostCells = 256 << 10;

// Never destroyed: it may be used until the process ends.
std::shared_ptr<const KnownCall>* const kept = new std::shared_ptr<const KnownCall>[kKept];
int next = 0;

}  // namespace

CallKey::CallKey(const Operator& op, const Call& call) : op_(&op) {
    add(int64_t(call.mode.map));
    add(int64_t(call.index_dtype));
    add(num_threads());
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

std::shared_ptr<const KnownCall> find_recent(const CallKey& key) {
    for (int i = 0; i < kKept; ++i)
        if (kept[i] != nullptr && kept[i]->key == key) return kept[i];
    return nullptr;
}

void remember(std::shared_ptr<const KnownCall> call) {
    if (call->cells > kMostCells) return;
    kept[next] = std::move(call);
    const int newest = next;
    next = (next + 1) % kKept;
    int64_t cells = 0;
    for (int age = 0; age < kKept; ++age) {
        std::shared_ptr<const KnownCall>& one = kept[(newest - age + kKept) % kKept];
        if (one == nullptr) continue;
        if (cells + one->cells > kMostCells)
            one.reset();
        else
            cells += one->cells;
    }
}

}  // namespace acltwin
