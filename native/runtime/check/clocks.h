// What happens before what: vector clocks over the host and the streams.
//
// Each stream counts the work that is queued on it. A clock says, for each stream, how much of its work is known to be
// done. The host learns by synchronising; work learns what the host knew when it was queued, and what its stream was
// told to wait for. Nothing else orders anything, however long ago it was queued.
//
// All host threads share one clock. Threads are ordered by means that nobody sees here (joins, mutexes, atomics), and
// a thread that acts after another has returned from a call learnt that by one of them, or could have.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace acltwin::check {

class Clock {
public:
    uint64_t of(int stream) const { return size_t(stream) < done_.size() ? done_[size_t(stream)] : 0; }
    void learn(int stream, uint64_t count);
    void join(const Clock& other);
    bool before(const Clock& other) const;  // all of it, and perhaps more, is known there

private:
    std::vector<uint64_t> done_;  // by stream
};

// One piece of queued work.
struct Moment {
    int stream = -1;
    uint64_t count = 0;

    bool before(const Clock& clock) const { return clock.of(stream) >= count; }
    Clock after() const {  // what is known to whoever has waited for it, and for nothing else
        Clock clock;
        clock.learn(stream, count);
        return clock;
    }
};

class Timeline {
public:
    int add_stream();
    void remove_stream(int stream);  // all of its work is done; another one may get its number

    Moment queue(int stream);  // the next piece of work, after all that its stream knows
    const Clock& host() const { return host_; }
    const Clock& of(int stream) const { return streams_[size_t(stream)].clock; }
    // What whoever waits for the stream now will know: its own work, and all that came before that.
    Clock end_of(int stream);
    void host_learns(const Clock& clock) { host_.join(clock); }
    void stream_learns(int stream, const Clock& clock) { streams_[size_t(stream)].clock.join(clock); }
    uint64_t queued(int stream) const { return streams_[size_t(stream)].queued; }
    bool has_unfinished(int stream) const { return host_.of(stream) < queued(stream); }

private:
    struct Stream {
        Clock clock;
        uint64_t queued = 0;  // goes on with a new stream of the same number, so that no two moments are the same
    };

    Clock host_;
    std::vector<Stream> streams_;
    std::vector<int> free_;
};

}  // namespace acltwin::check
