#include "runtime/check/pinned_guard.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cstring>

#include "runtime/check/fault_frames.h"
#include "runtime/check/hooks.h"
#include "runtime/check/host_guard.h"
#include "runtime/check/races.h"
#include "runtime/memory.h"

namespace acltwin::check {
namespace {

constexpr uint64_t kUnit = 4096;  // no page is smaller
constexpr int kCountBits = 24;
constexpr int kMostRanges = 512, kMostOfOneCopy = 64;

// Pages of one copy. The signal handler reads addresses and writes the frames of who has touched the pages. Addresses
// stay after the pages were opened: a thread may just be on its way into the handler.
enum class Use { open, closed, being_touched, touched };
struct Range {
    // In units, so that both are read at once: the handler may look at it while it changes.
    std::atomic<uint64_t> begin_and_count{0};
    std::atomic<Use> use{Use::open};
    uintptr_t frames[kMostFaultFrames];
    int frame_count;
};
Range ranges[kMostRanges];
std::atomic<bool> is_touched{false};
int next_range = 0;  // guarded by the runtime's lock, as the copies
Access* copies(const Lock&) {
    static auto* const all = new Access[kMostRanges];  // never destroyed: threads may outlive main
    return all;
}

size_t page_size() {
    static const size_t size = size_t(sysconf(_SC_PAGESIZE));
    return size;
}

bool protect(Interval pages, int protection) {
    return mprotect(reinterpret_cast<void*>(pages.begin), pages.end - pages.begin, protection) == 0;
}

int protection_for(const Access& copy) { return copy.writes ? PROT_NONE : PROT_READ; }

Interval pages_of(const Range& range) {
    const uint64_t both = range.begin_and_count, count = both & ((uint64_t(1) << kCountBits) - 1);
    return {(both >> kCountBits) * kUnit, ((both >> kCountBits) + count) * kUnit};
}

// 0: more than a range can have.
uint64_t packed(Interval pages) {
    const uint64_t count = (pages.end - pages.begin) / kUnit;
    return count >> kCountBits == 0 ? pages.begin / kUnit << kCountBits | count : 0;
}

Interval common(Interval a, Interval b) { return {std::max(a.begin, b.begin), std::min(a.end, b.end)}; }

// What the closed ranges ask for; `otherwise` for pages that are in none of them.
void protect_again(Interval pages, int otherwise, const Lock& lock) {
    protect(pages, otherwise);
    for (const bool writes : {false, true}) {  // the strictest last
        for (int i = 0; i < kMostRanges; ++i) {
            const Interval both = common(pages, pages_of(ranges[i]));
            if (ranges[i].use == Use::closed && copies(lock)[i].writes == writes && !both.empty())
                protect(both, protection_for(copies(lock)[i]));
        }
    }
}

// Unless somebody is touching it: then the handler opens it.
void open(Range& range, const Lock& lock) {
    Use use = Use::closed;
    if (range.use.compare_exchange_strong(use, Use::open)) protect_again(pages_of(range), PROT_READ | PROT_WRITE, lock);
}

// A range that the copy may have; kMostRanges: none is left.
int range_for(uint64_t pages, const Access& copy, const Lock& lock) {
    for (int i = 0; i < kMostRanges; ++i) {
        const Access& other = copies(lock)[i];
        const bool is_closed = ranges[i].use == Use::closed && ranges[i].begin_and_count == pages;
        // What is later on the same stream stands for what comes before.
        if (is_closed && other.moment.stream == copy.moment.stream && other.writes == copy.writes) return i;
    }
    for (int tried = 0; tried < kMostRanges; ++tried) {
        next_range = (next_range + 1) % kMostRanges;
        if (ranges[next_range].use == Use::open) return next_range;
    }
    return kMostRanges;
}

bool close_range(Interval pages, const Access& copy, const Lock& lock) {
    const int i = packed(pages) != 0 ? range_for(packed(pages), copy, lock) : kMostRanges;
    if (i == kMostRanges) return false;
    copies(lock)[i] = copy;
    if (ranges[i].use != Use::open) return true;
    ranges[i].begin_and_count = packed(pages);
    ranges[i].use = Use::closed;
    protect_again(pages, protection_for(copy), lock);
    return true;
}

// Whether the kernel writes where the process must not.
bool kernel_writes_everywhere() {
    const size_t size = page_size();
    void* const page = mmap(nullptr, size, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (page == MAP_FAILED) return false;
    const int memory = ::open("/proc/self/mem", O_RDWR | O_CLOEXEC);
    char seen = 0;
    const off_t at = off_t(reinterpret_cast<uintptr_t>(page));
    const bool works = pwrite(memory, "x", 1, at) == 1 && pread(memory, &seen, 1, at) == 1 && seen == 'x';
    if (memory >= 0) close(memory);
    munmap(page, size);
    return works;
}

bool can_close() {
    static const bool can = kernel_writes_everywhere();
    sigset_t blocked;  // a fault of a thread that blocks the signal ends the process
    return can && is_in_front() && pthread_sigmask(SIG_SETMASK, nullptr, &blocked) == 0 &&
           sigismember(&blocked, SIGSEGV) == 0;
}

void report_touched(State& state, const Range& range, const Access& copy, const Lock& lock) {
    const std::vector<uintptr_t> frames(range.frames, range.frames + range.frame_count);
    if (frames.empty() || is_own_code(frames[0] - 1)) return;
    const Block* const block = block_at(state, reinterpret_cast<void*>(pages_of(range).begin));
    if (block == nullptr || block->device != kHost) return;
    Access touching;
    touching.call = call_at("host code", frames, lock);
    touching.writes = !copy.writes;
    report_race(state, *block, copy, touching, copy.writes ? "use" : "write", lock);
}

// Host functions come before copies that are queued behind them, and may use their memory.
bool follows_host_function(const State& state, const Access& copy) {
    const Clock& known = state.timeline.of(copy.moment.stream);
    const auto comes_before = [&](const Moment& function) {
        return function.before(known) && !function.before(state.timeline.host());
    };
    const auto& all = state.unfinished_functions;
    return std::any_of(all.begin(), all.end(), comes_before);
}

}  // namespace

void close_pages(State& state, const Block& block, const Access& access, const Lock& lock) {
    if (block.device != kHost || block.begin == nullptr || block.is_registered || access.actor != Actor::copy) return;
    if (!looks_for(FindingKind::race) || follows_host_function(state, access) || !can_close()) return;
    const uint64_t page = page_size(), end = *block.host_address + block.requested;
    int left = kMostOfOneCopy;
    access.bytes.for_each_run([&](Interval run) {
        // The block has its last page for itself.
        const Interval pages = {(run.begin + page - 1) / page * page,
                                (run.end >= end ? end + page - 1 : run.end) / page * page};
        return pages.empty() || (close_range(pages, access, lock) && --left > 0);
    });
}

void open_pages(const State& state, const Lock& lock) {
    for (int i = 0; i < kMostRanges; ++i)
        if (ranges[i].use == Use::closed && copies(lock)[i].moment.before(state.timeline.host())) open(ranges[i], lock);
}

void open_pages_of(const Block& block, bool ends, const Lock& lock) {
    const uint64_t begin = reinterpret_cast<uintptr_t>(block.begin);
    for (Range& range : ranges) {
        if (common(pages_of(range), {begin, begin + block.requested}).empty()) continue;
        open(range, lock);
        if (ends && range.use == Use::open) range.begin_and_count = 0;  // what will be there is not ours
    }
}

void open_all_pages(const Lock&) {
    for (Range& range : ranges)
        if (range.use.exchange(Use::open) != Use::open) protect(pages_of(range), PROT_READ | PROT_WRITE);
    is_touched = false;
}

bool open_page(uintptr_t address, const void* context) {
    bool opened = false;
    for (Range& range : ranges) {
        const Interval pages = pages_of(range);
        if (address < pages.begin || address >= pages.end) continue;
        Use use = Use::closed;
        if (range.use.compare_exchange_strong(use, Use::being_touched)) {
            range.frame_count = fault_frames(context, range.frames);
            range.use = Use::touched;
            is_touched = true;
        }
        opened = protect(pages, PROT_READ | PROT_WRITE) || opened;
    }
    return opened;
}

bool any_page_touched() { return is_touched; }

void report_touched_pages(State& state, const Lock& lock) {
    if (!is_touched.exchange(false)) return;
    Clock over;  // what is missing is one wait: with it, what follows would be in order as well
    for (int i = 0; i < kMostRanges; ++i) {
        if (ranges[i].use != Use::touched) continue;
        report_touched(state, ranges[i], copies(lock)[i], lock);
        over.join(copies(lock)[i].moment.after());
        ranges[i].use = Use::open;
    }
    host_learns(state, over, lock);
}

// In parts, from the end where the memory overlaps that way.
void move_bytes(char* destination, const char* source, size_t bytes) {
    constexpr size_t kPart = size_t(1) << 20;
    std::vector<char> part(std::min(bytes, kPart));
    const int memory = ::open("/proc/self/mem", O_RDWR | O_CLOEXEC);
    for (size_t done = 0; done < bytes;) {
        const size_t count = std::min(part.size(), bytes - done);
        const size_t at = destination > source ? bytes - done - count : done;
        const off_t from = off_t(reinterpret_cast<uintptr_t>(source + at)),
                    to = off_t(reinterpret_cast<uintptr_t>(destination + at));
        const bool moved = pread(memory, part.data(), count, from) == ssize_t(count) &&
                           pwrite(memory, part.data(), count, to) == ssize_t(count);
        if (!moved) std::memmove(destination + at, source + at, count);
        done += count;
    }
    if (memory >= 0) close(memory);
}

}  // namespace acltwin::check
