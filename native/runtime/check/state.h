// What check mode knows of the program: its objects, blocks and streams, and the work that may still run.
#pragma once

#include <deque>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <thread>
#include <vector>

#include "runtime/check/byte_set.h"
#include "runtime/check/clocks.h"
#include "runtime/check/findings.h"
#include "runtime/check/shadow.h"
#include "runtime/handles.h"

namespace acltwin {
class Stream;
}

namespace acltwin::check {

struct Object {
    acltwin::Kind kind;
    CallId made_by = 0;
    uint64_t sequence = 0;
    const void* owner = nullptr;  // the context that it ends with
    bool ran = false;             // an executor
    bool reported = false;        // as a leak, or it is not this process's to free
};

struct Gone {
    acltwin::Kind kind;
    CallId made_by = 0, ended_by = 0;
};

enum class Actor { kernel, workspace, copy, host_function };

struct Access {
    ByteSet bytes;
    bool writes = false;
    Actor actor = Actor::copy;
    Moment moment;  // no stream: the host itself, over when its call returns
    uint64_t sequence = 0;
    CallId call = 0;
    std::string detail;  // " (gradOut) on stream 0x3, launched"

    bool by_host() const { return moment.stream < 0; }
    const char* doing() const { return writes ? "writing" : "reading"; }
    Involved involved() const { return {writes ? "write" : "read", detail, call}; }
};

// A launch whose results are worth nothing, and the call whose status said so.
struct FailedLaunch {
    CallId launch = 0, reported_by = 0;
    int status = 0;
};

// What became of bytes that count as unwritten.
enum class Fate { brought_unwritten, workspace, dropped };
struct Loss {
    ByteSet bytes;
    Fate fate;
    Involved by;  // the copy, the launch, or the work that was dropped
    Involved dropped_by;
};

struct Write {
    ByteSet bytes;
    Involved by;
};

struct Block {
    const char* begin = nullptr;
    size_t requested = 0;
    int device = 0;  // kHost: memory of the host
    CallId made_by = 0;
    uint64_t sequence = 0;
    bool is_reserved = false;    // addresses, of which parts are mapped
    bool is_registered = false;  // pinned memory that devices have used directly
    // Where host code finds its first byte, if it can: pinned and registered memory, and all that is the program's own.
    std::optional<uint64_t> host_address;
    bool reported = false;  // as a leak
    Shadow written;
    std::deque<Loss> losses;         // the last ones
    std::deque<Write> writes;        // the last ones, of a device's block
    std::vector<Access> unfinished;  // accesses of queued work that the host has not waited for, see unfinished_of
    std::vector<CallId> unread;      // launches whose results lie here, and nobody has read them
    FailedLaunch failed;             // the one that should have written the block last
};

Block whole_host_memory();

struct GoneBlock {
    size_t bytes = 0;
    CallId made_by = 0, freed_by = 0;
};

struct LastLaunch {
    CallId call = 0;
    Moment moment;
    std::vector<const char*> results;  // blocks
};

struct StreamState {
    int number = -1;
    const void* handle = nullptr;  // null: a default stream
    const void* owner = nullptr;   // its context
    LastLaunch last;
    uint64_t asked = 0;  // how much work was queued when a query came last
};

struct Recorded {
    Clock clock;
    int stream = -1;
    bool asked = false;  // by a query
};

struct Wait {
    int stream = -1;
    uint64_t sequence = 0;
    CallId call = 0;
};

struct FailedPhase {
    CallId call = 0;
    int status = 0;
};

// A finding that waits for the end, and how often it came.
struct Again {
    Finding finding;
    uint64_t count = 0;
};

struct State {
    uint64_t sequence = 0;  // of the calls that matter, so that things are reported in the order they were made
    std::map<const void*, Object> objects;
    std::map<const void*, Gone> gone;
    std::deque<const void*> gone_order;
    std::map<const char*, Block> blocks;
    Block host_memory = whole_host_memory();  // the program's own; its accesses are those of all that host code reaches
    std::map<const char*, GoneBlock> gone_blocks;
    std::deque<const char*> gone_blocks_order;
    Timeline timeline;
    std::map<const Stream*, StreamState> streams;
    std::map<const void*, Recorded> events;
    std::deque<Wait> waits;                                // the last ones
    std::map<std::string, FailedPhase> failed_phases;      // by the second phase's name
    std::map<CallId, bool> results;                        // launches, and whether a result of theirs was read
    std::map<std::thread::id, Finding> unread_refusals;    // whose message the program has not asked for yet
    std::map<std::pair<Id, CallId>, Again> late_refusals;  // that are reported at the end, by their places
    std::vector<Finding> leaks;                            // since aclFinalize, if it was called
    std::map<std::string, uint64_t> missing_operators;     // that were called, and how often
    std::set<CallId> host_functions;                       // places that have launched one
    std::set<CallId> late_waits;                           // places that have waited beside other threads
    std::vector<Moment> unfinished_functions;              // host functions that the host has not waited for
    std::map<const void*, Clock> executions;               // of captures, the last ones
    bool is_recorded = false;                              // what is noted now
    bool any_refused = false;
};

State& state(const Lock& lock);

// Accesses of the block's bytes, or by their address on the host: the same bytes may have several names there.
std::vector<Access>& unfinished_of(State& state, Block& block);

// By a wait, or by what stands for one. Opens pages of copies that are over.
void host_learns(State& state, const Clock& clock, const Lock& lock);

// The living block that holds the address, padding of its neighbours aside; null when there is none.
Block* block_at(State& state, const void* address);
StreamState& stream_state(State& state, const Stream& stream);
std::string described(const StreamState& stream);  // "stream 0x3", "the default stream"
Subject subject_of(const Block& block);
Subject subject_of(const State& state, const char* kind, const void* handle);  // none, if nobody knows who made it
Subject subject_of(const void* begin, const GoneBlock& block);
// The freed block that held the address; null when there is none.
const std::pair<const char* const, GoneBlock>* gone_block_at(const State& state, const void* address);
std::string hexadecimal(const void* value);
std::string in_bytes(uint64_t count);  // "1 byte", "2 bytes"

// Runs the body of a hook: what it throws, for want of memory, is nobody's.
template <class Body>
void guarded(const Body& body) noexcept {
    try {
        body();
    } catch (...) {
    }
}

}  // namespace acltwin::check
