// What the runtime tells check mode. Each call stands behind `if (check::on)`, so that it costs one test of a constant
// when nobody checks; `cold` keeps them out of the way. None of them fails: findings
// are dropped when memory runs out.
//
// Everything is judged when the program asks for it, in the order of its calls, and never by what happens to be
// finished: the same program gives the same findings in every run. Where it could see a difference, check mode takes
// the slower course: see may_be_done and callback_begins.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "core/failure.h"
#include "runtime/check/ids.h"
#include "runtime/check/settings.h"
#include "runtime/lock.h"

namespace acltwin {
class MemoryBlock;
class Stream;
enum class Kind : uint8_t;
struct Executor;
}  // namespace acltwin

namespace acltwin::check {

// ---- every C function ----
[[gnu::cold]] void entered(const char* function) noexcept;
[[gnu::cold]] void refused(const char* function, const Failure& failure) noexcept;  // without the lock
[[gnu::cold]] void message_read() noexcept;  // the program has asked for the message of this thread's last refusal
// Where a call is refused: which finding that is, and the handle or address that it is about.
[[gnu::cold]] void will_refuse(Id id, const void* about = nullptr) noexcept;

// ---- the process ----
[[gnu::cold]] void initialised() noexcept;
[[gnu::cold]] void finalised(const Lock& lock) noexcept;
[[gnu::cold]] void forked(const Lock& lock) noexcept;  // in the child

// ---- objects behind handles ----
[[gnu::cold]] void made(Kind kind, const void* handle, const void* object, const Lock& lock) noexcept;
[[gnu::cold]] void ended(const void* handle, const Lock& lock) noexcept;
// A context and all that belongs to it are about to end; `blocks`: so do the blocks of its device.
[[gnu::cold]] void ending_context(const void* context, int device, bool blocks, const Lock& lock) noexcept;

// ---- blocks ----
// As many addresses, aligned like blocks, that host code cannot follow, see host_guard.h; null when those of the data
// must do, because nobody asked for others or the system refuses.
[[gnu::cold]] char* reserve_addresses(size_t bytes);
[[gnu::cold]] void fill_new_block(const MemoryBlock& block, size_t requested) noexcept;
[[gnu::cold]] void made_block(const MemoryBlock& block, size_t requested, const Lock& lock) noexcept;
[[gnu::cold]] void freeing_block(const MemoryBlock& block, const Lock& lock) noexcept;

[[gnu::cold]] void registered(const MemoryBlock& block, const Lock& lock) noexcept;  // host memory, as a device's

// A copy of one row, also where host code has no access, see pinned_guard.h.
[[gnu::cold]] void move_bytes(char* destination, const char* source, size_t bytes);

// ---- virtual memory: reserved addresses are a block of which parts are mapped ----
// Whether host code shall not follow these addresses: then their data lie elsewhere.
[[gnu::cold]] bool guard_addresses(const void* begin, size_t bytes, const Lock& lock) noexcept;
[[gnu::cold]] void reserved(const void* begin, size_t bytes, int device, const Lock& lock) noexcept;
[[gnu::cold]] void released(const void* begin, const Lock& lock) noexcept;
// `fresh`: nothing was ever written there.
[[gnu::cold]] void mapped(const MemoryBlock& block, bool fresh, const Lock& lock) noexcept;
[[gnu::cold]] void unmapping(const MemoryBlock& block, const Lock& lock) noexcept;

// ---- order ----
struct Waiting;  // what the host will know after a wait that begins now
[[gnu::cold]] Waiting* waiting_for(const Stream& stream, const Lock& lock) noexcept;
[[gnu::cold]] Waiting* waiting_for_event(const void* event, const Lock& lock) noexcept;
// Ends every Waiting, which may be null. `done`: the wait was not given up.
[[gnu::cold]] void waited(Waiting* waiting, bool done, const Failure& failure, const Lock& lock) noexcept;
// At each call: a thread that waits beside others does so a moment later, once for each place. What it has told others
// too early mostly comes before the wait then.
[[gnu::cold]] void wait_late(const char* function) noexcept;
// Whether a query may say that the work is done. The first one after new work says that it is not, as it may on a busy
// device: who does not ask again has not waited, however fast the work was.
[[gnu::cold]] bool may_be_done(const Stream& stream, const Lock& lock) noexcept;
[[gnu::cold]] bool may_be_reached(const void* event, const Lock& lock) noexcept;
[[gnu::cold]] void closing_stream(const Stream& stream, bool drops_work, const Lock& lock) noexcept;
[[gnu::cold]] void closed_stream(const Stream& stream, const Lock& lock) noexcept;
[[gnu::cold]] void recorded_event(const void* event, const Stream& stream, const Lock& lock) noexcept;
[[gnu::cold]] void reset_event(const void* event, const Lock& lock) noexcept;
[[gnu::cold]] void let_stream_wait(const Stream& stream, const void* event, const Lock& lock) noexcept;

// A host function is queued: what its thread will know when it runs.
[[gnu::cold]] std::shared_ptr<const Waiting> queued_callback(const Stream& stream, const void* argument,
                                                             const Lock& lock) noexcept;
[[gnu::cold]] void callback_begins(const Waiting* known) noexcept;  // without the lock

// ---- captures: what they record is noted when they are executed, as calls of the places where it was recorded ----
[[gnu::cold]] uint32_t captured_call(const Lock& lock) noexcept;  // the call that the thread is in
class AsRecorded {
public:
    AsRecorded(uint32_t call, const Lock& lock) noexcept;
    ~AsRecorded();
    AsRecorded(const AsRecorded&) = delete;
    AsRecorded& operator=(const AsRecorded&) = delete;

private:
    const Lock& lock_;
    const uint32_t before_;
};
// A stream for what a captured one has recorded.
[[gnu::cold]] void stands_in(const Stream& stand_in, const void* handle, const Lock& lock) noexcept;
[[gnu::cold]] void executed(const void* capture, const Stream& on, const Lock& lock) noexcept;
[[gnu::cold]] void ending_capture(const void* capture, const Lock& lock) noexcept;

// ---- accesses ----
[[gnu::cold]] void copied_without_access(const void* source, int from, int to, const Lock& lock) noexcept;
[[gnu::cold]] void used_on_another_device(const void* address, const Stream& stream, const Lock& lock) noexcept;
// Rows of a copy or memset at one end; `address` null: this end is in no memory of the program.
struct Rows {
    const void* address = nullptr;
    size_t pitch = 0, width = 0, height = 1;
};
// `stream` null: it happens before the call returns.
[[gnu::cold]] void copied(const Rows& destination, const Rows& source, const Stream* stream, const Lock& lock) noexcept;
// One copy of a batch: both ends are one row.
struct Pair {
    Rows destination, source;
};
[[gnu::cold]] void copies_in_batch(const std::vector<Pair>& copies, const Lock& lock) noexcept;
[[gnu::cold]] void filled(const Rows& destination, const Stream* stream, const Lock& lock) noexcept;
[[gnu::cold]] void ran_executor(const void* executor, const Lock& lock) noexcept;
// `storage` has the address of each tensor's storage, null for those that have no elements.
[[gnu::cold]] void launched(const Executor& executor, const void* const* storage, const void* workspace,
                            const Stream& stream, const Lock& lock) noexcept;

}  // namespace acltwin::check
