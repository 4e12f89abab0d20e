// Blocks of memory that stand for the device's (and pinned host) memory, found again by any address inside them.
#pragma once

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
class MemoryBlock {
public:
    // Zero-filled. Null when the system refuses.
    static std::shared_ptr<MemoryBlock> allocate(size_t bytes, int device);
    ~MemoryBlock();
    MemoryBlock(const MemoryBlock&) = delete;
    MemoryBlock& operator=(const MemoryBlock&) = delete;

    char* begin() const { return begin_; }  // as callers know it
    // Where the data of an address in the block really are: there, unless check mode keeps host code away from them.
    char* data_at(void* address) const { return data_ + (static_cast<char*>(address) - begin_); }
    size_t bytes() const { return bytes_; }  // padding included
    int device() const { return device_; }
    // The bytes from `address`, which lies in the block, to the block's end.
    size_t bytes_from(const void* address) const { return bytes_ - size_t(static_cast<const char*>(address) - begin_); }

    bool freed() const { return freed_.load(std::memory_order_acquire); }
    void mark_freed() { freed_.store(true, std::memory_order_release); }

private:
    MemoryBlock(char* begin, char* data, size_t bytes, int device)
        : begin_(begin), data_(data), bytes_(bytes), device_(device) {}

    char *const begin_, *const data_;
    const size_t bytes_;
    const int device_;
    std::atomic<bool> freed_{false};
};

// What all devices together can hold: the machine's memory.
size_t physical_memory();

// The block that holds the address; null when there is none.
std::shared_ptr<MemoryBlock> block_holding(const void* address, const Lock& lock);

// A range in one block of `device`, else the failure says why not. `what` names the range in the message.
Failure find_range(const char* what, const void* address, size_t bytes, int device, const Lock& lock,
                   std::shared_ptr<MemoryBlock>* block);

// A failure when one of them was freed by its owner although queued work holds it.
Failure still_owned(const std::vector<std::shared_ptr<MemoryBlock>>& held);

// Nobody finds them from now on; work that holds them may still use them, until they are marked freed.
std::vector<std::shared_ptr<MemoryBlock>> take_blocks_of(int device, const Lock& lock);

}  // namespace acltwin
