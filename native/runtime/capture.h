// Stream capture: work that is queued on a captured stream is recorded, and run as often as somebody asks.
#pragma once

#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "acl/acl_mdl.h"
#include "runtime/check/clocks.h"
#include "runtime/stream.h"

namespace acltwin {

// Where in a capture an event was recorded.
struct Mark : std::enable_shared_from_this<Mark> {
    std::weak_ptr<Capture> capture;
    check::Clock reached;  // by place of the streams
};

// Recorded work, in the order of the calls. What a piece waits for was recorded before it, so to run all of it in this
// order, one piece after the other, is right whatever streams it came from. All here is guarded by the runtime's lock,
// except that the work of a capture that is over does not change.
class Capture : public std::enable_shared_from_this<Capture> {
public:
    static constexpr Kind kKind = Kind::capture;

    // Of a stream that is not captured.
    static aclmdlRI begin(Stream& stream, aclrtStream handle, int mode, const Lock& lock);

    aclrtContext context() const { return context_; }
    aclmdlRI handle() const { return handle_; }
    bool is_active(const Lock&) const { return state_ == State::active; }
    bool is_over(const Lock&) const { return state_ == State::over; }
    bool is_running(const Lock&) const { return executions_.use_count() > 1; }
    // The calling thread may not copy and fill memory at once; its own mode is `mode`.
    bool forbids_unsafe(int mode, const Lock&) const;

    Failure add(const Stream& stream, Task task, const Lock& lock);
    Failure record(const Stream& stream, std::shared_ptr<const Mark>* mark, const Lock& lock);
    Failure wait(const Stream& stream, const Mark& mark, const Lock& lock);
    // The stream takes part from now on.
    void join(Stream& stream, aclrtStream handle, const Lock& lock);
    // The same failure for all that asks later, and for the end.
    Failure invalidate(Failure why, const Lock& lock);
    Failure invalidated(const Lock& lock) const;
    // No stream is captured by it any more; `for_good`: and it is executed no more.
    void leave(bool for_good, const Lock& lock);
    // The end, by the calling thread; after a failure that is not this call's mistake, the capture is lost.
    Failure end(const Stream& stream, bool* is_lost, const Lock& lock);

    // What is to run on a stream; fails when a block was freed since it was recorded.
    Failure make_execution(Task* execution, const Lock& lock);
    void abandon(const Lock& lock);  // in a forked child

private:
    enum class State { active, invalid, over };

    // A stream that takes part. The work of the first one runs where the execution is queued.
    struct Member {
        std::weak_ptr<Stream> stream;
        aclrtStream handle;
        check::Clock known;  // how much of each stream's work comes before this one's next
        std::shared_ptr<Stream> stand_in;
    };
    struct Step {
        size_t place;
        Task task;
        uint32_t call;  // where it was recorded, for check mode
    };

    Capture(const Stream& stream, int mode);
    void set_state(State state);
    Failure check_state(const Lock& lock) const;
    void count_work(size_t place);
    void add_step(size_t place, Task task, const Lock& lock);
    Failure check_joined(const Lock& lock) const;
    void note_all(const Stream& on, const Lock& lock) const;
    Failure run(Stream& on);

    const aclrtContext context_;
    const int mode_;
    const std::thread::id thread_ = std::this_thread::get_id();
    aclmdlRI handle_ = nullptr;
    State state_ = State::over;
    std::string why_invalid_;
    std::vector<Member> members_;
    std::vector<Step> steps_;
    bool runs_now_ = false;
    std::shared_ptr<const char> executions_;  // each that is queued or runs has a share
};

// The capture that an event was recorded in, unless that is over.
std::shared_ptr<Capture> capture_of(const std::shared_ptr<const Mark>& mark, const Lock& lock);

// aclrtStreamWaitEvent and aclrtResetEvent where a capture has to do with the stream or the event.
Failure let_wait_in_capture(Stream& stream, aclrtStream handle, const std::shared_ptr<const Mark>& mark,
                            const Lock& lock);
Failure check_reset_in(const std::shared_ptr<Capture>& capture, const std::shared_ptr<Capture>& recorded_in,
                       bool was_recorded_outside, const Lock& lock);

// Nobody can wait for work that is recorded, or ask how far it is: the attempt ends the capture.
Failure refuse_waiting(const Stream& stream, const Lock& lock);
Failure refuse_waiting(const std::shared_ptr<const Mark>& mark, const Lock& lock);

bool any_active_capture(const Lock& lock);

// Copies and memsets that happen at once, while the mode of a capture in this context forbids them to this thread.
Failure refuse_unsafe(const Lock& lock);
// The same for a queued copy of the caller's own memory, which nobody keeps for a recording.
Failure refuse_ordinary_memory(const Stream& stream, const Lock& lock);

// The captures of a context end with it; they are given out, as to free what they hold takes its time.
std::vector<std::shared_ptr<Capture>> end_captures_of(aclrtContext context, const Lock& lock);

}  // namespace acltwin
