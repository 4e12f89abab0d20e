// What happens before what.
#include "expect.h"
#include "runtime/check/clocks.h"

using namespace acltwin::check;

namespace {

void the_host_learns_by_waiting() {
    Timeline timeline;
    const int stream = timeline.add_stream();
    const Moment first = timeline.queue(stream);
    const Clock end = timeline.end_of(stream);
    const Moment second = timeline.queue(stream);
    expect(!first.before(timeline.host()), "queued work is not done");
    expect(first.before(timeline.of(stream)), "a stream is in order");
    timeline.host_learns(end);
    expect(first.before(timeline.host()), "what was waited for is done");
    expect(!second.before(timeline.host()), "what came later is not");
    expect(timeline.has_unfinished(stream), "and is still there");
    timeline.host_learns(timeline.end_of(stream));
    expect(!timeline.has_unfinished(stream), "until it is waited for");
}

void streams_learn_by_events_and_from_the_host() {
    Timeline timeline;
    const int a = timeline.add_stream(), b = timeline.add_stream(), c = timeline.add_stream();
    const Moment write = timeline.queue(a);
    const Clock event = timeline.end_of(a);
    const Moment later = timeline.queue(a);
    timeline.queue(b);
    expect(!write.before(timeline.of(b)), "streams are not in order");
    timeline.stream_learns(b, event);
    expect(write.before(timeline.of(b)), "an event orders them");
    expect(!later.before(timeline.of(b)), "up to its recording");
    const Clock second = timeline.end_of(b);
    timeline.stream_learns(c, second);
    expect(write.before(timeline.of(c)), "through a third one, too");
    expect(!write.before(timeline.host()), "the host knows of none of it");
    timeline.host_learns(second);
    expect(write.before(timeline.host()), "until it waits for one of them");
    const int d = timeline.add_stream();
    timeline.queue(d);
    expect(write.before(timeline.of(d)), "work begins after all that the host knew");
}

void a_new_stream_may_have_an_old_number() {
    Timeline timeline;
    const int other = timeline.add_stream(), first = timeline.add_stream();
    const Moment old = timeline.queue(first);
    timeline.remove_stream(first);
    const int second = timeline.add_stream();
    expect(second == first, "the number comes again");
    const Moment fresh = timeline.queue(second);
    expect(old.before(timeline.host()) && !fresh.before(timeline.host()),
           "the old one's work is done, the new one's not");
    timeline.queue(other);
    expect(!fresh.before(timeline.of(other)), "and nobody has heard of it");
}

}  // namespace

int main() {
    the_host_learns_by_waiting();
    streams_learn_by_events_and_from_the_host();
    a_new_stream_may_have_an_old_number();
}
