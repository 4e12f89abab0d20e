// Threads of another library. Work on that library's arrays goes there: two sets of threads would fight for the cores.
#pragma once

#include "core/export.h"

namespace acltwin {

struct Team {
    int (*threads)();  // as many as the library uses for its own work
    // Calls work(context, slot) at the same time, each time with another slot in [0, slots), and returns when all are
    // back. False if the team has no threads to give now: nothing was called then.
    bool (*run)(int slots, void (*work)(void* context, int slot), void* context);
};

// While it lives, the parallel work of the calling thread goes to the team, with no more threads than the team would
// use; null means our own pool.
class ACLTWIN_API UseTeam {
public:
    explicit UseTeam(const Team* team);
    ~UseTeam();
    UseTeam(const UseTeam&) = delete;
    UseTeam& operator=(const UseTeam&) = delete;

private:
    const Team* before_;
};

const Team* team_in_use();

}  // namespace acltwin
