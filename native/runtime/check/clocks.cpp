#include "runtime/check/clocks.h"

#include <algorithm>

namespace acltwin::check {

void Clock::learn(int stream, uint64_t count) {
    if (size_t(stream) >= done_.size()) done_.resize(size_t(stream) + 1);
    done_[size_t(stream)] = std::max(done_[size_t(stream)], count);
}

void Clock::join(const Clock& other) {
    for (size_t i = 0; i < other.done_.size(); ++i)
        if (other.done_[i] > 0) learn(int(i), other.done_[i]);
}

bool Clock::before(const Clock& other) const {
    for (size_t i = 0; i < done_.size(); ++i)
        if (done_[i] > other.of(int(i))) return false;
    return true;
}

int Timeline::add_stream() {
    if (!free_.empty()) {
        const int stream = free_.back();
        free_.pop_back();
        return stream;
    }
    free_.reserve(streams_.size() + 1);  // so that remove_stream never allocates
    streams_.emplace_back();
    return int(streams_.size() - 1);
}

void Timeline::remove_stream(int stream) {
    host_.join(end_of(stream));
    streams_[size_t(stream)].clock = Clock();
    free_.push_back(stream);
}

Moment Timeline::queue(int stream) {
    Stream& one = streams_[size_t(stream)];
    one.clock.join(host_);
    one.clock.learn(stream, ++one.queued);
    return {stream, one.queued};
}

Clock Timeline::end_of(int stream) {
    Clock clock = streams_[size_t(stream)].clock;
    clock.join(host_);
    clock.learn(stream, streams_[size_t(stream)].queued);
    return clock;
}

}  // namespace acltwin::check
