// The one odometer of the kernels against loops as anybody writes them; axes that are one; indices before they are
// used.
#include "kernels/loops/walk.h"

#define ACLTWIN_LEVEL tested
#include "expect.h"
#include "kernels/level/indices.h"
#include "kernels/level/sink.h"
#include "kernels/loops/axes.h"

using namespace acltwin;

namespace {

void from_every_step_on() {
    const int64_t extents[][3] = {{2, 3, 4}, {1, 1, 5}, {3, 1, 1}, {1, 2, 1}, {1, 1, 1}};
    for (const auto& extent : extents) {
        Loops<3, 2> loops = {{extent[0], extent[1], extent[2]}, {{100, 10, 1}, {-7, 0, 5}}};
        for (int i = 0; i < 3; ++i)
            if (extent[i] == 1) loops.step[0][i] = loops.step[1][i] = INT64_MAX;  // what never moves may be anything
        const int64_t steps = steps_of(loops.extent);
        for (int64_t first = 0; first < steps; ++first) {
            Walk<3, 2> walk(loops, first);
            for (int64_t number = first; number < steps; ++number, walk.advance()) {
                const int64_t at[] = {number / extent[2] / extent[1], number / extent[2] % extent[1],
                                      number % extent[2]};
                int64_t offset[2] = {};
                for (int i = 0; i < 3; ++i) {
                    expect(walk.at(i) == at[i], "position");
                    for (int o = 0; o < 2; ++o)
                        if (at[i] > 0) offset[o] += at[i] * loops.step[o][i];
                }
                expect(walk.offset(0) == offset[0] && walk.offset(1) == offset[1], "offset");
                expect(walk.left() == extent[2] - at[2], "steps left");
            }
            expect(walk.at(0) == 0 && walk.at(2) == 0 && walk.offset(0) == 0, "the beginning again after the end");
        }
    }
}

void in_runs() {
    const Loops<2, 1> loops = {{3, 7}, {{100, 1}}};
    for (int64_t most = 1; most <= 7; ++most) {
        Walk<2, 1> walk(loops, 2);
        for (int64_t number = 2, n; number < 21; number += n, walk.advance(n)) {
            n = std::min(most, walk.left());
            expect(walk.offset(0) == number / 7 * 100 + number % 7, "offset after a run");
        }
    }
}

void axes_that_are_one() {
    Axis<2> axes[] = {{2, {1000, 60}}, {3, {300, 20}}, {4, {25, 5}}, {5, {5, 1}}};  // the last two, and the first two
    Axis<2>* const end = merge_axes(axes, axes + 4);
    expect(end == axes + 3, "axes left: expected 3, got " + std::to_string(end - axes));
    expect(axes[2].extent == 20 && axes[2].step[0] == 5 && axes[2].step[1] == 1, "the inner two are one");
    expect(axes[0].extent == 2 && axes[1].extent == 3, "300 * 3 is not 1000");
    const int64_t dims[] = {2, 1, 4}, close[] = {4, 99, 1}, apart[] = {5, 99, 1};
    expect(one_run(dims, close, 1) && !one_run(dims, apart, 1) && !one_run(dims, close, 2), "one run");
    const int64_t none[] = {INT64_MAX, 2, 0}, many[] = {INT64_MAX, 2, 3};
    expect(steps_of(none) == 0 && steps_of(many) == INT64_MAX, "steps");
}

// The first bad one of `indices` stops the work before anything of its group is done.
void indices_in_groups() {
    const int32_t indices[] = {5, 6, 7, 8, 9, 10, 4, 12, 5, 13};
    const auto done = [&](int64_t n, uint64_t first, uint64_t count) {
        int64_t seen = 0;
        const int64_t counted = tested::each_index<4>(indices, 1, n, first, count, [&](int64_t i, uint64_t cell) {
            expect(i == seen++ && cell + first == uint64_t(indices[i]), "index " + std::to_string(i));
        });
        expect(counted == seen, "says how many there were");
        return seen;
    };
    expect(done(10, 0, 14) == 10, "all");
    expect(done(10, 5, 9) == 4, "4 is below 5: its group is not begun");
    expect(done(10, 0, 13) == 9, "13 is one too many, alone at the end");
    expect(done(0, 0, 0) == 0, "none");
}

void sinks() {
    const int cells[] = {1, 2, 3, 4, 5, 6};
    for (const tested::Output output :
         {tested::Output::direct, tested::Output::copy, tested::Output::non_temporal, tested::Output::unpack}) {
        alignas(64) char stage[tested::NonTemporalWriter::kStageExtra + sizeof cells];
        int buffer[6], result[24] = {};
        const bool apart =
            output == tested::Output::unpack;  // two channels, 12 elements apart, of cells 4 elements apart
        const int64_t pitch = apart ? 4 : 2, channel = apart ? 12 : 1;
        {
            tested::Sink<int> sink(output, pitch, channel, buffer, stage);
            memcpy(sink.place(result), cells, sizeof cells);
            sink.put(result, 3, 2);
        }
        for (int i = 0; i < 6; ++i)
            expect(result[i / 2 * pitch + i % 2 * channel] == cells[i], "output " + std::to_string(int(output)));
        {
            tested::Sink<int> sink(output, pitch, channel, buffer, stage);
            sink.put_zeros(result, 3, 2);
        }
        for (int value : result) expect(value == 0, "zeros, output " + std::to_string(int(output)));
    }
}

}  // namespace

int main() {
    from_every_step_on();
    in_runs();
    axes_that_are_one();
    indices_in_groups();
    sinks();
    std::printf("loops: ok\n");
}
