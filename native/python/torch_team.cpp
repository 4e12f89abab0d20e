#include "python/torch_team.h"

#include <dlfcn.h>
#include <pthread.h>

#include <atomic>
#include <cstdint>
#include <cstdio>
#include <cstring>

namespace acltwin {
namespace {

// Of PyTorch's stable C interface (torch/csrc/stable/c/shim.h). Both return 0 unless something went wrong.
typedef int32_t (*GetNumThreads)(uint32_t* count);
typedef int32_t (*ParallelFor)(int64_t begin, int64_t end, int64_t grain,
                               void (*body)(int64_t begin, int64_t end, void* context), void* context);
GetNumThreads get_num_threads = nullptr;
ParallelFor parallel_for = nullptr;

// A forked child has none of its parent's threads, but OpenMP waits for them. Forked are those that do it after this
// library was loaded, and those that Linux says have called no exec since (PF_FORKNOEXEC).
bool forked_before_loading() {
    std::FILE* file = std::fopen("/proc/self/stat", "re");
    if (file == nullptr) return false;
    char line[512] = "";
    const char* name_end = std::fgets(line, sizeof line, file) != nullptr ? std::strrchr(line, ')') : nullptr;
    std::fclose(file);
    constexpr unsigned kForkedWithoutExec = 0x40;
    unsigned flags = 0;
    return name_end != nullptr && std::sscanf(name_end, ") %*c %*d %*d %*d %*d %*d %u", &flags) == 1 &&
           (flags & kForkedWithoutExec) != 0;
}

std::atomic<bool> forked{forked_before_loading()};

const int registered = pthread_atfork(nullptr, nullptr, [] { forked = true; });

int threads() {
    uint32_t count = 1;
    return get_num_threads(&count) == 0 && count <= INT32_MAX ? int(count) : 1;
}

struct Turn {
    int slots;
    void (*work)(void* context, int slot);
    void* context;
    bool refused;
};

void take_part(int64_t begin, int64_t end, void* context) noexcept {
    Turn& turn = *static_cast<Turn*>(context);
    // Inside of a parallel region of its own PyTorch has one thread do everything: the caller.
    if (end - begin == turn.slots)
        turn.refused = true;
    else
        turn.work(turn.context, int(begin));  // for all slots of its range: they share the chunks anyway
}

bool run(int slots, void (*work)(void* context, int slot), void* context) {
    if (forked.load(std::memory_order_relaxed)) return false;
    Turn turn = {slots, work, context, false};
    // What an error leaves undone the caller does: its text, if any, would be about memory or threads.
    (void)parallel_for(0, slots, 1, take_part, &turn);
    return !turn.refused;
}

constexpr Team team = {threads, run};

template <class Function>
Function function(void* library, const char* name) {
    return reinterpret_cast<Function>(dlsym(library, name));
}

}  // namespace

const Team* torch_team(const dlpack::ExchangeApi& api) {
    Dl_info home;
    if (dladdr(reinterpret_cast<const void*>(api.tensor_from_object), &home) == 0 || home.dli_fname == nullptr)
        return nullptr;
    // Not loaded again, and never closed: it stays as long as its tensors. Looks into what it is linked to as well.
    void* library = dlopen(home.dli_fname, RTLD_LAZY | RTLD_NOLOAD);
    if (library == nullptr) return nullptr;
    const auto count = function<GetNumThreads>(library, "torch_get_num_threads");
    const auto loop = function<ParallelFor>(library, "torch_parallel_for");
    if (count == nullptr || loop == nullptr) return nullptr;
    get_num_threads = count;
    parallel_for = loop;
    return &team;
}

}  // namespace acltwin
