// Blocks of memory that stand for the device's (and pinned host) memory, found again by any address inside them.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <memory>
#include <vector>

#include "core/failure.h"
#include "runtime/lock.h"

namespace acltwin {

constexpr int kHost = -1;       // as a device number: memory of the host
constexpr int kAnyDevice = -2;  // where one may be chosen: whichever device it is on

constexpr size_t kBlockAlignment = 512;  // programs count on what devices give

// Released when its last holder lets go: queued work holds the blocks it uses, so that a free under its feet is safe.
// The pages of a borrowed block are somebody else's (a reservation's, or the caller's own): they may go as soon as the
// block has ended and nobody is in the middle of using it, see BlockUse.
class MemoryBlock {
public:
    // Zero-filled. Null when the system refuses.
    static std::shared_ptr<MemoryBlock> allocate(size_t bytes, int device, size_t padding = 0);
    // `owner` lives as long as the block. Blocks of one `area` that lie side by side are one memory.
    static std::shared_ptr<MemoryBlock> borrow(char* begin, char* data, size_t bytes, int device,
                                               std::shared_ptr<const void> owner, const void* area = nullptr);
    ~MemoryBlock();
    MemoryBlock(const MemoryBlock&) = delete;
    MemoryBlock& operator=(const MemoryBlock&) = delete;

    char* begin() const { return begin_; }  // as callers know it
    // Where the data of an address in the block really are: there, unless check mode keeps host code away from them.
    char* data_at(void* address) const { return data_ + (static_cast<char*>(address) - begin_); }
    size_t bytes() const { return bytes_; }  // padding included
    // Of `available` bytes up to the end, those that the program asked for: what messages speak of.
    size_t asked_of(size_t available) const { return available - std::min(available, padding_); }
    int device() const { return device_; }

    bool is_borrowed() const { return is_borrowed_; }
    bool is_mapped() const { return area_ != nullptr; }  // virtual memory
    bool continues(const MemoryBlock& before) const {
        return area_ != nullptr && area_ == before.area_ && device_ == before.device_ &&
               begin_ == before.begin_ + before.bytes_;
    }

    bool freed() const { return freed_.load(std::memory_order_acquire); }
    void mark_freed() { freed_.store(true, std::memory_order_release); }
    // The same for a borrowed one, and waits for those who are using it right now; later ones find it freed.
    void end_borrowing(Lock& lock);

private:
    friend class BlockUse;
    friend void forget_parents_uses(const Lock& lock);
    MemoryBlock(char* begin, char* data, size_t bytes, int device)
        : begin_(begin), data_(data), bytes_(bytes), device_(device) {}

    char *const begin_, *const data_;
    const size_t bytes_;
    const int device_;
    size_t padding_ = 0;
    bool is_borrowed_ = false;  // this, the padding and the next two are constant once somebody else knows the block
    std::shared_ptr<const void> owner_;
    const void* area_ = nullptr;
    int users_ = 0;  // of a borrowed one, guarded by the runtime's lock
    std::atomic<bool> freed_{false};
};

using Held = std::vector<std::shared_ptr<MemoryBlock>>;

// While it lives and did not fail, the memory of the blocks may be touched.
class BlockUse {
public:
    explicit BlockUse(const Held& held);
    ~BlockUse();
    BlockUse(const BlockUse&) = delete;
    BlockUse& operator=(const BlockUse&) = delete;

    // One of the blocks was freed by its owner although queued work holds it: before the use, or meanwhile.
    Failure failure() const;

private:
    const Held& held_;
    bool is_counted_ = false;
};

// What all devices together can hold: the machine's memory.
size_t physical_memory();

// The block that holds the address; null when there is none.
std::shared_ptr<MemoryBlock> block_holding(const void* address, const Lock& lock);

// How many bytes may be used from an address in `block` on; counted up to `enough`.
size_t bytes_from(const std::shared_ptr<MemoryBlock>& block, const void* address, size_t enough, const Lock& lock);

// A range of device memory: its blocks, more than one where mapped ones lie side by side, are added to `held`, and
// `data` is where its bytes really are. Else the failure says why not; `what` names the range in the message.
Failure find_range(const char* what, void* address, size_t bytes, int device, const Lock& lock, Held* held,
                   char** data);

// Makes a borrowed block known by its addresses.
void add_block(const std::shared_ptr<MemoryBlock>& block, const Lock& lock);
// Nobody finds it from now on; null when no block begins there.
std::shared_ptr<MemoryBlock> take_block(const void* begin, const Lock& lock);
// All of a device but mapped ones; work that holds them may still use them, until they are marked freed.
Held take_blocks_of(int device, const Lock& lock);
// All that lie in a range of addresses.
Held blocks_within(const char* begin, size_t bytes, const Lock& lock);

// Ends blocks that were taken. Not under the lock: giving memory back takes its time.
void end_blocks(const Held& blocks);

void forget_parents_uses(const Lock& lock);  // in a forked child

}  // namespace acltwin
