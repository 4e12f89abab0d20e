#include "runtime/check/state.h"

#include <iterator>
#include <sstream>

#include "runtime/stream.h"

namespace acltwin::check {

State& state(const Lock&) {
    static auto* instance = new State;  // never destroyed: threads may outlive main
    return *instance;
}

Block* block_at(State& state, const void* address) {
    const char* wanted = static_cast<const char*>(address);
    const auto after = state.blocks.upper_bound(wanted);
    if (after == state.blocks.begin()) return nullptr;
    // Whoever asks has found the address in a block, perhaps in the padding behind what was requested.
    return &std::prev(after)->second;
}

StreamState& stream_state(State& state, const Stream& stream) {
    StreamState& found = state.streams[&stream];
    if (found.number < 0) found.number = state.timeline.add_stream();
    found.owner = stream.context();
    return found;
}

std::string hexadecimal(const void* value) {
    std::ostringstream text;
    text << value;
    return text.str();
}

std::string described(const StreamState& stream) {
    return stream.handle == nullptr ? "the default stream" : "stream " + hexadecimal(stream.handle);
}

Subject subject_of(const Block& block) {
    std::ostringstream text;
    text << static_cast<const void*>(block.begin) << " (" << block.requested << " bytes)";
    return {"block", text.str(), block.made_by, block.requested, 1};
}

}  // namespace acltwin::check
