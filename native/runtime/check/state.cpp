#include "runtime/check/state.h"

#include <iterator>

#include "core/sentence.h"
#include "runtime/check/pinned_guard.h"
#include "runtime/memory.h"
#include "runtime/stream.h"

namespace acltwin::check {

State& state(const Lock&) {
    static auto* instance = new State;  // never destroyed: threads may outlive main
    return *instance;
}

Block whole_host_memory() {
    Block all;
    all.requested = SIZE_MAX;
    all.device = kHost;
    all.host_address = 0;
    return all;
}

std::vector<Access>& unfinished_of(State& state, Block& block) {
    return block.host_address ? state.host_memory.unfinished : block.unfinished;
}

void host_learns(State& state, const Clock& clock, const Lock& lock) {
    state.timeline.host_learns(clock);
    open_pages(state, lock);
}

Block* block_at(State& state, const void* address) {
    const char* wanted = static_cast<const char*>(address);
    const auto after = state.blocks.upper_bound(wanted);
    if (after == state.blocks.begin()) return nullptr;
    // Whoever asks has found the address in a block, perhaps in the padding behind what was requested.
    return &std::prev(after)->second;
}

const std::pair<const char* const, GoneBlock>* gone_block_at(const State& state, const void* address) {
    const char* wanted = static_cast<const char*>(address);
    const auto after = state.gone_blocks.upper_bound(wanted);
    if (after == state.gone_blocks.begin()) return nullptr;
    const auto& found = *std::prev(after);
    return wanted < found.first + found.second.bytes ? &found : nullptr;
}

StreamState& stream_state(State& state, const Stream& stream) {
    StreamState& found = state.streams[&stream];
    if (found.number < 0) found.number = state.timeline.add_stream();
    found.owner = stream.context();
    return found;
}

std::string hexadecimal(const void* value) { return sentence(value); }

std::string described(const StreamState& stream) {
    return stream.handle == nullptr ? "the default stream" : "stream " + hexadecimal(stream.handle);
}

std::string in_bytes(uint64_t count) { return std::to_string(count) + (count == 1 ? " byte" : " bytes"); }

Subject subject_of(const Block& block) {
    if (block.begin == nullptr) return {};  // nobody has made it
    return {block.is_reserved ? "reservation" : "block",
            hexadecimal(block.begin) + " (" + in_bytes(block.requested) + ")", block.made_by, block.requested, 1};
}

Subject subject_of(const State& state, const char* kind, const void* handle) {
    const auto made = state.objects.find(handle);
    return made != state.objects.end() ? Subject{kind, hexadecimal(handle), made->second.made_by, 0, 1} : Subject{};
}

Subject subject_of(const void* begin, const GoneBlock& block) {
    return {"block", hexadecimal(begin) + " (" + in_bytes(block.bytes) + ")", block.made_by, block.bytes, 1};
}

}  // namespace acltwin::check
