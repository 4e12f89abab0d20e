#include "core/output_pool.h"

#include <pthread.h>

#include <cstdlib>
#include <mutex>
#include <new>

#include "core/environment.h"
#include "core/huge_pages.h"

namespace acltwin {
namespace {

constexpr size_t kSmall = size_t(256) << 10;  // below this malloc is as good
constexpr int kMaxKept = 64;

size_t round_up(size_t bytes, size_t unit) { return (bytes + unit - 1) / unit * unit; }

size_t capacity_for(size_t bytes) {
    if (bytes < kSmall) return round_up(bytes == 0 ? 1 : bytes, 64);
    return round_up(bytes, bytes < kHugePage ? size_t(4096) : kHugePage);
}

// malloc and a little more space are several times faster than aligned_alloc. Where the space starts stands before the
// block.
void* allocate_small(size_t capacity) {
    void* space = std::malloc(capacity + 64);
    if (space == nullptr) return nullptr;
    void** block = reinterpret_cast<void**>(round_up(size_t(space) + 1, 64));
    block[-1] = space;
    return block;
}

void* map_block(size_t capacity) {
    if (capacity < kSmall) return allocate_small(capacity);
    return map_pages(capacity);
}

void unmap_block(Block block) {
    if (block.capacity < kSmall)
        std::free(static_cast<void**>(block.data)[-1]);
    else
        unmap_pages(block.data, block.capacity);
}

// Read at load, so that a wrong value is reported at once.
const size_t first_limit = size_t(environment_number("ACLTWIN_OUTPUT_POOL_MIB", 0, int64_t(1) << 30, 1024)) << 20;

// Blocks in the order in which they were released, oldest first.
class Pool {
public:
    Block take(size_t capacity) {
        std::lock_guard<std::mutex> lock(mutex_);
        for (int i = count_ - 1; i >= 0; --i) {
            // A little too large is fine; much too large would waste what the bound allows.
            if (kept_[i].capacity < capacity || kept_[i].capacity > capacity + capacity / 8) continue;
            const Block block = kept_[i];
            remove(i);
            return block;
        }
        return {};
    }

    void give(Block block) {
        std::lock_guard<std::mutex> lock(mutex_);
        if (block.capacity > limit_) return unmap_block(block);
        while (count_ == kMaxKept || bytes_ + block.capacity > limit_) evict_oldest();
        kept_[count_++] = block;
        bytes_ += block.capacity;
    }

    void set_limit(size_t bytes) {
        std::lock_guard<std::mutex> lock(mutex_);
        limit_ = bytes;
        while (bytes_ > limit_) evict_oldest();
    }

    bool empty() {
        std::lock_guard<std::mutex> lock(mutex_);
        const bool had_some = count_ > 0;
        while (count_ > 0) evict_oldest();
        return had_some;
    }

    size_t limit() {
        std::lock_guard<std::mutex> lock(mutex_);
        return limit_;
    }
    size_t bytes() {
        std::lock_guard<std::mutex> lock(mutex_);
        return bytes_;
    }
    std::mutex& mutex() { return mutex_; }

private:
    void remove(int i) {
        bytes_ -= kept_[i].capacity;
        for (--count_; i < count_; ++i) kept_[i] = kept_[i + 1];
    }
    void evict_oldest() {
        unmap_block(kept_[0]);
        remove(0);
    }

    std::mutex mutex_;
    Block kept_[kMaxKept];
    int count_ = 0;
    size_t bytes_ = 0;
    size_t limit_ = first_limit;
};

Pool* const pool =
    new Pool;  // at load, as a fork could catch a first use half way; never destroyed: arrays may die late

const int registered =
    pthread_atfork([] { pool->mutex().lock(); }, [] { pool->mutex().unlock(); }, [] { pool->mutex().unlock(); });

}  // namespace

Block acquire_output(size_t bytes) {
    if (bytes > (size_t(1) << 62)) return {};
    const size_t capacity = capacity_for(bytes);
    Block block;
    if (capacity >= kSmall) block = pool->take(capacity);
    if (block.data == nullptr) block = {allocate_or_empty_pool([&] { return map_block(capacity); }), capacity};
    return block;
}

void release_output(Block block) {
    if (block.capacity < kSmall) return unmap_block(block);
    pool->give(block);
}

void set_output_pool_limit(size_t bytes) { pool->set_limit(bytes); }
size_t output_pool_limit() { return pool->limit(); }
size_t output_pool_kept() { return pool->bytes(); }
bool empty_output_pool() { return pool->empty(); }

void* allocate_working_memory(size_t bytes) {
    void* const memory = allocate_or_empty_pool([&] { return std::aligned_alloc(64, round_up(bytes, 64)); });
    if (memory == nullptr) throw std::bad_alloc();
    return memory;
}

}  // namespace acltwin
