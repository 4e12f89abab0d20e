// Every task runs once, in turns whose number follows from the work; a failure stops the rest.
#include <mutex>
#include <vector>

#include "expect.h"
#include "kernels/loops/schedule.h"

using namespace acltwin;

namespace {

struct Row {
    const char* what;
    int64_t tasks;
    double nanoseconds;
    int available, threads;
    int64_t turns;
};

const Row kRows[] = {
    {"nothing to do", 0, 0, 4, 1, 0},           {"too little for a second thread", 1000, 24e3, 4, 1, 1},
    {"enough for two", 1000, 26e3, 4, 2, 2},    {"enough for all", 1000, 1e6, 4, 4, 40},
    {"more work than tasks", 3, 1e9, 2, 2, 3},  {"one long task", 1, 1e9, 2, 2, 1},
    {"one thread allowed", 1000, 1e9, 1, 1, 1}, {"a shorter last turn", 11, 100e3, 4, 4, 6},
};

}  // namespace

int main() {
    for (const Row& row : kRows) {
        set_num_threads(row.available);
        const Schedule schedule(row.tasks, row.nanoseconds);
        expect(schedule.threads() == row.threads, row.what);
        std::vector<int> runs(size_t(row.tasks), 0);
        std::atomic<int64_t> turns{0};
        schedule.run([&](int64_t first, int64_t last, int slot) {
            expect(slot >= 0 && slot < row.threads, "a slot of its own");
            ++turns;
            for (; first < last; ++first) ++runs[size_t(first)];
        });
        for (int count : runs) expect(count == 1, std::string(row.what) + ": every task once");
        expect(turns == row.turns, std::string(row.what) + ": " + std::to_string(turns) + " turns");
    }
    set_num_threads(1);
    int64_t done = 0;
    const Schedule several(100, 1e6, 2);  // asked for when there were two
    expect(several.threads() == 2, "as many threads as the plan asked for");
    expect(Schedule(100, 1e6).run_while_good([&](int64_t, int64_t, int) { return true; }), "all good");
    const bool good = Schedule(100, 1e6).run_while_good([&](int64_t, int64_t last, int) {
        done = last;
        return false;
    });
    expect(!good && done == 100, "a failure is told");
    // A number of tasks beyond all counting is cut without overflow.
    for (int threads : {1, 2}) expect(Schedule(INT64_MAX, 1e9, threads).threads() == threads, "absurdly many tasks");
    std::printf("schedule: ok\n");
}
