// Handles are numbers that are looked up, never addresses that are followed: whatever a caller passes, dead, foreign or
// invented, is recognised.
#pragma once

#include <cstdint>
#include <memory>
#include <new>
#include <vector>

#include "runtime/check/hooks.h"
#include "runtime/error.h"
#include "runtime/lock.h"

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
    physical_memory,
    capture,
};

const char* name_of(Kind kind);  // "a stream", ...

// A handle is kind | generation | slot. The kind sits above all user-space addresses, so no pointer looks like a
// handle; the generation makes a reused slot a new value, and a slot whose generations are used up stays empty for
// ever: a dead handle never lives again.
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
    // A slot serves `generations` objects, one after the other.
    explicit HandleTable(uint32_t generations = HandleParts::kGenerationMask + 1) : last_(generations - 1) {}

    static HandleTable& instance() {
        static HandleTable* table = new HandleTable;  // never destroyed: threads may outlive main
        return *table;
    }

    void* add(std::shared_ptr<T> object, const Lock&) {
        if (free_.empty()) {
            if (slots_.size() > HandleParts::kSlotMask) throw std::bad_alloc();
            if (free_.capacity() <= slots_.size())
                free_.reserve(2 * slots_.size() + 1);  // so that remove never allocates
            slots_.emplace_back();
            free_.push_back(uint32_t(slots_.size() - 1));
        }
        const uint32_t slot = free_.back();
        free_.pop_back();
        slots_[slot].object = std::move(object);
        return HandleParts{uint8_t(T::kKind), slots_[slot].generation, slot}.pack();
    }

    // Null when the handle is not alive.
    std::shared_ptr<T> find(const void* handle, const Lock&) const {
        return alive(handle) ? slots_[HandleParts::of(handle).slot].object : nullptr;
    }

    // Takes the object out; of several callers only one gets it.
    std::shared_ptr<T> remove(const void* handle, const Lock&) {
        return alive(handle) ? take(HandleParts::of(handle).slot) : nullptr;
    }

    // Puts another object behind a living handle; false when it is not alive. Who has found the old one keeps it.
    bool replace(const void* handle, std::shared_ptr<T> object, const Lock&) {
        if (!alive(handle)) return false;
        slots_[HandleParts::of(handle).slot].object = std::move(object);
        return true;
    }

    template <class Condition>
    std::vector<std::shared_ptr<T>> remove_if(const Lock& lock, const Condition& condition) {
        std::vector<std::shared_ptr<T>> gone;
        gone.reserve(count_if(lock, condition));  // all or nothing
        for (size_t slot = 0; slot < slots_.size(); ++slot)
            if (slots_[slot].object != nullptr && condition(*slots_[slot].object)) gone.push_back(take(uint32_t(slot)));
        return gone;
    }

    template <class Condition>
    size_t count_if(const Lock& lock, const Condition& condition) const {
        size_t count = 0;
        for_each(lock, [&](const T& object) { count += condition(object); });
        return count;
    }

    template <class Visit>
    void for_each(const Lock&, const Visit& visit) const {
        for (const Slot& slot : slots_)
            if (slot.object != nullptr) visit(*slot.object);
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

    std::shared_ptr<T> take(uint32_t slot) {
        if (slots_[slot].generation < last_) {
            ++slots_[slot].generation;
            free_.push_back(slot);
        }
        return std::move(slots_[slot].object);
    }

    const uint32_t last_;
    std::vector<Slot> slots_;
    std::vector<uint32_t> free_;
};

// Forced inline: the hooks would otherwise push them over the compiler's limit.
template <class T>
[[gnu::always_inline]] inline void* add_handle(std::shared_ptr<T> object, const Lock& lock) {
    const T* const added = object.get();
    void* const handle = HandleTable<T>::instance().add(std::move(object), lock);
    if (check::on) check::made(T::kKind, handle, added, lock);
    return handle;
}

template <class T>
std::shared_ptr<T> find_handle(const void* handle, const Lock& lock) {
    return HandleTable<T>::instance().find(handle, lock);
}

template <class T>
[[gnu::always_inline]] inline std::shared_ptr<T> remove_handle(const void* handle, const Lock& lock) {
    std::shared_ptr<T> removed = HandleTable<T>::instance().remove(handle, lock);
    if (check::on && removed != nullptr) check::ended(handle, lock);
    return removed;
}

}  // namespace acltwin
