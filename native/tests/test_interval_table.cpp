// The tables of both map rules: known cases, the borders where the rules differ, absurd scales.
#include <cmath>
#include <limits>
#include <vector>

#include "ops/nearest_table.h"
#include "tests/expect.h"

using namespace acltwin;

int main() {
    using Table = std::vector<int64_t>;
    const double inf = std::numeric_limits<double>::infinity();
    expect(interval_table(2, 4, 0, false, MapRule::device) == Table({0, 2, 4}), "nearest, 2 to 4");
    expect(interval_table(2, 3, 0, true, MapRule::device) == Table({0, 1, 3}), "exact, 2 to 3: 1.5 - 0.5 is a whole 1");
    expect(interval_table(8, 4, 2, true, MapRule::device) == Table({0, 2, 4, 4, 4, 4, 4, 4, 4}), "the 2-D sample");
    expect(interval_table(4, 4, 0.5, false, MapRule::device) == Table({0, 1, 1, 2, 2}),
           "cells beyond the scale are dropped");
    // The two rules differ by float32 rounding at a border.
    const Table device = interval_table(26, 14, 0, false, MapRule::device);
    const Table torch = interval_table(26, 14, 0, false, MapRule::torch);
    expect(device[12] == 7 && device[13] == 8 && torch[13] == 7 && torch[14] == 8, "cell 7 goes to 12 or to 13");
    expect(interval_table(2, 41, 0, true, MapRule::device)[1] == 20, "cell 20 goes to 1");
    expect(interval_table(2, 41, 0, true, MapRule::torch)[1] == 21, "cell 20 goes to 0");
    for (double scale : {0.0, -1.0, 1e-60, std::nan("")})
        for (MapRule rule : {MapRule::device, MapRule::torch})
            expect(interval_table(3, 5, scale, true, rule) == interval_table(3, 5, 0, true, rule), "not given");
    for (double scale : {inf, 1e300, 1e38, 1e-45, 1e-40})
        for (bool exact : {false, true})
            for (MapRule rule : {MapRule::device, MapRule::torch}) {
                const Table table = interval_table(3, 5, scale, exact, rule);
                expect(table.size() == 4 && table[0] == 0 && table[3] <= 5, "an absurd scale stays in range");
                for (size_t i = 0; i < 3; ++i) expect(table[i] <= table[i + 1], "a table never falls");
                if (rule == MapRule::torch) expect(table[3] == 5, "the torch rule drops nothing");
            }
    expect(interval_table(3, 0, 0, true, MapRule::torch) == Table({0, 0, 0, 0}), "nothing to collect");
}
