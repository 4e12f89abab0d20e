// Handles are numbers that are looked up, never addresses that are followed: whatever a caller passes, dead, foreign or
// invented, is recognised.
#pragma once

#include <cstdint>
#include <memory>
#include <mutex>
#include <vector>

#include "runtime/error.h"

namespace acltwin {

enum class Kind : uint8_t {
    context = 1,  // not 0, so that no handle is null
    stream,
    event,
    tensor,
    scalar,
    int_array,
    float_array,
    bool_array,
    tensor_list,
    scalar_list,
    executor,
};

const char* name_of(Kind kind);  // "a stream", ...

// A handle is kind | generation | slot. The kind sits above all user-space addresses, so no pointer looks like a
// handle; the generation makes a reused slot a new value.
struct HandleParts {
    static constexpr int kSlotBits = 28, kGenerationBits = 28;
    static constexpr uint32_t kSlotMask = (1u << kSlotBits) - 1, kGenerationMask = (1u << kGenerationBits) - 1;

    uint8_t kind;
    uint32_t generation, slot;

    static HandleParts of(const void* handle);
    void* pack() const;
};
static_assert(sizeof(void*) == 8, "handles need 64 bits");

// Why `handle` is not a living handle of the expected kind, for a message.
Failure bad_handle(int code, Kind expected, const void* handle);

// The living objects of one kind. T has a constant kKind.
template <class T>
class HandleTable {
public:
    static HandleTable& instance() {
        static HandleTable* table = new HandleTable;  // never destroyed: threads may outlive main
        return *table;
    }

    void* add(std::shared_ptr<T> object) {
        std::lock_guard<std::mutex> lock(mutex_);
        if (free_.empty()) {
            free_.reserve(slots_.size() + 1);  // so that remove never allocates
            slots_.emplace_back();
            free_.push_back(uint32_t(slots_.size() - 1));
        }
        const uint32_t slot = free_.back();
        free_.pop_back();
        slots_[slot].object = std::move(object);
        return HandleParts{uint8_t(T::kKind), slots_[slot].generation, slot}.pack();
    }

    // Null when the handle is not alive.
    std::shared_ptr<T> find(const void* handle) const {
        std::lock_guard<std::mutex> lock(mutex_);
        return alive(handle) ? slots_[HandleParts::of(handle).slot].object : nullptr;
    }

    // Takes the object out; of several callers only one gets it.
    std::shared_ptr<T> remove(const void* handle) {
        std::lock_guard<std::mutex> lock(mutex_);
        if (!alive(handle)) return nullptr;
        const uint32_t slot = HandleParts::of(handle).slot;
        slots_[slot].generation = (slots_[slot].generation + 1) & HandleParts::kGenerationMask;
        free_.push_back(slot);
        return std::move(slots_[slot].object);
    }

private:
    struct Slot {
        std::shared_ptr<T> object;
        uint32_t generation = 0;
    };

    bool alive(const void* handle) const {
        const HandleParts parts = HandleParts::of(handle);
        return parts.kind == uint8_t(T::kKind) && parts.slot < slots_.size() &&
               slots_[parts.slot].generation == parts.generation && slots_[parts.slot].object != nullptr;
    }

    mutable std::mutex mutex_;
    std::vector<Slot> slots_;
    std::vector<uint32_t> free_;
};

template <class T>
void* add_handle(std::shared_ptr<T> object) {
    return HandleTable<T>::instance().add(std::move(object));
}

template <class T>
std::shared_ptr<T> find_handle(const void* handle) {
    return HandleTable<T>::instance().find(handle);
}

template <class T>
std::shared_ptr<T> remove_handle(const void* handle) {
    return HandleTable<T>::instance().remove(handle);
}

}  // namespace acltwin
