#include "runtime/check/sites.h"

#include <link.h>
#include <unwind.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <map>
#include <sstream>
#include <tuple>
#include <utility>

namespace acltwin::check {
namespace {

constexpr size_t kMostFrames = 24, kMostShown = 3, kMostCalls = 100'000;

struct Place {
    std::string function;
    std::vector<uintptr_t> addresses;
    std::string interpreter;  // frames as they were noted; they count before the addresses

    bool operator<(const Place& other) const {
        return std::tie(function, addresses, interpreter) <
               std::tie(other.function, other.addresses, other.interpreter);
    }
};

// What is shown of it.
Place innermost(Place place) {
    if (place.addresses.size() > kMostShown) place.addresses.resize(kMostShown);
    size_t end = 0;
    for (size_t line = 0; line < kMostShown && end != std::string::npos; ++line)
        end = place.interpreter.find('\n', end + 1);
    place.interpreter = place.interpreter.substr(0, end);
    return place;
}

struct Places {
    std::map<Place, CallId> ids;
    std::map<Place, CallId> shown;  // the first one of each that looks like this
    std::vector<const Place*> by_id = {nullptr};
};

Places& places(const Lock&) {
    static auto* instance = new Places;
    return *instance;
}

// Without a destructor: a program may call until the very end of the process, when the thread's objects are gone.
struct ThisThread {
    const char* function;
    CallId call;           // of this function; 0 until somebody asks
    bool noted, is_noted;  // whether `frames` are those of the next call, of this call
    char frames[1024];
};
thread_local ThisThread thread;

// Where this library's code lies; calls begin outside of it.
struct Range {
    uintptr_t begin = 0, end = 0;

    bool holds(uintptr_t address) const { return address >= begin && address < end; }
};

int find_own(dl_phdr_info* info, size_t, void* data) {
    for (int i = 0; i < info->dlpi_phnum; ++i) {
        const auto& part = info->dlpi_phdr[i];
        const uintptr_t begin = info->dlpi_addr + part.p_vaddr;
        const Range range = {begin, begin + part.p_memsz};
        if (part.p_type != PT_LOAD || !range.holds(reinterpret_cast<uintptr_t>(&find_own))) continue;
        *static_cast<Range*>(data) = range;
        return 1;
    }
    return 0;
}

struct Walk {
    std::vector<uintptr_t> addresses;
    bool outside = false;
};

_Unwind_Reason_Code visit(_Unwind_Context* context, void* data) {
    Walk& walk = *static_cast<Walk*>(data);
    const uintptr_t address = uintptr_t(_Unwind_GetIP(context));
    if (address == 0) return _URC_END_OF_STACK;
    walk.outside = walk.outside || !is_own_code(address - 1);
    if (walk.outside) walk.addresses.push_back(address);
    return walk.addresses.size() < kMostFrames ? _URC_NO_REASON : _URC_END_OF_STACK;
}

CallId id_of(Place place, const Lock& lock) {
    Places& all = places(lock);
    const auto found = all.ids.find(place);
    if (found != all.ids.end()) return found->second;
    if (all.by_id.size() >= kMostCalls) return 0;
    const CallId id = CallId(all.by_id.size());
    all.by_id.push_back(nullptr);
    all.by_id.back() = &all.ids.emplace(std::move(place), id).first->first;
    return id;
}

std::vector<Frame> parse_noted(const std::string& text) {
    std::vector<Frame> frames;
    std::istringstream lines(text);
    for (std::string line; std::getline(lines, line);) {
        const size_t first = line.find('\t'), second = line.find('\t', first + 1);
        if (first == std::string::npos || second == std::string::npos) continue;
        Frame frame;
        frame.function = line.substr(0, first);
        frame.file = line.substr(first + 1, second - first - 1);
        frame.line = std::atoi(line.c_str() + second + 1);
        frames.push_back(std::move(frame));
    }
    return frames;
}

}  // namespace

bool is_own_code(uintptr_t address) {
    static const Range own = [] {
        Range range;
        dl_iterate_phdr(find_own, &range);
        return range;
    }();
    return own.holds(address);
}

void enter_function(const char* function) {
    thread.function = function;
    thread.call = 0;
    thread.is_noted = thread.noted;
    thread.noted = false;
}

const char* this_function() { return thread.function != nullptr ? thread.function : ""; }

CallId this_call(const Lock& lock) {
    if (thread.call != 0) return thread.call;
    Place place;
    place.function = this_function();
    if (thread.is_noted) {
        place.interpreter = thread.frames;
    } else {
        Walk walk;
        walk.addresses.reserve(kMostFrames);
        _Unwind_Backtrace(visit, &walk);
        place.addresses = std::move(walk.addresses);
    }
    return thread.call = id_of(std::move(place), lock);
}

CallId exchange_call(CallId call) { return std::exchange(thread.call, call); }

void note_interpreter_frames(const char* text) {
    const size_t length = std::min(std::strlen(text), sizeof thread.frames - 1);
    std::memcpy(thread.frames, text, length);
    thread.frames[length] = '\0';
    thread.noted = true;
}

CallId shown_alike(CallId call, const Lock& lock) {
    Places& all = places(lock);
    return call == 0 ? 0 : all.shown.emplace(innermost(*all.by_id[call]), call).first->second;
}

std::string function_of(CallId call, const Lock& lock) {
    const Place* place = call != 0 ? places(lock).by_id[call] : nullptr;
    return place != nullptr ? place->function : "a call";
}

std::vector<Frame> site_of(CallId call, const Lock& lock) {
    const Place* place = call != 0 ? places(lock).by_id[call] : nullptr;
    if (place == nullptr) return {};
    return place->interpreter.empty() ? frames_of(place->addresses) : parse_noted(place->interpreter);
}

CallId call_at(const char* function, std::vector<uintptr_t> return_addresses, const Lock& lock) {
    return id_of({function, std::move(return_addresses), {}}, lock);
}

std::string described_site(const std::vector<Frame>& frames, size_t most) {
    if (frames.empty()) return "at an unknown place";
    std::string text = "at " + described(frames[0]);
    for (size_t i = 1; i < std::min(frames.size(), most); ++i) text += ", from " + described(frames[i]);
    return text;
}

}  // namespace acltwin::check
