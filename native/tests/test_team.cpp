// Work on another library's threads, whatever that library does with it. Run it under TSan.
#include <atomic>
#include <cstdio>
#include <thread>
#include <vector>

#include "core/float_mode.h"
#include "core/team.h"
#include "core/thread_pool.h"
#include "expect.h"

using namespace acltwin;

namespace {

int team_threads = 4;
std::atomic<int> taken{0};

// As good teams do: a thread for every slot, the caller among them.
bool run_all(int slots, void (*work)(void* context, int slot), void* context) {
    std::vector<std::thread> others;
    for (int slot = 1; slot < slots; ++slot) others.emplace_back(work, context, slot);
    work(context, 0);
    for (auto& other : others) other.join();
    taken = slots;
    return true;
}

// One thread comes for all of them, and it is not the caller.
bool run_one(int slots, void (*work)(void* context, int slot), void* context) {
    std::thread(work, context, slots - 1).join();
    taken = 1;
    return true;
}

bool fail(int, void (*)(void* context, int slot), void*) { return true; }
bool refuse(int, void (*)(void* context, int slot), void*) { return false; }
int count() { return team_threads; }

constexpr Team kTeams[] = {{count, run_all}, {count, run_one}, {count, fail}, {count, refuse}};

void every_chunk_runs_once(int64_t chunks, int threads) {
    std::vector<std::atomic<int>> seen(static_cast<size_t>(chunks));
    std::vector<std::atomic<int>> busy(static_cast<size_t>(threads));
    std::atomic<int> wrong{0};
    parallel(chunks, threads, [&](int64_t chunk, int slot) {
        if (slot < 0 || slot >= threads || busy[size_t(slot)].fetch_add(1) != 0) ++wrong;
        ++seen[size_t(chunk)];
        --busy[size_t(slot)];
    });
    expect(wrong == 0, "a slot belongs to one thread at a time");
    for (auto& times : seen) expect(times == 1, "every chunk once");
}

void every_team_does_everything() {
    for (const Team& team : kTeams) {
        const UseTeam use(&team);
        for (team_threads = 1; team_threads <= 4; ++team_threads)
            for (int64_t chunks : {0, 1, 2, 3, 100})
                for (int threads : {1, 2, 3, 8}) every_chunk_runs_once(chunks, threads);
    }
    team_threads = 4;
}

void no_more_threads_than_either_allows() {
    set_num_threads(3);
    expect(num_threads() == 3, "num_threads() == 3");
    const UseTeam use(&kTeams[0]);
    expect(num_threads() == 3, "num_threads() == 3");
    every_chunk_runs_once(100, 8);
    expect(taken == 3, "taken == 3");
    team_threads = 2;
    expect(num_threads() == 2, "num_threads() == 2");
    every_chunk_runs_once(100, 8);  // as a plan that was made when there were more
    expect(taken == 2, "taken == 2");
    taken = 0;
    team_threads = 1;
    every_chunk_runs_once(100, 8);
    expect(taken == 0, "taken == 0");
    team_threads = -1;
    expect(num_threads() == 1, "num_threads() == 1");
    {
        const UseTeam own(nullptr);
        expect(num_threads() == 3, "num_threads() == 3");
        every_chunk_runs_once(100, 8);
        expect(taken == 0, "taken == 0");
    }
    expect(num_threads() == 1, "num_threads() == 1");
    team_threads = 4;
    set_num_threads(4);
}

void another_thread_has_no_team() {
    const UseTeam use(&kTeams[0]);
    taken = 0;
    std::thread([] { every_chunk_runs_once(10, 4); }).join();
    expect(taken == 0, "taken == 0");
}

void nested_calls() {
    const UseTeam use(&kTeams[0]);
    std::atomic<int> total{0};
    parallel(6, 3, [&](int64_t, int) { parallel(5, 3, [&](int64_t, int) { ++total; }); });
    expect(total == 30, "total == 30");
}

#if defined(__x86_64__)
// A library's threads have the mode that the library gave them.
bool run_flushing(int slots, void (*work)(void* context, int slot), void* context) {
    std::atomic<int> changed{0};
    std::vector<std::thread> threads;
    for (int slot = 0; slot < slots; ++slot)
        threads.emplace_back([&, slot] {
            _mm_setcsr(0x9fc0);  // flush to zero, denormals are zero
            work(context, slot);
            if ((_mm_getcsr() & ~0x3fu) != 0x9fc0) ++changed;
        });
    for (auto& thread : threads) thread.join();
    expect(changed == 0, "changed == 0");
    return true;
}

void float_mode_is_the_default_and_restored() {
    const Team team = {count, run_flushing};
    const UseTeam use(&team);
    std::atomic<int> wrong{0};
    parallel(64, 4, [&](int64_t, int) {
        if ((_mm_getcsr() & ~0x3fu) != 0x1f80) ++wrong;
    });
    expect(wrong == 0, "wrong == 0");
}
#endif

}  // namespace

int main() {
    set_num_threads(4);
    every_team_does_everything();
    no_more_threads_than_either_allows();
    another_thread_has_no_team();
    nested_calls();
#if defined(__x86_64__)
    float_mode_is_the_default_and_restored();
#endif
    std::puts("team: ok");
}
